"""A script in which each prompt has an answer of its own."""

from __future__ import annotations

import zlib

from codeassistd.testing.fake_script import FakeScript

__all__ = ["HashScript"]


class HashScript(FakeScript):
    """A token too many or too few in the cache shows, since the answer depends on the whole prompt."""

    def answer(self, prompt: str) -> str:
        """Some digits."""
        number = zlib.crc32(prompt.encode())
        return f"{number}"[: 1 + number % 9]
