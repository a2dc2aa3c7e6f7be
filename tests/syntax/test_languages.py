"""Finding a language, loading its grammar, and what happens when that fails."""

from __future__ import annotations

import dataclasses
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.resources import files
from pathlib import Path, PurePosixPath

import pytest

from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Language, Languages


def _named(name: str) -> Language:
    language = Languages.default().by_id(name)
    assert language is not None
    return language


def test_every_shipped_grammar_and_query_loads() -> None:
    """All languages load with all their queries."""
    languages = Languages.default()
    languages.load_all()

    assert () == languages.problems
    expected = "python javascript typescript tsx go rust java c cpp csharp ruby php lua bash kotlin swift"
    assert expected.split() == [language.name for language in languages]


def test_no_query_sets_anything_behind_a_predicate() -> None:
    """The binding gives up memory that it never had when it drops such a query, and the process dies later on."""
    folder = Path(str(files("codeassistd_grammars")))
    wrong = [
        path
        for path in sorted(folder.rglob("*.scm"))
        if re.search(r"#[\w-]+\?[^()]*\)\s*\(#set!", path.read_text("utf-8"))
    ]

    assert 16 <= len(list(folder.rglob("tags.scm")))
    assert [] == wrong


def test_threads_get_the_same_grammar() -> None:
    """One of them loads it, and the others wait: its queries are compiled once."""
    languages, ruby = Languages(Languages.default()), _named("ruby")
    with ThreadPoolExecutor(4) as pool:
        grammars = list(pool.map(lambda _: languages.grammar(ruby), range(4)))
        patterns = list(pool.map(lambda grammar: grammar.whole, grammars))

    assert all(grammar is grammars[0] for grammar in grammars)
    assert all(each is patterns[0] for each in patterns)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.py", "python"),
        ("stubs/b.pyi", "python"),
        ("SConstruct", "python"),
        ("x.min.js", "javascript"),
        ("View.jsx", "javascript"),
        ("types.d.ts", "typescript"),
        ("View.tsx", "tsx"),
        ("main.go", "go"),
        ("lib.rs", "rust"),
        ("Main.java", "java"),
        ("main.c", "c"),
        ("shape.h", "cpp"),
        ("shape.hpp", "cpp"),
        ("shape.C", "cpp"),
        ("Program.cs", "csharp"),
        ("app.rb", "ruby"),
        ("Rakefile", "ruby"),
        ("page.php", "php"),
        ("init.lua", "lua"),
        ("build.sh", "bash"),
        (".bashrc", "bash"),
        ("build.gradle.kts", "kotlin"),
        ("App.swift", "swift"),
        ("LOUD.PY", "python"),
    ],
)
def test_a_path_names_a_language(path: str, name: str) -> None:
    """A file's language follows from its name, whatever kind of path it comes as."""
    languages = Languages.default()

    assert languages.by_path(path) is _named(name)
    assert languages.by_path(PurePosixPath(path)) is _named(name)


@pytest.mark.parametrize("path", ["README.md", "Makefile", "py", ".py", "a.py/b", ""])
def test_other_paths_name_none(path: str) -> None:
    """A file of no known language has none."""
    assert None is Languages.default().by_path(path)


@pytest.mark.parametrize(
    ("lsp_id", "name"), [("typescriptreact", "tsx"), ("javascriptreact", "javascript"), ("tsx", "tsx"), ("cpp", "cpp")]
)
def test_an_lsp_id_names_a_language(lsp_id: str, name: str) -> None:
    """Editors' ids and our own names both lead to a language."""
    assert Languages.default().by_id(lsp_id) is _named(name)
    assert None is Languages.default().by_id("cobol")


def test_a_grammar_that_does_not_load_turns_itself_off() -> None:
    """A missing grammar is one named problem, and the other languages are not touched."""
    languages = Languages([replace(_named("go"), grammar="tree_sitter_nowhere:language"), _named("python")])
    go, python = languages

    assert None is languages.grammar(go)
    assert languages.grammar(python) is not None
    assert ("go: the grammar tree_sitter_nowhere:language does not load: No module named 'tree_sitter_nowhere'",) == (
        languages.problems
    )


def test_a_query_that_does_not_compile_turns_itself_off(tmp_path: Path) -> None:
    """A broken query is one named problem; the language's other queries still work."""
    (tmp_path / "go").mkdir()
    (tmp_path / "go" / "tags.scm").write_text("(function_declaration name: (identifier) @name) @definition.function")
    (tmp_path / "go" / "imports.scm").write_text("(no_such_node) @import.module")
    languages = Languages([_named("go")], tmp_path)
    languages.load_all()
    (problem,) = languages.problems
    assert (problem,) == languages.problems_of(_named("go"))
    grammar = languages.grammar(_named("go"))

    assert "go: the query go/imports.scm does not compile: " == problem[: problem.index("Invalid")]
    assert grammar is not None
    assert ["definition.function"] == [pattern.main for pattern in grammar.facts.patterns]


def test_parsers_are_checked_without_their_queries(tmp_path: Path) -> None:
    """What does not load is named; queries are not looked at until a file needs them."""
    (tmp_path / "go").mkdir()
    (tmp_path / "go" / "tags.scm").write_text("(no_such_node) @definition.function")
    lost = dataclasses.replace(_named("python"), grammar="tree_sitter_lost:language")
    languages = Languages([lost, _named("go")], tmp_path)
    languages.load_bindings()
    assert ("python: the grammar tree_sitter_lost:language does not load: No module named 'tree_sitter_lost'",) == (
        languages.problems
    )

    grammar = languages.grammar(_named("go"))
    assert grammar is not None
    assert () == grammar.facts.patterns
    assert ["go", "python"] == [problem.partition(":")[0] for problem in languages.problems]
    assert languages.grammar(lost) is None


def test_languages_travel_to_workers_without_their_grammars() -> None:
    """Pickled languages carry the table only, also after grammars were loaded."""
    languages = Languages.default()
    languages.load_all()
    travelled = pickle.loads(pickle.dumps(languages))

    assert list(languages) == list(travelled)
    assert () == travelled.problems
    assert travelled.grammar(_named("python")) is not None


def test_an_unknown_language_has_a_problem_and_no_facts() -> None:
    """A language without a grammar is a value that says so, not an error."""
    facts = extract("cobol", b"DISPLAY 'HELLO'.")

    assert ("cobol", (), ("no grammar for the language 'cobol'",)) == (facts.language, facts.symbols, facts.problems)
