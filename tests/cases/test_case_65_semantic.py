"""Case 65: nothing of secret or ignored files (the semantic cache's half)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from codeassistd.config import CompletionSettings, IndexSettings, Settings
from codeassistd.testing.fake_script import Rule
from tests.support.indexing import repository, write
from tests.support.lsp_daemon import lsp_daemon

#: Each file has a line of its own, and so a key.
FILES = {".gitignore": "build/\n", ".env": "key_ = ", "build/made.py": "made = ", "shop.py": "shop = "}


@pytest.mark.slow
async def test_answers_in_secret_and_ignored_files_are_not_kept(tmp_path: Path) -> None:
    """Also where suggestions in ignored files are wanted; those in other files are kept, told of and cleared."""
    root = repository(tmp_path / "shop")
    write(root, FILES)
    settings = Settings(
        index=IndexSettings(enabled=False), completion=CompletionSettings(ignored_files=True, follow_up="off")
    )
    rule = Rule.after(" = ", "sum(items)")
    async with lsp_daemon(tmp_path / "home", rule, settings=settings) as running, running.editor(root) as client:
        cache = running.daemon.completion.semantic
        for name, n_items in ((".env", 0), ("build/made.py", 1), ("shop.py", 1)):
            uri = (root / name).as_uri()
            client.open(uri, FILES[name])
            assert n_items == len(await client.complete(uri, 0, 7))
        await running.until(lambda: cache.status()["n_keys"] != 0)
        await running.until(lambda: running.daemon.engine.status().n_running == 0)
        cache.flush()
        assert 1 == cache.status()["n_keys"]
        n_files, _ = await asyncio.wrap_future(cache.clear())
        assert (True, 0) == (n_files >= 1, cache.status()["n_keys"])
