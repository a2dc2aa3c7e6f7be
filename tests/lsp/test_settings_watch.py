"""Changes of workspaces' settings files."""

from __future__ import annotations

import os
from pathlib import Path

from codeassistd.testing.fake_clock import FakeClock
from codeassistd_lsp.settings_watch import SettingsWatch


async def test_a_change_is_seen_once_a_second_at_most(tmp_path: Path) -> None:
    """Until the file is read again it stays changed; of the same size and time it is the same."""
    file, clock = tmp_path / ".codeassistd.toml", FakeClock()
    watch = SettingsWatch(clock)
    watch.reading(tmp_path)
    file.write_text("a")
    assert not watch.has_changed(tmp_path)
    await clock.advance(0.9)
    assert not watch.has_changed(tmp_path)
    await clock.advance(0.1)
    assert watch.has_changed(tmp_path)
    assert not watch.has_changed(tmp_path)
    await clock.advance(1.0)
    assert watch.has_changed(tmp_path)
    watch.reading(tmp_path)
    await clock.advance(1.0)
    assert not watch.has_changed(tmp_path)


async def test_time_and_size_tell(tmp_path: Path) -> None:
    """Another text of the same length has another time; files copied with their times have another size."""
    file, clock = tmp_path / ".codeassistd.toml", FakeClock()
    watch = SettingsWatch(clock)
    file.write_text("a")
    os.utime(file, ns=(10**18, 10**18))
    watch.reading(tmp_path)
    for text, time_ns, changed in [("b", 10**18 + 1, True), ("ab", 10**18, True), ("a", 10**18, False)]:
        file.write_text(text)
        os.utime(file, ns=(time_ns, time_ns))
        await clock.advance(1.0)
        assert changed is watch.has_changed(tmp_path)


async def test_a_workspace_that_was_left_is_not_looked_at(tmp_path: Path) -> None:
    """Nor is one that was never read."""
    clock = FakeClock()
    watch = SettingsWatch(clock)
    watch.reading(tmp_path)
    watch.forget(tmp_path)
    (tmp_path / ".codeassistd.toml").write_text("a")
    await clock.advance(1.0)
    assert not watch.has_changed(tmp_path)
