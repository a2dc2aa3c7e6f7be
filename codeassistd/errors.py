"""The exceptions of the program, each with one line that says what is wrong and what to do.

    CodeassistdError
    ├── ConfigError            a setting, flag or file is wrong                     (exit code 2)
    ├── UsageError             an argument cannot be used as given                  (exit code 2)
    ├── ModelError             a model cannot be had or used
    │   ├── UnknownModelError  no such name or path                                 (exit code 2)
    │   ├── LicenceError       the licence has not been accepted                    (exit code 2)
    │   ├── PullError          the download failed: network, hash or space
    │   └── ModelLoadError     the file is missing, of a wrong type, too big
    │       └── ModelFileError no GGUF file, or one that is cut off or damaged      (exit code 2)
    ├── EngineError            the engine cannot do what was asked
    │   ├── NotReadyError      no model is loaded (yet)
    │   ├── PromptTooLongError the prompt does not fit the context
    │   └── DecodeError        the backend failed in one step
    ├── StoreError             a database cannot be used (newer schema, foreign mount)
    └── DaemonError            the daemon cannot be reached, started or stopped
        ├── AlreadyRunningError  another daemon of this user holds the lock        (exit code 3)
        └── SocketTakenError   something that is not our socket lies at its path   (exit code 2)

Broken source code, a missing grammar or a stale row are values, not exceptions; cancelling is not an error.
Standard library only, since the proxy uses it.
"""

from __future__ import annotations

__all__ = [
    "AlreadyRunningError",
    "CodeassistdError",
    "ConfigError",
    "DaemonError",
    "DecodeError",
    "EngineError",
    "LicenceError",
    "ModelError",
    "ModelFileError",
    "ModelLoadError",
    "NotReadyError",
    "PromptTooLongError",
    "PullError",
    "SocketTakenError",
    "StoreError",
    "UnknownModelError",
    "UsageError",
]


class CodeassistdError(Exception):
    """Base of all our exceptions; `str()` is one line for the user."""

    exit_code = 1


class ConfigError(CodeassistdError):
    """A setting, flag or configuration file is wrong."""

    exit_code = 2


class UsageError(CodeassistdError):
    """An argument cannot be used as given."""

    exit_code = 2


class ModelError(CodeassistdError):
    """A model cannot be had or used."""


class UnknownModelError(ModelError):
    """No model has this name, and no file this path."""

    exit_code = 2


class LicenceError(ModelError):
    """The model's licence must be accepted first."""

    exit_code = 2


class PullError(ModelError):
    """A download failed: no network, wrong hash or no space."""


class ModelLoadError(ModelError):
    """A model file is missing, of a wrong type or too big for this machine."""


class ModelFileError(ModelLoadError):
    """What was named is no GGUF file, or one that is cut off or damaged: nothing could load it anywhere."""

    exit_code = 2


class EngineError(CodeassistdError):
    """The engine cannot do what was asked."""


class NotReadyError(EngineError):
    """No model is loaded, or not yet."""


class PromptTooLongError(EngineError):
    """The prompt and its output do not fit the context."""

    def __init__(self, n_prompt: int, n_max: int) -> None:
        super().__init__(f"the prompt has {n_prompt} tokens, but the context leaves room for {n_max}")
        self.n_prompt = n_prompt
        self.n_max = n_max


class DecodeError(EngineError):
    """The backend failed in one step; the cache was cleared."""


class StoreError(CodeassistdError):
    """A database cannot be used."""


class DaemonError(CodeassistdError):
    """The daemon cannot be reached, started or stopped."""


class AlreadyRunningError(DaemonError):
    """Another daemon of this user and version holds the lock; its own exit code lets a starter tell this apart."""

    exit_code = 3


class SocketTakenError(DaemonError):
    """Something that is not our socket lies at the socket's path; it is left alone."""

    exit_code = 2
