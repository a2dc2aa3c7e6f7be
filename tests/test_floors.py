"""The house stands: a room imports only from floors below it, and each outside library has one door."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
FLOORS: dict[str, int] = {
    "codeassistd.cli": 8,
    "codeassistd.__main__": 9,
    "codeassistd.tuning": 7,
    "codeassistd_lsp": 6,
    "codeassistd.bench": 6,
    "codeassistd.evals": 6,
    "codeassistd.setup": 6,
    "codeassistd.daemon": 5,
    "codeassistd.completion": 4,
    "codeassistd.chat": 4,
    "codeassistd.context": 3,
    "codeassistd.index": 2,
    "codeassistd.documents": 1,
    "codeassistd.syntax": 1,
    "codeassistd.engine": 1,
    "codeassistd.catalogue": 1,
    "codeassistd.metrics": 0,
    "codeassistd.text": 0,
    "codeassistd.config": 0,
    "codeassistd.config_hub": 0,
    "codeassistd.config_layers": 0,
    "codeassistd.errors": 0,
    "codeassistd.clock": 0,
    "codeassistd.log": 0,
    "codeassistd.paths": 0,
    "codeassistd.streams": 0,
    "codeassistd.wildcards": 0,
    "codeassistd_grammars": -1,
    "codeassistd_models": -1,
}
#: Rooms of the ground floor may look at each other: they have no rooms of their own below.
GROUND = 0
TESTING_CEILING = 5
#: Rooms that measure stand where tests stand, so they may use the side room of the tests.
MEASURING = ("codeassistd.bench", "codeassistd.evals")
#: The scripted daemon of the tests is the same assembly as `serve`, so it needs the server too.
TESTING_EXCEPTIONS = {"codeassistd.testing.serve": {"codeassistd_lsp"}}

#: Which files may import a library; everything else must go through them.
DOORS: dict[str, tuple[str, ...]] = {
    "llama_cpp": ("codeassistd/engine/llama/",),
    "sqlite3": ("store.py", "schema.py"),
    "sqlite_utils": ("store.py", "schema.py"),
    "tree_sitter": ("codeassistd/syntax/",),
    "pygls": ("lsp/codeassistd_lsp/",),
    "lsprotocol": ("lsp/codeassistd_lsp/",),
    "watchdog": ("codeassistd/index/watcher.py",),
    "jinja2": ("codeassistd/chat/template_child.py",),
    "diskcache": ("codeassistd/completion/semantic/store.py",),
    "structlog": ("codeassistd/log.py",),
    "prometheus_client": ("codeassistd/metrics/registry.py",),
    "httpx": ("codeassistd/catalogue/",),
    "typer": ("codeassistd/cli/",),
    "rich": ("codeassistd/cli/",),
    "time": (
        "codeassistd/clock.py",
        "codeassistd/daemon/",
        "codeassistd/cli/",
        "codeassistd/index/workers.py",
        "codeassistd/testing/scratch.py",
    ),
}
#: What the stdio proxy loads, and so what may import the standard library and each other only.
PROXY_MODULES = (
    "codeassistd/__init__.py",
    "codeassistd/__main__.py",
    "codeassistd/errors.py",
    "codeassistd/paths.py",
    "codeassistd/streams.py",
    "codeassistd/text.py",
    "codeassistd/cli/__init__.py",
    "codeassistd/cli/entry.py",
    "codeassistd/daemon/__init__.py",
    "codeassistd/daemon/capabilities.py",
    "codeassistd/daemon/connection.py",
    "codeassistd/daemon/editor_state.py",
    "codeassistd/daemon/notebook_state.py",
    "codeassistd/daemon/footprint.py",
    "codeassistd/daemon/frames.py",
    "codeassistd/daemon/hello.py",
    "codeassistd/daemon/launcher.py",
    "codeassistd/daemon/link.py",
    "codeassistd/daemon/lock.py",
    "codeassistd/daemon/proxy.py",
    "codeassistd/daemon/transport.py",
    "codeassistd/daemon/relay.py",
)


def sources() -> Iterator[tuple[str, Path]]:
    """Every module of ours: its dotted name and its file."""
    for top in (REPO, REPO / "lsp", REPO / "grammars", REPO / "models"):
        for package in sorted(top.glob("codeassistd*")):
            for file in sorted(package.rglob("*.py")):
                parts = file.relative_to(top).with_suffix("").parts
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def imports(file: Path) -> set[str]:
    """Dotted names of everything a file imports, at any depth of the code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "codeassistd"}
    return found


def room(module: str) -> str | None:
    """The room a module belongs to; None for modules that are not ours."""
    if module.partition(".")[0] not in {"codeassistd", "codeassistd_lsp", "codeassistd_grammars", "codeassistd_models"}:
        return None
    return next((name for name in FLOORS if module == name or module.startswith(f"{name}.")), None)


def test_every_module_belongs_to_a_room() -> None:
    """A new room needs a floor before anything can be put in it."""
    strangers = [
        name
        for name, _ in sources()
        if name != "codeassistd" and not name.startswith("codeassistd.testing") and room(name) is None
    ]
    assert [] == strangers


def may_import(own: str, other: str | None) -> bool:
    """Whether a module of room `own` may import one of room `other` (None: not ours)."""
    if other is None or other == own:
        return True
    return FLOORS[other] < FLOORS[own] or FLOORS[other] == FLOORS[own] == GROUND


def test_rooms_import_only_from_floors_below() -> None:
    """No room looks up, no room looks at a stranger on its own floor, and none depends on the fakes."""
    wrong = [
        f"{name} -> {target}"
        for name, file in sources()
        if (own := room(name)) is not None
        for target in imports(file)
        if (target.startswith("codeassistd.testing") and own not in MEASURING) or not may_import(own, room(target))
    ]
    assert [] == sorted(wrong)


def test_the_testing_room_stays_below_the_server() -> None:
    """Fakes may use floors up to the daemon's; only the scripted daemon knows the server."""
    wrong = []
    for name, file in sources():
        if not name.startswith("codeassistd.testing"):
            continue
        for target in imports(file):
            other = room(target)
            if (
                other is not None
                and FLOORS[other] > TESTING_CEILING
                and other not in TESTING_EXCEPTIONS.get(name, set())
            ):
                wrong.append(f"{name} -> {target}")
    assert [] == sorted(wrong)


@pytest.mark.parametrize("library", sorted(DOORS))
def test_each_outside_library_has_one_door(library: str) -> None:
    """What touches the outside can be found, faked and replaced in one place."""
    wrong = []
    for _, file in sources():
        relative = file.relative_to(REPO).as_posix()
        if any(door in relative for door in DOORS[library]):
            continue
        wrong += [relative for target in imports(file) if target.split(".")[0] == library]
    assert [] == wrong


@pytest.mark.parametrize("relative", PROXY_MODULES)
def test_the_proxys_modules_import_only_the_standard_library(relative: str) -> None:
    """The proxy answers within milliseconds because nothing heavy is in reach of its imports."""
    foreign = {
        target
        for target in imports(REPO / relative)
        if target.split(".")[0] not in sys.stdlib_module_names and not target.startswith("codeassistd")
    }
    assert set() == foreign
