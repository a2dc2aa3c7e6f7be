"""URIs of editors lead to the files they mean, and to no others."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest

from codeassistd.documents.uri import _local_path, path_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/a.py", "/home/me/a.py"),
        ("file://localhost/home/me/a.py", "/home/me/a.py"),
        ("file:///a%20b/%C3%A9%23%3F.py", "/a b/é#?.py"),
        ("file:///a+b.py", "/a+b.py"),
        ("file:///", "/"),
    ],
)
def test_file_uris_have_a_path(uri: str, path: str) -> None:
    """Percent-encoding is undone, and plus stays plus."""
    assert PurePosixPath(path) == _local_path(uri, PurePosixPath)


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "git:/home/me/a.py?ref",
        "vscode-remote://ssh/home/me/a.py",
        "file://server/share/a.py",
        "file:relative.py",
        "file:///a%00b",
        "file://[broken",
        "/home/me/a.py",
        "",
    ],
)
def test_other_uris_have_none(uri: str) -> None:
    """Untitled buffers, other schemes, other machines and impossible names have no path."""
    assert _local_path(uri, PurePosixPath) is None


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/me/a.py", "c:/Users/me/a.py"),
        ("file:///C:/Users/me/a.py", "C:/Users/me/a.py"),
        ("file://server/share/a.py", "//server/share/a.py"),
        ("file:///no/drive", None),
    ],
)
def test_windows_paths(uri: str, path: str | None) -> None:
    """A drive letter, encoded or not, and a network share; a path without a drive is none."""
    assert (None if path is None else PureWindowsPath(path)) == _local_path(uri, PureWindowsPath)


def test_names_that_are_not_utf8_survive() -> None:
    """A file name is bytes on Unix."""
    path = path_of("file:///a/%FF.py")
    assert path is not None
    assert "file:///a/%FF.py" == uri_of(path)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (PurePosixPath("/a b/é.py"), "file:///a%20b/%C3%A9.py"),
        (PureWindowsPath("C:/x/a.py"), "file:///C:/x/a.py"),
        (PureWindowsPath("//server/share/a.py"), "file://server/share/a.py"),
    ],
)
def test_paths_have_a_uri(path: PurePosixPath | PureWindowsPath, uri: str) -> None:
    """As editors write it."""
    assert uri == uri_of(path)


def test_a_relative_path_has_no_uri() -> None:
    """There is nothing it could be relative to."""
    with pytest.raises(ValueError, match="only an absolute path has a URI"):
        uri_of(PurePosixPath("a.py"))
