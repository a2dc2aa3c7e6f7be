from __future__ import annotations

import stat
import sys
from pathlib import Path

from codeassistd.paths import keep_file


def test_a_kept_file_replaces_the_old_one_for_its_owner_only(tmp_path: Path) -> None:
    """The new content stands under the name, the unfinished file is gone, and others cannot read it."""
    part, target = tmp_path / "x.part", tmp_path / "x"
    part.write_text("new", encoding="utf-8")
    part.chmod(0o644)
    target.write_text("old", encoding="utf-8")
    keep_file(part, target)
    assert "new" == target.read_text(encoding="utf-8")
    assert [target] == list(tmp_path.iterdir())
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(target.stat().st_mode)
