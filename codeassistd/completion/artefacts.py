"""What a model leaves in its answer that is not code: spelled control tokens, fences, broken letters."""

from __future__ import annotations

import re

from codeassistd.completion.place import Place

__all__ = ["without_broken_letters", "without_control_tokens", "without_fences", "without_placeholders"]

#: Control tokens as the supported families spell them. The engine stops at the tokens themselves; a small model also
#: writes them letter by letter.
_CONTROL = re.compile(
    r"<\|[a-z][a-z0-9_ -]{2,30}\|>"
    r"|<\uff5c[^\uff5c>\n]{2,30}\uff5c>"  # DeepSeek's, with a full-width bar
    r"|</?(?:fim|file|repo|jupyter|issue|commit|gh)[_-][a-z_-]{2,24}>"
    r"|<(?:reponame|filename|empty_output|endoftext|pad|bos|eos|unk|mask|EOT|PRE|SUF|MID)>"
    r"|<(?:start|end)_of_turn>"
    r"|(?<![\w\])])\[(?:/?INST|PREFIX|SUFFIX|MIDDLE)\]"
    r"|▁<(?:PRE|SUF|MID|EOT)>"
)
#: The sequence marks of SentencePiece, which are also tags of HTML.
_SEQUENCE_MARK = re.compile(r"</?s>")
_MARKUP = frozenset({"html", "xml", "markdown", "vue", "svelte", "javascript", "typescript", "tsx"})
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"(?<![^\W\d]|\$)\$(?:\d+\b|\{\d+(?::(?P<text>[^}\n]+)|[:|][^}\n]*)?\})")
_BROKEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffd\ufeff]")


def without_control_tokens(text: str, place: Place) -> str:
    """Cut at the first spelled control token, unless the document itself writes about it."""
    matches = list(_CONTROL.finditer(text))
    if place.language is not None and place.language.name not in _MARKUP:
        matches += _SEQUENCE_MARK.finditer(text)
    for match in sorted(matches, key=lambda match: match.start()):
        if not _occurs(match.group(), place):
            return text[: match.start()]
    return text


def without_broken_letters(text: str, place: Place) -> str:
    """Cut at the first letter that no editor types: half a character, a byte-order mark, a terminal's control code."""
    del place
    match = _BROKEN.search(text)
    return text if match is None else text[: match.start()]


def without_placeholders(text: str, place: Place) -> str:
    """Put the text of a snippet's places (`${2:name}`) in for them, and cut at the first that has none (`$1`).

    Nothing would fill them in. In strings they are what patterns put in, and some languages have names like that.
    """
    if place.language is not None and place.language.has_numbered_names:
        return text
    written, end = "", 0
    for match in _PLACEHOLDER.finditer(text):
        written += text[end : match.start()]
        end = match.end()
        before = place.scanned(written)
        if before.inside or before.n_open_strings or _occurs(match.group(), place):
            written += match.group()
        elif match["text"]:
            written += match["text"]
        else:
            return written
    return written + text[end:]


def without_fences(text: str, place: Place) -> str:
    """Take the code out of a fence; where the document has fences of its own, only one that opens the answer."""
    match = _FENCE.match(text.lstrip("\n"))
    if match is not None:
        text = text.lstrip("\n")[match.end() :].removeprefix("\n")
    elif place.language is None or _has_fence(place):
        return text
    closing = _FENCE.search(text)
    return text if closing is None else text[: closing.start()]


def _occurs(word: str, place: Place) -> bool:
    return word in place.head + place.tail or any(word in line for line in (*place.above, *place.below))


def _has_fence(place: Place) -> bool:
    return any(_FENCE.match(line) for line in (*place.above, *place.below))
