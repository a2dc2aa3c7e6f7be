"""Odd files: empty, broken, deep, with every kind of line end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.syntax import grammar
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.extract import extract
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text
from tests.support.corpus import corpus_files

NAMES = [language.name for language in Languages.default()]


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_file_has_empty_facts(name: str) -> None:
    """Nothing is read from nothing, without a problem."""
    assert FileFacts(name) == extract(name, b"")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("opener", ["(", "[", "{", "f(", "<", "*"])
def test_two_thousand_nested_brackets(name: str, opener: str) -> None:
    """Nesting of any depth is read without running out of stack."""
    assert name == extract(name, (opener * 2000).encode()).language
    assert name == extract(name, b"x = " + b"(" * 2000 + b"1" + b")" * 2000).language


def test_two_thousand_nested_definitions() -> None:
    """Of definitions nested deeper than anyone writes, the 32 outer ones are read."""
    facts = extract("javascript", b"function f() {" * 2000 + b"}" * 2000)

    assert [".".join(["f"] * depth) for depth in range(1, 33)] == [symbol.qualified_name for symbol in facts.symbols]


def test_broken_code_gives_what_can_be_read() -> None:
    """What stands before and behind a broken place is read all the same."""
    facts = extract("python", b"def one(): pass\n\nclass Broken(:\n    x = (\n\ndef two(a): pass\n")

    assert {"one", "two"} <= {symbol.name for symbol in facts.symbols}


def test_a_head_of_blank_lines_and_a_giant_table_are_read_in_no_time() -> None:
    """Heads are folded in time linear in their length, and only the start of a long one is read."""
    blank = extract("python", b"def f(a," + b"\n" * 20_000 + b"b): pass\n")
    table = extract("python", b"X = [\n" + b"    1234,\n" * 5_000 + b"]\n")

    assert ["def f(a"] == [symbol.signature for symbol in blank.symbols]
    assert 240 == len(table.symbols[0].signature)
    assert "X = [1234, 1234," == table.symbols[0].signature[:16]


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_of_other_systems(line_end: str) -> None:
    """With CRLF or CR, lines, signatures and documentation are those of the same file with LF."""
    source = '"""Doc."""\n\n\ndef f(\n    a,\n    b,\n):\n    """Says\n    much."""\n    return a\n\n\n# Why.\nX = 1\n'
    unix = extract("python", source.encode())
    other = extract("python", source.replace("\n", line_end).encode())

    assert [("f", "def f(a, b)", "Says", 3), ("X", "X = 1", "Why.", 13)] == [
        (symbol.name, symbol.signature, symbol.doc, symbol.line) for symbol in unix.symbols
    ]
    if line_end == "\r\n":
        assert [(symbol.name, symbol.signature, symbol.doc, symbol.line) for symbol in other.symbols] == [
            (symbol.name, symbol.signature, symbol.doc, symbol.line) for symbol in unix.symbols
        ]
        assert [(chunk.name, chunk.line, chunk.end_line) for chunk in other.chunks] == [
            (chunk.name, chunk.line, chunk.end_line) for chunk in unix.chunks
        ]


def test_other_encodings_are_a_problem_not_a_cut_name() -> None:
    """Bytes that are not UTF-8 are refused as a whole: no name is cut at the letter that cannot be read."""
    facts = extract("python", "def añadir(): pass\n".encode("latin-1"))

    assert ((), ("not UTF-8 at byte 5",)) == (facts.symbols, facts.problems)


def test_half_a_surrogate_pair_is_read_past() -> None:
    """Half a pair, which an editor may send, does not stop the reading."""
    facts = extract("python", "x = '\ud83d'\ndef f(): pass\n".encode("utf-8", "surrogatepass"))

    assert ["x", "f"] == [symbol.name for symbol in facts.symbols]


CORPUS = corpus_files()
LANGUAGE_OF = {name: language.name for name, _ in CORPUS if (language := Languages.default().by_path(name))}


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", [16, 100, 1000])
def test_windows_do_not_show_in_the_facts(n_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is queried in many windows has the facts of one that is queried at once."""
    whole = {name: extract(LANGUAGE_OF[name], text.content) for name, text in CORPUS}
    monkeypatch.setattr(grammar, "_WINDOW_BYTES", n_bytes)
    monkeypatch.setattr(grammar, "_MAX_WINDOWS", 1_000_000)

    assert whole == {name: extract(LANGUAGE_OF[name], text.content) for name, text in CORPUS}


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.sampled_from(CORPUS), st.data())
def test_facts_of_any_text_stand_at_their_places(corpus: tuple[str, object], data: st.DataObject) -> None:
    """Whatever was cut out of a file or put into it, each stored name stands at its stored place."""
    name, text = corpus
    letters = str(text)
    start = data.draw(st.integers(0, len(letters)))
    end = data.draw(st.integers(start, len(letters)))
    piece = data.draw(st.text("(){}[]<>'\"`#/*:;,.=@é😀\r\n\t ax", max_size=12))
    content = (letters[:start] + piece + letters[end:]).encode()
    facts = extract(LANGUAGE_OF[name], content)

    for symbol in facts.symbols:
        assert symbol.name == content[symbol.name_span.start : symbol.name_span.end].decode()
        assert symbol.span.start <= symbol.name_span.start < symbol.name_span.end <= symbol.span.end
        assert symbol.qualified_name.endswith(symbol.name.replace("::", ".")) or "::" in symbol.name
        assert "\n" not in symbol.signature + symbol.doc
    outline = DocumentFacts(Languages.default()).facts(name, LANGUAGE_OF[name], Text.of(content)).outline
    assert [entry.span.start for entry in outline] == sorted(entry.span.start for entry in outline)
    assert all("\n" not in entry.text for entry in outline)


@pytest.mark.parametrize(
    ("name", "source", "bases"),
    [
        ("python", "class A(B, pkg.C, D[int], metaclass=M):\n    class I(J): x = f(K)\n", {"A": "B C D", "A.I": "J"}),
        ("javascript", "class A extends pkg.B {}", {"A": "B"}),
        (
            "typescript",
            "class A<T> extends B<T> implements C, D<T> {}\ninterface E extends F {}",
            {"A": "B C D", "E": "F"},
        ),
        ("java", "class A extends B<T> implements C, D<T> {}\ninterface E extends F {}", {"A": "B C D", "E": "F"}),
        ("cpp", "class A : public B, private n::C<int> { class I : J {}; };", {"A": "B C", "A.I": "J"}),
        ("csharp", "class A<T> : B<T>, n.C where T : D { }", {"A": "B C"}),
        ("go", "package p\ntype A struct {\n\tB\n\t*C\n\tx D\n}\n", {"A": "B C"}),
        ("kotlin", "class A(x: D) : B<Int>(x), C {\n    class I : J\n}\n", {"A": "B C", "A.I": "J"}),
        ("swift", "class A<T: D>: B<T>, C {\n    class I: J {}\n}\n", {"A": "B C", "A.I": "J"}),
        ("ruby", "class A < N::B\n  include C\nend\n", {"A": "B C"}),
        ("php", "<?php class A extends B implements C, \\N\\D { use E; }", {"A": "B C D E"}),
    ],
)
def test_a_class_knows_the_names_of_its_bases(name: str, source: str, bases: dict[str, str]) -> None:
    """What a class is derived from is told by the last word of each name, for the innermost class alone."""
    symbols = extract(name, source.encode()).symbols

    assert bases == {symbol.qualified_name: " ".join(symbol.bases) for symbol in symbols if symbol.bases}


def test_html_round_php_is_no_code() -> None:
    """Of a page only what stands inside the marks of PHP is read."""
    facts = extract("php", b"<b>function no() {}</b>\n<?php function yes() {} ?>\n<i><?= call() ?></i>\n")

    assert (["yes"], ["call"]) == ([each.name for each in facts.symbols], [each.name for each in facts.references])


def test_a_symbol_that_names_a_member_is_read_without_its_colon() -> None:
    """Ruby's accessors are members, under the name they are called by."""
    facts = extract("ruby", b"class A\n  attr_reader :size\nend\n")

    assert [("A", 0), ("A.size", 1)] == [(each.qualified_name, each.line) for each in facts.symbols]


def test_names_under_conditions_are_names_of_what_the_conditions_stand_in() -> None:
    """Under any number of `if` and `try` a module's names are still its own; those inside a function are nobody's."""
    facts = extract(
        "python",
        b"if a:\n    try:\n        LIMIT = 1\n    except E:\n        pass\n    else:\n        pass\n"
        b"try:\n    plain = 1\nfinally:\n    pass\n"
        b"def f():\n    if a:\n        local = 1\n        try:\n            LOCAL = 2\n        finally:\n"
        b"            pass\n"
        b"class A:\n    if a:\n        size = 3\n",
    )

    assert [
        ("constant", "LIMIT"),
        ("variable", "plain"),
        ("function", "f"),
        ("class", "A"),
        ("field", "A.size"),
    ] == [(symbol.kind, symbol.qualified_name) for symbol in facts.symbols]
