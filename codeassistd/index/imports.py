"""Whether an import reaches a file, judged by the two paths alone.

Nothing is looked up: search paths, aliases and build files differ from project to project, but in nearly all of them
the path of a module's file ends in the module's name. So a module is turned into the path endings its files can have,
and a relative one into the one place it can mean. Wrong guesses cost little, since this only ranks definitions that
have the right name already.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache

from codeassistd.syntax.facts import Import

__all__ = ["OWN_PACKAGE", "PACKAGE_LANGUAGES", "reaches"]

OWN_PACKAGE = Import(".", "", "", 0)
"""The import that nobody writes: of the folder that a file of `PACKAGE_LANGUAGES` lies in."""
PACKAGE_LANGUAGES = frozenset({"go", "java", "kotlin", "csharp", "swift"})
"""Languages whose files see what others of their folder define."""
_SCRIPT_SUFFIX = re.compile(r"\.(?:d\.ts|[cm]?[jt]sx?|json)$")
_HEADER_SUFFIX = re.compile(r"\.(?:h|hh|hpp|hxx|inl|c|cc|cpp|cxx)$")
#: Answers that are kept; a file with a hundred imports asks for some thousands.
_MAX_KNOWN = 16_384
_Reach = Callable[[Import, str, str], bool]


def reaches(imported: Import, language: str, asking: str, candidate: str) -> bool:
    """Whether `imported`, written in the file `asking`, can mean the file `candidate`.

    Args:
        imported: as the parser reads it, with the module as it is written in the source.
        language: of the file `asking`.
        asking: path relative to the workspace, with `/`.
        candidate: like `asking`.
    """
    return _reaches(imported.module, imported.name, language, asking, candidate)


@lru_cache(maxsize=_MAX_KNOWN)
def _reaches(module: str, name: str, language: str, asking: str, candidate: str) -> bool:
    """The answer, kept: who types in a file asks for the same pairs of paths again and again."""
    if module == OWN_PACKAGE.module and language in PACKAGE_LANGUAGES:
        return _is_of_package(asking, candidate)
    reach = _BY_LANGUAGE.get(language)
    return reach is not None and bool(module or name) and reach(Import(module, name, "", 0), asking, candidate)


def _is_of_package(asking: str, candidate: str) -> bool:
    """Whether two files lie in one folder; what Go's tests of a package define, its other files do not see."""
    is_beside = posixpath.dirname(asking) == posixpath.dirname(candidate)
    is_like = posixpath.splitext(asking)[1] == posixpath.splitext(candidate)[1]
    return is_beside and is_like and (asking.endswith("_test.go") or not candidate.endswith("_test.go"))


def _python(imported: Import, asking: str, candidate: str) -> bool:
    """`a.b` is a/b.py or a/b/__init__.py; each leading dot after the first goes one folder up."""
    own = f"/{candidate}".removesuffix(".py").removesuffix(".pyi").removesuffix("/__init__")[1:]
    module = imported.module.lstrip(".")
    n_dots = len(imported.module) - len(module)
    parts = module.split(".") if module else []
    # `from a import b` can mean the name b in the module a, or the module a.b.
    wanted = [parts, [*parts, imported.name]] if imported.name else [parts]
    if not n_dots:
        return any(_ends_in(own, "/".join(ending)) for ending in wanted)
    folder = asking.split("/")[:-n_dots]
    return any(own == "/".join([*folder, *place]) for place in wanted)


def _script(imported: Import, asking: str, candidate: str) -> bool:
    """`./a` is a.ts, a.js, a/index.ts ...; other names may be aliases of a path that ends alike."""
    own = _SCRIPT_SUFFIX.sub("", candidate)
    wanted = _SCRIPT_SUFFIX.sub("", imported.module)
    if wanted.startswith("."):
        wanted = _joined(posixpath.dirname(asking), wanted)
        return own in {wanted, _joined(wanted, "index")}
    wanted = wanted.lstrip("@~/")
    return _ends_in(own, wanted) or _ends_in(own, f"{wanted}/index")


def _java(imported: Import, asking: str, candidate: str) -> bool:
    """`a.b.C` is a/b/C.java; a static import names a member of a class, and `*` means all of a folder or class."""
    del asking
    own, wanted = candidate.removesuffix(".java"), imported.module.replace(".", "/")
    if imported.name == "*":
        return _ends_in(posixpath.dirname(own), wanted) or _ends_in(own, wanted)
    return _ends_in(own, f"{wanted}/{imported.name}".strip("/")) or _ends_in(own, wanted)


def _go(imported: Import, asking: str, candidate: str) -> bool:
    """An import path ends in the folder of the package; what precedes it is the module's address."""
    del asking
    folder, wanted = posixpath.dirname(candidate), imported.module.strip("\"'`")
    return bool(folder) and _ends_in(wanted, folder)


def _rust(imported: Import, asking: str, candidate: str) -> bool:
    """`crate::a::B` is src/a.rs or src/a/mod.rs; `self` and `super` count from the asking module."""
    parts = [part for part in f"{imported.module}::{imported.name}".replace(":", " ").split() if part != "*"]
    own = candidate.removesuffix(".rs").removesuffix("/mod").removesuffix("/lib")
    here = asking.removesuffix(".rs").removesuffix("/mod").removesuffix("/lib").split("/")
    if parts and parts[0] in {"self", "super"}:
        n_up = parts.count("super")
        wanted = [*here[: len(here) - n_up], *(part for part in parts if part not in {"self", "super"})]
        return own in {"/".join(wanted), "/".join(wanted[:-1])}
    wanted = [part for part in parts if part != "crate"]
    return any(_ends_in(own, "/".join(ending)) for ending in (wanted, wanted[:-1]) if ending)


def _c(imported: Import, asking: str, candidate: str) -> bool:
    """A header and the source file of the same name, beside the asking file or at the end of any path."""
    wanted = _HEADER_SUFFIX.sub("", imported.module.strip("<>\"'"))
    own = _HEADER_SUFFIX.sub("", candidate)
    return own == _joined(posixpath.dirname(asking), wanted) or _ends_in(own, wanted.lstrip("./"))


def _ends_in(path: str, ending: str) -> bool:
    """Whether the last parts of `path` are those of `ending`."""
    return bool(ending) and (path == ending or path.endswith(f"/{ending}"))


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder or ".", path)) if path else posixpath.normpath(folder or ".")


_BY_LANGUAGE: dict[str, _Reach] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "java": _java,
    "go": _go,
    "rust": _rust,
    "c": _c,
    "cpp": _c,
}
