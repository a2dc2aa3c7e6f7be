"""Where the Hugging Face hub is, and who asks there: read from the variables that its own tools use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from codeassistd.errors import ConfigError

__all__ = ["HubAccess"]


@dataclass(frozen=True, slots=True)
class HubAccess:
    """The hub's address (a mirror's, where `HF_ENDPOINT` says so) and the user's token for models behind a form.

    Attributes:
        endpoint: without a slash at the end.
        token: from `HF_TOKEN`; empty for nobody. Never printed.
    """

    endpoint: str = "https://huggingface.co"
    token: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> HubAccess:
        """Read `HF_ENDPOINT` and `HF_TOKEN`.

        Raises:
            ConfigError: the endpoint is not an http(s) address.
        """
        env = os.environ if environ is None else environ
        endpoint = env.get("HF_ENDPOINT", "").rstrip("/") or cls().endpoint
        if not endpoint.startswith(("https://", "http://")):
            raise ConfigError(f"HF_ENDPOINT is {endpoint!r}, but must begin with https:// or http://")
        return cls(endpoint, env.get("HF_TOKEN", "").strip())
