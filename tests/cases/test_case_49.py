"""Case 49: files that are not UTF-8."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.indexing import running, write

FILES: dict[str, str | bytes] = {
    "latin.py": "# años\ndef añadir_nota():\n    pass\n".encode("latin-1"),
    "cp1252.py": "def quoted():\n    return '“x”'\n".encode("cp1252"),
    "utf16.py": "def añadir_dos():\n    pass\n".encode("utf-16"),
    "binary.py": b"\x7fELF\x02\x01\x01\x00" + bytes(64),
    "plain.py": "def añadir_tres():\n    pass\n",
    "marked.py": b"\xef\xbb\xbfdef alpha():\n    pass\n",
}


@pytest.mark.slow
def test_every_encoding_has_its_fate_and_no_name_is_cut(tmp_path: Path) -> None:
    """The run ends well, names keep their letters, each fate is counted, and no file is rewritten."""
    root = tmp_path / "root"
    write(root, FILES)
    with running(tmp_path / "home", root) as run:
        expected = {
            "latin.py": ["añadir_nota"],
            "cp1252.py": ["quoted"],
            "utf16.py": ["añadir_dos"],
            "binary.py": [],
            "plain.py": ["añadir_tres"],
            "marked.py": ["alpha"],
        }
        assert expected == run.rows()
        verdicts = {"indexed": 2, "indexed: as cp1252": 2, "indexed: as utf-16-le": 1, "skipped: not text": 1}
        assert verdicts == run.workspace().verdicts
    assert {name: content if isinstance(content, bytes) else content.encode() for name, content in FILES.items()} == {
        path.name: path.read_bytes() for path in root.iterdir()
    }
