"""The table of scenarios in `editors/README.md` names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = {
    "N": "test_neovim.py",
    "V": "test_vscode.py",
    "NL": "test_neovim_life.py",
    "VL": "test_vscode_life.py",
    "NC": "test_neovim_chat.py",
    "VC": "test_vscode_chat.py",
}
ROW = re.compile(r"^\| [^|]+ \| `(test_\w+)` \| ([A-Z ]+) \|$", re.MULTILINE)


def test_each_named_test_is_there() -> None:
    """In each file that the row names."""
    rows = ROW.findall((HERE.parents[1] / "editors/README.md").read_text(encoding="utf-8"))
    texts = {key: (HERE / name).read_text(encoding="utf-8") for key, name in FILES.items()}
    absent = [(name, key) for name, keys in rows for key in keys.split() if f"def {name}(" not in texts[key]]

    assert [] == absent
    assert len(rows) > 20
