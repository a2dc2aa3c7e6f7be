"""One key in a long open file, until the index answers with it: what is paid after each pause in typing.

The wait for the pause itself is not counted, and none of this happens on the loop's thread.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from codeassistd.bench.index.rig import Corpus
from codeassistd.clock import Clock
from codeassistd.index.overlay import Overlay
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["edit_times_ms"]

_N_LINES = 5000
_SEED = 1
_CLIENT = "bench"
_URI = "file:///long"


def edit_times_ms(corpus: Corpus, clock: Clock, n_keys: int) -> Sequence[float]:
    """Milliseconds of each of `n_keys` letters, typed at random places of a file of 5,000 lines."""
    path, language, text = _long_text(corpus)
    places = random.Random(_SEED)  # noqa: S311 - places to type at, no secrets
    facts, overlay = DocumentFacts(Languages.default()), Overlay()
    _update(facts, overlay, path, language, text)
    times_ms = []
    for _ in range(n_keys):
        offset = text.line_end(places.randrange(text.line_count))
        text = Text.of(text.content[:offset] + b"x" + text.content[offset:])
        begun_s = clock.monotonic_s()
        _update(facts, overlay, path, language, text)
        times_ms.append((clock.monotonic_s() - begun_s) * 1000)
    return times_ms


def _update(facts: DocumentFacts, overlay: Overlay, path: Path, language: str, text: Text) -> None:
    """What is done for a version of an open document, and the first questions about it."""
    overlay.put(_CLIENT, path, text.content, facts.facts(_URI, language, text))
    [file] = overlay.seen_by(_CLIENT, path.parent).values()
    file.named("x")
    file.owned("x")


def _long_text(corpus: Corpus) -> tuple[Path, str, Text]:
    """The start of the longest file; where none has 5,000 lines, as many copies of it as make these."""
    longest = max(corpus.files, key=lambda file: (file.size, file.path))
    lines = corpus.read(longest).decode("utf-8", "replace").splitlines(keepends=True) or ["\n"]
    copies = lines * (_N_LINES // len(lines) + 1)
    return corpus.root / longest.path, longest.language, Text.of("".join(copies[:_N_LINES]))
