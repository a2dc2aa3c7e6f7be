"""From the bytes of a file to its facts: the pure function that the index runs in its workers."""

from __future__ import annotations

from collections.abc import Callable

import tree_sitter

from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.grammar import Captures, Grammar, Pattern
from codeassistd.syntax.heads import Heads
from codeassistd.syntax.imports import ImportCollector
from codeassistd.syntax.languages import Language, Languages
from codeassistd.syntax.outline import OutlineCollector
from codeassistd.syntax.parser import parse
from codeassistd.syntax.source import Marks, Source
from codeassistd.syntax.tags import TagCollector
from codeassistd.text import Text

__all__ = ["extract", "facts_of"]

_BOM = b"\xef\xbb\xbf"


def extract(language_id: str, content: bytes) -> FileFacts:
    """Everything that can be read from a file.

    A byte-order mark is left out first, and all offsets count from behind it, as they do in every document of the
    daemon. Content must be UTF-8: it is the caller who guesses other encodings. Never raises for what is in a file.

    Args:
        language_id: LSP id or name of a language.
        content: the file; how much of it is sensible is the caller's choice (`ParseLimits`).
    """
    languages = Languages.default()
    language = languages.by_id(language_id)
    if language is None:
        return FileFacts(language_id, problems=(f"no grammar for the language {language_id!r}",))
    grammar = languages.grammar(language)
    if grammar is None:
        return FileFacts(language.name, problems=languages.problems_of(language))
    content = content.removeprefix(_BOM)
    try:
        content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        return FileFacts(language.name, problems=(f"not UTF-8 at byte {error.start}",))
    text = Text.of(content)
    return facts_of(language, grammar, text, parse(grammar, text), languages.problems_of(language))


def facts_of(
    language: Language, grammar: Grammar, text: Text, tree: tree_sitter.Tree, problems: tuple[str, ...] = ()
) -> FileFacts:
    """The facts of a text and the tree that was parsed from it."""
    source, marks = Source(text), Marks()
    tags, imports, outline = TagCollector(source), ImportCollector(source), OutlineCollector(source, language)
    takers: dict[str, Callable[[Pattern, Captures], None]] = {
        "tags": tags.add,
        "imports": imports.add,
        "outline": outline.add,
        "marks": marks.add,
    }
    for pattern, captures in grammar.matches(tree, len(text)):
        takers[pattern.section](pattern, captures)
    heads = Heads(source, marks)
    return FileFacts(
        language=language.name,
        symbols=tags.symbols(heads, marks),
        references=tags.references(),
        imports=imports.imports(),
        outline=outline.entries(heads),
        problems=problems,
    )
