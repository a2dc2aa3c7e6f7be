"""One key in a long open file, until the index answers with it: what is paid after each pause in typing.

Functions of the file itself are typed once more, letter by letter, in front of others of the same depth: the file is
broken most of the time and whole in the end, as under a person's hands. Each is taken out again, by one more key.
The wait for the pause itself is not counted, and none of this happens on the loop's thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from codeassistd.bench.index.rig import Corpus
from codeassistd.clock import Clock, thread_time_s
from codeassistd.index.overlay import Overlay
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.facts import FUNCTION_KINDS, FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import reparse
from codeassistd.text import Span, Text

__all__ = ["EditTimes", "edit_times", "versions"]

_N_LINES = 5000
_N_PLACES = 8
#: Typed where a file has no function.
_LINE = "alpha = beta\n"
_CLIENT = "bench"
_URI = "file:///long"


@dataclass(frozen=True, slots=True)
class EditTimes:
    """Milliseconds of each key.

    Attributes:
        wall_ms: by the clock.
        processor_ms: of the processor, which other programs do not lengthen.
        parse_processor_ms: the part of it that the parser takes to read the text again with the tree of the one before.
    """

    wall_ms: Sequence[float]
    processor_ms: Sequence[float]
    parse_processor_ms: Sequence[float]


def edit_times(corpus: Corpus, clock: Clock, n_keys: int) -> EditTimes:
    """What each of `n_keys` keys takes in a file of 5,000 lines."""
    path, language, text = _long_text(corpus)
    documents, overlay = DocumentFacts(Languages.default()), Overlay()

    def update(version: Text) -> FileFacts:
        """What is done for a version of an open document, and the first questions about it."""
        facts = documents.facts(_URI, language, version)
        overlay.put(_CLIENT, path, version.content, facts)
        for file in overlay.seen_by(_CLIENT, path.parent).values():
            file.named("x")
            file.owned("x")
        return facts

    wall_ms, processor_ms, parse_processor_ms = [], [], []
    for version in islice(versions(text, update(text), -(-n_keys // _N_PLACES)), n_keys):
        before = documents.parsed(_URI)
        begun_s, begun_processor_s = clock.monotonic_s(), thread_time_s()
        update(version)
        processor_ms.append((thread_time_s() - begun_processor_s) * 1000)
        wall_ms.append((clock.monotonic_s() - begun_s) * 1000)
        if before is not None:
            # Once more, alone: what no index could do without.
            begun_processor_s = thread_time_s()
            reparse(before, version)
            parse_processor_ms.append((thread_time_s() - begun_processor_s) * 1000)
    return EditTimes(wall_ms, processor_ms, parse_processor_ms)


def versions(text: Text, facts: FileFacts, n_keys: int) -> Iterator[Text]:
    """The text after each key, place after place; `n_keys` at each, the last of which takes out all that was typed."""
    functions = _whole_lines(text, facts)
    while True:
        for place in range(_N_PLACES):
            at, typed = 0, _LINE
            if functions:
                at = functions[len(functions) * place // _N_PLACES].start
                alike = [span for span in functions if _indent(text, span) == _indent(text, Span(at, len(text)))]
                typed = text.slice(alike[len(alike) * (place + 1) // _N_PLACES % len(alike)])
            letters = typed[: n_keys - 1]
            for end in range(1, len(letters) + 1):
                yield text.replace(Span(at, at), letters[:end])
            yield text


def _whole_lines(text: Text, facts: FileFacts) -> list[Span]:
    """The functions, each from the start of its first line to the end of its last."""
    spans = [symbol.span for symbol in facts.symbols if symbol.kind in FUNCTION_KINDS]
    return [
        Span(
            text.line_start(text.line_of(span.start)), text.line_start(text.line_of(max(span.start, span.end - 1)) + 1)
        )
        for span in spans
    ]


def _indent(text: Text, span: Span) -> int:
    line = text.line(text.line_of(span.start))
    return len(line) - len(line.lstrip())


def _long_text(corpus: Corpus) -> tuple[Path, str, Text]:
    """The start of the longest file; where none has 5,000 lines, as many copies of it as make these."""
    longest = max(corpus.files, key=lambda file: (file.size, file.path))
    lines = corpus.read(longest).decode("utf-8", "replace").splitlines(keepends=True) or ["\n"]
    copies = lines * (_N_LINES // len(lines) + 1)
    return corpus.root / longest.path, longest.language, Text.of("".join(copies[:_N_LINES]))
