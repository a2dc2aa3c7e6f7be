"""The daemon's log: one JSON object per line, private, bounded, and without anybody's source text.

Rooms log through the standard library (`logging.getLogger(__name__)`), so that nobody below needs to know where it
goes. Native libraries print to the standard streams of the process; those are led into the same file, as they are.

What keeps source text out:
- our own entries hold numbers, names and reasons by agreement; the keys in `TEXT_KEYS` are dropped;
- entries of foreign libraries lose their arguments (pygls puts whole messages in), exceptions their messages;
- `prompts = true` in the settings lifts both, for debugging one's own machine.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
from collections.abc import Callable
from pathlib import Path
from traceback import extract_tb
from typing import Any

import structlog
from structlog.typing import EventDict

from codeassistd.config import LogSettings
from codeassistd.errors import CodeassistdError
from codeassistd.paths import make_private_dir
from codeassistd.streams import STDERR, STDIN, STDOUT, fill_closed_streams

__all__ = ["TEXT_KEYS", "Log"]

#: Entry keys that hold a user's text: `_log.debug("...", extra={"prompt": ...})`.
TEXT_KEYS = frozenset({"prompt", "suggestion", "text"})

#: What every record has, or gets from a formatter; the rest was passed as `extra`.
_STANDARD_KEYS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_ROOT = ""
_OURS = ("codeassistd", "codeassistd_lsp")


class Log:
    """The open log of this process; one at a time, made by the daemon and closed as its last act."""

    def __init__(self, path: Path, settings: LogSettings) -> None:
        fill_closed_streams()
        make_private_dir(path.parent)
        self._handler = _PrivateFile(path, settings)
        self._handler.setFormatter(_formatter(settings))
        # Ours as asked for; of the others only what somebody should act on.
        levels = dict.fromkeys(_OURS, settings.level.upper()) | {_ROOT: "WARNING"}
        self._levels_before = {name: logging.getLogger(name).level for name in levels}
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        logging.getLogger().addHandler(self._handler)

    def take_standard_streams(self) -> None:
        """From now on, whatever this process prints lands in the log; standard input is empty."""
        self._handler.lead_streams_here()

    def trim(self) -> None:
        """Rotate if the file has grown over its bound by what native libraries print."""
        self._handler.rotate_if_large()

    def close(self) -> None:
        """Stop writing; the standard streams stay where they are."""
        logging.getLogger().removeHandler(self._handler)
        for name, level in self._levels_before.items():
            logging.getLogger(name).setLevel(level)
        self._handler.close()


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A rotating file of mode 0600 that counts what others write into it, too."""

    def __init__(self, path: Path, settings: LogSettings) -> None:
        self._leads_streams = False
        super().__init__(path, maxBytes=settings.max_bytes, backupCount=settings.backups, encoding="utf-8")

    def _open(self) -> Any:
        # Appending, so that our lines and native ones never overwrite each other.
        file = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        if hasattr(os, "fchmod"):
            os.fchmod(file, 0o600)
        return os.fdopen(file, "a", encoding=self.encoding, errors="backslashreplace")

    def shouldRollover(self, record: logging.LogRecord) -> int:  # noqa: N802 - the base class names it
        """Whether the file would grow over its bound, counting what native libraries wrote."""
        if self.stream is None:
            self.stream = self._open()
        size = os.fstat(self.stream.fileno()).st_size
        return size + len(self.format(record)) >= self.maxBytes

    def doRollover(self) -> None:  # noqa: N802 - the base class names it
        """Begin a new file; without backups the old one is dropped, not grown further."""
        if self.backupCount == 0 and self.stream is not None:
            self.stream.close()
            Path(self.baseFilename).unlink(missing_ok=True)
        super().doRollover()
        if self._leads_streams:
            self.lead_streams_here()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class names it
        """Drop what cannot be written (a full disk): a log must neither end a request nor print about itself."""

    def rotate_if_large(self) -> None:
        self.acquire()
        try:
            if self.stream is not None and os.fstat(self.stream.fileno()).st_size >= self.maxBytes:
                self.doRollover()
        finally:
            self.release()

    def lead_streams_here(self) -> None:
        self._leads_streams = True
        if self.stream is None:
            self.stream = self._open()
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device, not a path
            os.dup2(nothing.fileno(), STDIN)
        for number in (STDOUT, STDERR):
            os.dup2(self.stream.fileno(), number)


def _add_extra(logger: Any, method: str, entry: EventDict) -> EventDict:
    """Add what the caller passed as `extra`.

    structlog's own step for this would also add `message`, which other handlers leave on the record, arguments and all.
    """
    del logger, method
    entry.update({key: value for key, value in vars(entry["_record"]).items() if key not in _STANDARD_KEYS})
    return entry


class _Discretion:
    """The step of the chain that keeps a user's text out."""

    def __call__(self, logger: Any, method: str, entry: EventDict) -> EventDict:
        """Drop text, foreign arguments and the messages of foreign exceptions."""
        del logger, method
        record = entry["_record"]
        if record.name.partition(".")[0] not in _OURS:
            entry["event"] = str(record.msg).partition("\n")[0]
        for key in TEXT_KEYS & entry.keys():
            del entry[key]
        return _with_exception(entry, _kind_of)


class _Candour:
    """The step in its place where the user wants to see everything."""

    def __call__(self, logger: Any, method: str, entry: EventDict) -> EventDict:
        """Keep all."""
        del logger, method
        return _with_exception(entry, lambda error: f"{type(error).__name__}: {error}")


def _formatter(settings: LogSettings) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _add_extra,
            _Candour() if settings.prompts else _Discretion(),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(default=str),
        ],
    )


def _with_exception(entry: EventDict, describe: Callable[[BaseException], str]) -> EventDict:
    """`entry` with its exception, and the ones that led to it, as lines instead of objects."""
    info = entry.pop("exc_info", None)
    error = info[1] if isinstance(info, tuple) else None
    lines = []
    while error is not None:
        lines.append(describe(error))
        lines += [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if lines:
        entry["exception"] = lines
    return entry


def _kind_of(error: BaseException) -> str:
    """The type of `error`, and its message where that is written by us or by the system."""
    if isinstance(error, CodeassistdError):
        return f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.strerror:
        return f"{type(error).__name__}: {error.strerror}"
    return type(error).__name__
