from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from codeassistd.cli.text_file import read_text_file
from codeassistd.errors import UsageError


def refused(name: Path | str) -> str:
    with pytest.raises(UsageError) as caught:
        read_text_file(name)
    return str(caught.value)


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    """Editors do not show it."""
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    assert "x = 1\n" == read_text_file(tmp_path / "a.py")


@pytest.mark.skipif(sys.platform == "win32", reason="neither devices nor pipes are files there")
def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    """A device would fill the memory, and a pipe that nobody writes to would be waited for without end."""
    os.mkfifo(tmp_path / "pipe")
    assert "/dev/zero is a device or a pipe; name a file" == refused("/dev/zero")
    assert f"{tmp_path / 'pipe'} is a device or a pipe; name a file" == refused(tmp_path / "pipe")


def test_what_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    """Its size is looked at first; this one has holes and takes no room."""
    with (tmp_path / "a.py").open("wb") as file:
        file.truncate(65 * 1_048_576)
    assert f"{tmp_path / 'a.py'} is larger than 64 MiB; name a file of source text" == refused(tmp_path / "a.py")


def test_what_cannot_be_read_is_told_in_the_systems_words(tmp_path: Path) -> None:
    """Each names the file as the user has written it."""
    (tmp_path / "b.py").write_bytes(b"a\xe9")
    assert f"there is no file {tmp_path / 'none.py'}" == refused(tmp_path / "none.py")
    assert f"{tmp_path / 'b.py'} is not UTF-8 (byte 1); save it as UTF-8" == refused(tmp_path / "b.py")
    if sys.platform != "win32":
        assert f"{tmp_path} cannot be read: Is a directory" == refused(tmp_path)
