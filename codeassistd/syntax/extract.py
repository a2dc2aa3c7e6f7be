"""From the bytes of a file to its facts: the pure function that the index runs in its workers."""

from __future__ import annotations

from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import parse_whole
from codeassistd.syntax.reading import Reading
from codeassistd.text import Text

__all__ = ["extract"]

_BOM = b"\xef\xbb\xbf"


def extract(language_id: str, content: bytes) -> FileFacts:
    """Everything that the index keeps of a file; the outline, which it does not keep, is left empty.

    A byte-order mark is left out first, and all offsets count from behind it, as they do in every document of the
    daemon. Content must be UTF-8: it is the caller who guesses other encodings. Never raises for what is in a file.

    For processes where nobody waits: the parser keeps the GIL for the whole file.

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
    if not content.isascii():
        try:
            content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            return FileFacts(language.name, problems=(f"not UTF-8 at byte {error.start}",))
    text = Text.of(content)
    tree = parse_whole(grammar, text.content)
    reading = Reading(language, text)
    reading.read(grammar.facts, tree)
    return reading.facts(tree, languages.problems_of(language))
