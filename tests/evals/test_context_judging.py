"""How prompts are judged: by what they show, and by what a model makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from codeassistd.context.types import PartKind, Prompt, PromptPart
from codeassistd.engine.backend import Batch, Logits
from codeassistd.evals.context.case import Case, Needed, Use
from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.context.recall import is_shown
from codeassistd.evals.context.repository import SourceFile
from codeassistd.syntax.facts import FileFacts
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.text import Text


def case_of(*signatures: str) -> Case:
    file = SourceFile("a.py", Text.of("def f():\n    x = pay()\n"), FileFacts("python"))
    return Case.at(file, 1, Use.NAME, Needed("pay", "function", "b.py", "", signatures))


def prompt_of(text: str) -> Prompt:
    return Prompt((), (PromptPart(PartKind.DEFINITIONS, "b.py", 1, text),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def pay(cart: Cart, by: str = 'x') -> int: ...\n", True),
        ("def pay(\n    cart: Cart,\n    by: str = 'x',\n) -> int:\n", True),
        ("# def pay(\n#     cart: Cart, by: str = 'x'\n# ) -> int\n", True),
        ("def pay(cart: Cart) -> int\n", False),
        ("def repay(cart: Cart, by: str = 'x') -> int\n", False),
        ("pay(cart)\n", False),
    ],
)
def test_a_signature_is_found_however_it_is_broken_into_lines(text: str, *, expected: bool) -> None:
    """All of it must stand there, and as words of its own."""
    assert expected == is_shown(case_of("def pay(cart: Cart, by: str = 'x') -> int"), prompt_of(text))


def test_any_of_several_signatures_will_do() -> None:
    """Of an overloaded function the prompt may show one."""
    assert is_shown(case_of("def pay(a)", "def pay(a, b)"), prompt_of("def pay(a, b)"))


class Weighing(FakeBackend):
    """Scores the next letter of the alphabet highest, by one; notes what it reads."""

    def __init__(self) -> None:
        super().__init__(FakeScript())
        self.read: list[int] = []

    def remove(self, sequence: int, start: int) -> int:
        del sequence
        return start

    def decode(self, batch: Batch) -> Logits | None:
        self.read += batch.tokens
        rows = [token for token, wanted in zip(batch.tokens, batch.wanted, strict=True) if wanted]
        scores = np.zeros((len(rows), self.info.n_vocab), dtype=np.float32)
        for row, token in zip(scores, rows, strict=True):
            row[token + 1] = 1.0
        return scores


def spelled(text: str) -> Sequence[int]:
    return list(text.encode())


def test_the_likelihood_is_the_mean_over_the_true_tokens() -> None:
    """In nats, from the scores behind each token before them."""
    backend = Weighing()
    n_other = backend.info.n_vocab - 1
    likely = -math.log(math.e / (math.e + n_other))
    unlikely = -math.log(1 / (math.e + n_other))

    assert likely == pytest.approx(Reader(backend).nll(spelled("ab"), spelled("cd")), rel=1e-5)
    assert (likely + unlikely) / 2 == pytest.approx(Reader(backend).nll(spelled("ab"), spelled("cx")), rel=1e-5)


def test_what_two_prompts_share_is_read_once() -> None:
    """From the last token of the prompt on it is read again, for its scores."""
    backend = Weighing()
    reader = Reader(backend)
    reader.nll(spelled("abcd"), spelled("e"))
    backend.read.clear()
    reader.nll(spelled("abcx"), spelled("y"))

    assert spelled("x") == backend.read


def test_a_line_ends_where_the_model_ends_it() -> None:
    """At a line break or at a token that ends the text; blanks round it do not count."""
    backend = FakeBackend(FakeScript(default="  total = 1\nmore"))
    reader = Reader(backend.load(lambda _share: True))

    assert "total = 1" == reader.line(spelled("x\n"), 40)


def test_a_plain_vocabulary_gives_texts_back() -> None:
    """Whatever they hold; markers are no text."""
    vocabulary = PlainVocabulary()
    text = "def größe(self, x_1):\n    return  'µ' + 12345\n\n"
    tokens = vocabulary.tokenize(text)

    assert text == b"".join(map(vocabulary.token_bytes, tokens)).decode()
    assert tokens == vocabulary.tokenize(text)
    assert vocabulary.profile().middle not in tokens
