"""`tune run | show | reset | rollback`: finds out which settings are fastest here without a loss, and keeps them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from codeassistd.cli.options import AsJson
from codeassistd.cli.terminal import notices, steps
from codeassistd.cli.tune_view import show_profile, tune_report
from codeassistd.config_layers import load
from codeassistd.daemon.tuned import TunedProfile, TypingSpeed, load_tuned, profile_in_force, profiles_of
from codeassistd.errors import CodeassistdError, UsageError
from codeassistd.paths import Paths

__all__ = ["register"]

_MINUTE_S = 60.0
_DEFAULT_BUDGET = 30
_MAX_BUDGET = 24 * 60


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    tune = typer.Typer(help="Find out which settings are fastest on this machine without a loss, and keep them.")
    tune.command("run")(_run)
    tune.command("show")(_show)
    tune.command("reset")(_reset)
    tune.command("rollback")(_rollback)
    app.add_typer(tune, name="tune")


def _run(
    *,
    budget: Annotated[
        int, typer.Option("--budget", metavar="MIN", min=1, max=_MAX_BUDGET, help="Try nothing more after that time.")
    ] = _DEFAULT_BUDGET,
    beside: Annotated[
        bool, typer.Option("--beside", help="Measure even while a daemon holds a model or an editor is connected.")
    ] = False,
    server: Annotated[
        Path | None,
        typer.Option("--baseline-server", metavar="PATH", help="Type to this llama-server too, on the same keys."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Try one change of the settings at a time, and keep what makes typing faster and costs no quality.

    Goes on where an earlier run ended; Ctrl-C keeps all that was typed by then.
    """
    # Here and not above: a help page must not load the native library.
    from codeassistd.tuning.run import TuneOptions, run_tune  # noqa: PLC0415 - see above

    paths = Paths.resolve()
    if server is not None and not (server.is_file() and os.access(server, os.X_OK)):
        raise UsageError(f"there is no program {server}; --baseline-server takes the path of llama-server")
    with _ended_in_order(), steps("tuning") as told:
        profile, why = run_tune(paths, load(paths), TuneOptions(budget * _MINUTE_S, beside=beside), told.begin)
    asked = {"budget": budget, "beside": beside, "baseline_server": str(server or "")}
    try:
        live = None if server is None else _typed_to_server(paths, server.absolute())
    except CodeassistdError:
        # What took half an hour is shown all the same.
        _print_run(asked, profile, None, why, as_json=as_json)
        raise
    _print_run(asked, profile, live, why, as_json=as_json)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Have SIGTERM end what is inside as Ctrl-C does, with its folders taken away.

    Where Ctrl-C is ignored, as behind `nohup`, there is no such way to end, and SIGTERM does what it always does.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    before = signal.signal(signal.SIGTERM, _as_ctrl_c)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _as_ctrl_c(number: int, frame: FrameType | None) -> None:
    # asyncio has a handler of its own while it runs, which ends what is at work first.
    interrupt = signal.getsignal(signal.SIGINT)
    (interrupt if callable(interrupt) else signal.default_int_handler)(number, frame)


def _print_run(
    asked: Mapping[str, object], profile: TunedProfile, live: TypingSpeed | None, why: str, *, as_json: bool
) -> None:
    if as_json:
        typer.echo(tune_report("tune run", asked, profile, live, why).as_json())
        return
    show_profile(profile, live)
    if why:
        notices().print(f"codeassistd: not all was tried: {why}; go on with `codeassistd tune run`", markup=False)
    if profile.values:
        notices().print("codeassistd: in force from the next start of the daemon (`codeassistd stop` ends this one)")


def _show(*, as_json: AsJson = False) -> None:
    """Print what was tried on this machine with the chosen model, and what came of it."""
    paths = Paths.resolve()
    profile = profile_in_force(paths, load(paths))
    if as_json:
        typer.echo(tune_report("tune show", {}, profile, None, "").as_json())
    elif profile.before is None:
        notices().print(f"codeassistd: {profile.model} was never tuned on this machine; see `codeassistd tune run`")
    else:
        show_profile(profile, None)
    if profile.before is None:
        raise typer.Exit(1)


def _reset() -> None:
    """Forget all that was found on this machine with the chosen model."""
    paths = Paths.resolve()
    profile = profile_in_force(paths, load(paths))
    profiles_of(paths).without(profile)
    typer.echo(f"forgotten: {len(profile.steps)} steps of {profile.model}, {len(profile.values)} settings in force")


def _rollback(step: Annotated[str, typer.Argument(metavar="STEP", help="A step of `tune show`.")]) -> None:
    """Take a kept step back; it is not tried again before a reset."""
    paths = Paths.resolve()
    profile = profile_in_force(paths, load(paths))
    kept = sorted({known.step for known in profile.steps if known.is_kept})
    if step not in kept:
        raise UsageError(f"no step {step} is in force; kept are: {', '.join(kept) or 'none'}")
    profiles_of(paths).keep(profile.rolled_back(step))
    typer.echo(f"rolled back: {step}")


def _typed_to_server(paths: Paths, server: Path) -> TypingSpeed:
    from codeassistd.catalogue.catalogue import Catalogue  # noqa: PLC0415 - see _run
    from codeassistd.clock import SystemClock  # noqa: PLC0415 - see _run
    from codeassistd.daemon.model_files import prepare_model  # noqa: PLC0415 - see _run
    from codeassistd.tuning.library_measure import long_scripts  # noqa: PLC0415 - see _run
    from codeassistd.tuning.server import server_typing  # noqa: PLC0415 - see _run

    settings = load_tuned(paths).settings.model
    model = prepare_model(Catalogue(paths), settings).path
    return server_typing(server, model, settings.n_ctx, list(long_scripts()), SystemClock())
