"""The application: which verbs there are, and the one edge where errors become a line and an exit code.

Exit codes: 0 done; 1 it did not work; 2 an argument, setting or file is wrong; 3 another daemon runs already; 130
interrupted by Ctrl-C.
Only the module of the verb that was asked for is imported, so that each verb starts as fast as it can.
"""

from __future__ import annotations

import errno
import importlib
import itertools
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from codeassistd import __version__
from codeassistd.errors import CodeassistdError
from codeassistd.paths import Paths

__all__ = ["VERBS", "application", "run"]

#: Every verb, in the order of the help page, and the module that has its `register(app)`.
VERBS: Mapping[str, str] = MappingProxyType(
    {
        "setup": "codeassistd.cli.setup",
        "start": "codeassistd.cli.lifecycle",
        "stop": "codeassistd.cli.lifecycle",
        "status": "codeassistd.cli.status",
        "serve": "codeassistd.cli.serve",
        "lsp": "codeassistd.cli.lsp",
        "complete": "codeassistd.cli.complete",
        "chat": "codeassistd.cli.chat",
        "explain": "codeassistd.cli.explain",
        "metrics": "codeassistd.cli.metrics",
        "snooze": "codeassistd.cli.snooze",
        "history": "codeassistd.cli.history",
        "index": "codeassistd.cli.index",
        "model": "codeassistd.cli.model",
        "config": "codeassistd.cli.config_show",
        "cache": "codeassistd.cli.cache",
        "logs": "codeassistd.cli.logs",
        "doctor": "codeassistd.cli.doctor",
        "bench": "codeassistd.cli.bench",
        "eval": "codeassistd.cli.eval",
        "tune": "codeassistd.cli.tune",
        "demo": "codeassistd.cli.demo",
        "install-service": "codeassistd.cli.install_service",
        "purge": "codeassistd.cli.purge",
    }
)

_INTERRUPTED = 130
_UNEXPECTED = 1
_WRONG_ARGUMENT = 2
# The parser wants at least one verb, even if it will not come to it.
_LIGHTEST = "codeassistd.cli.logs"


def run(argv: Sequence[str]) -> int:
    """Run one command line; returns its exit code and never raises an `Exception`."""
    arguments = list(argv) or ["--help"]
    options = list(itertools.takewhile(lambda argument: argument.startswith("-"), arguments))
    verb = arguments[len(options)] if len(options) < len(arguments) else ""
    try:
        result = application(_modules(verb, options))(args=arguments, prog_name="codeassistd", standalone_mode=False)
    except CodeassistdError as error:
        return _refuse(str(error), error.exit_code)
    except typer.TyperException as error:
        # Errors of the parser know the command that they are about; those that we raise ourselves may not.
        command = getattr(getattr(error, "ctx", None), "command_path", "codeassistd")
        return _refuse(f"{error.format_message().rstrip('.')}; see `{command} --help`", error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost edge: a user gets a line, not a traceback
        known = _of_the_system(error, arguments) if isinstance(error, OSError) else None
        return _unexpected(error, with_trace="--debug" in options) if known is None else known
    return result if isinstance(result, int) else 0


def application(modules: Iterable[str] = ()) -> typer.Typer:
    """The command line with the verbs of `modules`; with all verbs if none are named."""
    app = typer.Typer(
        name="codeassistd",
        help=_HELP,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for module in dict.fromkeys(modules or VERBS.values()):
        importlib.import_module(module).register(app)
    return app


def _modules(verb: str, options: Sequence[str]) -> list[str]:
    """What must be imported for this command line; for a help page or an unknown verb that is everything."""
    if verb in VERBS:
        return [VERBS[verb]]
    return [_LIGHTEST] if "--version" in options else list(VERBS.values())


_HELP = "A private code assistant: one daemon, a local model, inline completions in every editor."


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the shape of an option's callback
    if wanted:
        typer.echo(f"codeassistd {__version__}")
        raise typer.Exit


def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the full trace of an unexpected error.")] = False,
) -> None:
    # Both act outside of a verb: `--version` in its callback, `--debug` in `run`.
    del version, debug


def _refuse(line: str, exit_code: int) -> int:
    typer.echo(f"codeassistd: {' '.join(line.split())}", err=True)
    return exit_code


def _of_the_system(error: OSError, arguments: Sequence[str]) -> int | None:
    """The exit code for what the user can do something about, told; None for anything else."""
    if error.errno == errno.ENOSPC and error.filename is None:
        return _no_room(error)
    if error.errno == errno.ENOENT and _is_here_gone():
        return _refuse("the current folder is gone; change into one that is there", _WRONG_ARGUMENT)
    if error.strerror and _is_named(error.filename, arguments):
        return _refuse(f"{error.filename} cannot be used: {error.strerror}", _WRONG_ARGUMENT)
    if error.strerror and _is_ours(error.filename):
        advice = "`codeassistd doctor` looks at all our folders"
        return _refuse(f"{error.filename} cannot be used: {error.strerror}; {advice}", _UNEXPECTED)
    return None


def _no_room(error: OSError) -> int:
    """Standard output goes to a full disk, or a file of ours lies on one: neither is named where it is written."""
    # What is left in its buffer would be tried again at the end of the process, with a trace and another exit code.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    what = f"cannot write the answer, or a file of ours: {error.strerror}"
    return _refuse(f"{what}; make room, or send it elsewhere", _UNEXPECTED)


def _is_here_gone() -> bool:
    """Whether the current folder was removed under our feet: what is relative to it is nowhere."""
    try:
        os.getcwd()  # noqa: PTH109 - the question is whether it can be told
    except FileNotFoundError:
        return True
    return False


def _is_named(file: object, arguments: Sequence[str]) -> bool:
    """Whether a file of which the system complained stands in the command line, in whatever form.

    Each verb looks at what it is given; but a name may be too long to look at, or lie in a folder that is closed.
    """
    if not isinstance(file, str):
        return False
    named = {Path(part).name for argument in arguments for part in (argument, argument.partition("=")[2])}
    return Path(file).name in named - {""}


def _is_ours(file: object) -> bool:
    """Whether a file lies in one of the program's own folders, which may be closed or lie on a disk that fails."""
    paths = Paths.resolve()
    ours = (paths.config_dir, paths.data_dir, paths.state_dir, paths.cache_dir, paths.runtime_dir)
    return isinstance(file, str) and any(Path(file).is_relative_to(folder) for folder in ours)


def _unexpected(error: Exception, *, with_trace: bool) -> int:
    if with_trace:
        traceback.print_exception(error, file=sys.stderr)
    kind = type(error).__name__
    log = Paths.resolve().log_file
    return _refuse(
        f"unexpected error: {kind}: {error} (`codeassistd --debug ...` prints the trace; the daemon's log is {log})",
        _UNEXPECTED,
    )
