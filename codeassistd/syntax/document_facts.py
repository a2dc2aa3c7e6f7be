"""The facts of open documents, kept up to date version by version."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from codeassistd.syntax.edits import difference, reread
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Language, Languages
from codeassistd.syntax.parser import ParsedDocument, ParseLimits, parse, told
from codeassistd.syntax.reading import Reading
from codeassistd.text import Text

__all__ = ["DocumentFacts"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is kept of one open document."""

    language: Language
    parsed: ParsedDocument
    reading: Reading
    facts: FileFacts


class DocumentFacts:
    """Reads open documents: each version is parsed with the tree of the one before.

    Takes milliseconds to (for a first parse of a big file) a tenth of a second, so it is called in a worker thread,
    never on the loop. Any thread may call; they take turns. Nobody has to tell it about edits: it compares the texts.
    """

    def __init__(self, languages: Languages, limits: ParseLimits | None = None, max_trees: int = 16) -> None:
        """Keep the trees of `max_trees` documents at most, those asked for last.

        A tree takes about twenty times the bytes of its text.
        """
        self._languages = languages
        self._limits = limits or ParseLimits()
        self._max_trees = max_trees
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        # Beside the entries: a tree is there before its facts are, and stays while the next one is made.
        self._trees: dict[str, ParsedDocument] = {}
        self._lock = threading.Lock()

    def facts(self, uri: str, language_id: str, text: Text) -> FileFacts:
        """The facts of `text`, which is what the document `uri` shows now.

        An unknown language, a grammar that does not load and a text over the limits give empty facts that name the
        reason in `problems`.
        """
        language = self._languages.by_id(language_id)
        if language is None:
            return FileFacts(language_id, problems=(f"no grammar for the language {language_id!r}",))
        if reason := self._limits.reason_to_skip(text):
            self.forget(uri)
            return FileFacts(language.name, problems=(f"skipped: {reason}",))
        with self._lock:
            grammar = self._languages.grammar(language)
            if grammar is None:
                return FileFacts(language.name, problems=self._languages.problems_of(language))
            known = self._entries.get(uri)
            if known is None or known.language != language:
                self._trees[uri] = parsed = ParsedDocument(grammar, text, parse(grammar, text))
                entry = _read(language, parsed, self._languages)
            elif known.parsed.text == text:
                entry = known
            else:
                # Gone until it is read again: what fails half-way must not be read on from.
                del self._entries[uri]
                entry = _read_on(known, text)
            self._trees[uri] = entry.parsed
            self._entries[uri] = entry
            self._entries.move_to_end(uri)
            while len(self._entries) > self._max_trees:
                oldest, _ = self._entries.popitem(last=False)
                self._trees.pop(oldest, None)
            return entry.facts

    def parsed(self, uri: str) -> ParsedDocument | None:
        """The newest tree of an open document that there is, perhaps of an older version; never waits for a parse."""
        return self._trees.get(uri)

    def forget(self, uri: str) -> None:
        """Drop what is kept of a document that was closed."""
        with self._lock:
            self._entries.pop(uri, None)
            self._trees.pop(uri, None)

    @property
    def n_trees(self) -> int:
        """Documents whose tree is kept now."""
        with self._lock:
            return len(self._entries)


def _read(language: Language, parsed: ParsedDocument, languages: Languages) -> _Entry:
    """Read a document from nothing but its tree."""
    grammar, tree = parsed.grammar, parsed.tree
    reading = Reading(language, parsed.text)
    reading.read(grammar.whole, tree)
    return _Entry(language, parsed, reading, reading.facts(tree, languages.problems_of(language)))


def _read_on(known: _Entry, text: Text) -> _Entry:
    """Read what changed between the version that is known and `text`."""
    grammar, reading = known.parsed.grammar, known.reading
    edit = difference(known.parsed.text.content, text.content)
    old_tree = told(known.parsed, text, edit)
    tree = parse(grammar, text, old_tree)
    widened = reread(edit, old_tree, tree, text)
    widened = reading.edit(widened, text)
    reading.read_again(grammar.whole, tree, widened)
    return _Entry(
        known.language, ParsedDocument(grammar, text, tree), reading, reading.facts(tree, known.facts.problems)
    )
