"""llama.cpp's own log, led into Python's logging at debug level: nothing of it may reach stdout or stderr."""

from __future__ import annotations

import ctypes
import logging
from collections import deque
from functools import cache

import llama_cpp

__all__ = ["LlamaLog", "llama_log"]

_ERROR = 4  # GGML_LOG_LEVEL_ERROR; the bindings' own table is of an older version
_N_KEPT = 20

_log = logging.getLogger("codeassistd.llama")


class LlamaLog:
    """The receiver of llama.cpp's log; keeps the last lines of errors, since its functions answer with no cause."""

    def __init__(self) -> None:
        self._errors: deque[str] = deque(maxlen=_N_KEPT)
        # The library keeps the pointer as long as the process lives, and so must we.
        self._callback = llama_cpp.llama_log_callback(self._receive)
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))

    def take_errors(self) -> list[str]:
        """The error lines since the last call."""
        errors = list(self._errors)
        self._errors.clear()
        return errors

    def _receive(self, level: int, text: bytes, _user_data: object) -> None:
        line = text.decode("utf-8", "replace").rstrip()
        if not line.strip("."):
            return  # the dots of its progress bar
        if level == _ERROR:
            self._errors.append(line)
        _log.debug("%s", line)


@cache
def llama_log() -> LlamaLog:
    """Take the log over and start the library; once per process, as both are the process's."""
    log = LlamaLog()
    llama_cpp.llama_backend_init()
    return log
