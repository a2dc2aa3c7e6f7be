"""The words that a text can be found by: identifiers whole and in parts, in any script, the same for text and question.

An identifier is one word and its parts at case and underscore. Scripts that are written without blanks are cut into
single letters and pairs of neighbours, since that needs no dictionary. All words are folded to one case and one Unicode
form. So whoever stores them needs no tokenizer but one that cuts at blanks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

__all__ = ["WordBook", "asked_for"]

#: Blanks in place of all ASCII signs but the underscore: a table is twice as fast as a pattern.
_BLANKED = bytes(
    code if not chr(code).isascii() or chr(code).isalnum() or code == ord("_") else 32 for code in range(256)
)
#: Scripts that are written without blanks between words: Thai to Burmese, Khmer, kana, Han, Hangul.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+)"
)
#: What `_parts` finds in ASCII, faster.
_ASCII_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*")
_WORD_CATEGORIES = frozenset("LMN")
#: What stands in longer runs is data that nobody looks for: it is cut, and has no parts.
_MAX_LETTERS = 64
#: Distinct runs that are remembered: a workspace uses the same words over and over. More than fit into the processor's
#: caches are no faster to look up than to cut anew.
_MAX_KNOWN = 16_000


class WordBook(dict[bytes, tuple[str, ...]]):
    """Finds the words of texts, and remembers how runs of letters were cut; used by one thread.

    A dict that makes its missing values itself, since nearly all of the work is looking runs up.
    """

    def words_in(self, content: bytes) -> list[str]:
        """Each word of a UTF-8 text once, in order of the alphabet."""
        if len(self) > _MAX_KNOWN:
            self.clear()
        return sorted(set().union(*map(self.__getitem__, set(content.translate(_BLANKED).split()))))

    def __missing__(self, run: bytes) -> tuple[str, ...]:
        if run.isascii():
            letters = run.decode("ascii")
            if letters.islower() and len(letters) <= _MAX_LETTERS:
                # Most runs: nothing to fold, and cut at underscores only.
                words = (letters, *letters.replace("_", " ").split()) if "_" in letters else (letters,)
            else:
                words = tuple(_identifier(letters))
        else:
            words = tuple(word for token in _tokens(run) for word in _stored(token))
        self[run] = words
        return words


def asked_for(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """What to look for: groups of words, of which any will do; all words of a group must be there.

    Args:
        texts: whatever a person or a program asks for; signs are no words, so the answer may be empty.
    """
    runs = (run for text in texts for run in text.encode("utf-8", "ignore").translate(_BLANKED).split())
    return list(dict.fromkeys(group for run in runs for token in _tokens(run) for group in _asked(token)))


def _tokens(run: bytes) -> Iterator[str]:
    """The stretches of a run that are of one kind: written with blanks between words, or without."""
    if run.isascii():
        yield run.decode("ascii")
        return
    text = unicodedata.normalize("NFKC", run.decode("utf-8", "ignore"))
    letters = (letter if _is_word(letter) else " " for letter in text)
    for word in "".join(letters).split():
        yield from filter(None, _UNSPACED.split(word))


def _is_word(letter: str) -> bool:
    # Vowel signs are marks of their own in Tamil, Hindi and others; without them their words would fall apart.
    return letter == "_" or unicodedata.category(letter)[0] in _WORD_CATEGORIES


def _stored(token: str) -> Iterator[str]:
    """What a text that holds `token` is found by."""
    if _UNSPACED.match(token):
        yield from token
        yield from map("".join, pairwise(token))
    else:
        yield from _identifier(token)


def _asked(token: str) -> Iterator[tuple[str, ...]]:
    """The groups that find texts with `token`."""
    if _UNSPACED.match(token):
        yield tuple(map("".join, pairwise(token))) or (token,)
    else:
        yield from ((word,) for word in _identifier(token))


def _identifier(token: str) -> list[str]:
    """An identifier whole, then its parts."""
    whole = token[:_MAX_LETTERS].casefold()
    if len(token) > _MAX_LETTERS or (token.isalpha() and token.islower()):
        return [whole]
    parts = _ASCII_PARTS.findall(token) if token.isascii() else _parts(token)
    return [whole, *(folded for part in parts if (folded := part.casefold()) != whole)]


def _parts(token: str) -> Iterator[str]:
    """Cut at underscores, before a capital that follows another letter, and before the last of several capitals."""
    for word in token.split("_"):
        start = 0
        for place in range(1, len(word)):
            before, here, after = word[place - 1], word[place], word[place + 1 : place + 2]
            if here.isupper() and (not before.isupper() or after.islower()):
                yield word[start:place]
                start = place
        if word:
            yield word[start:]
