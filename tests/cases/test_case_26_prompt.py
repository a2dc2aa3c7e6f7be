"""Case 26: the order of the parts, typed middle text, and empty parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.documents.document import Document
from tests.support.prompts import VOCABULARY, profile, prompt_of, request_at, spelled

SOURCE = "import os\n\ndef f(a):\n    x = a + |b\n    return x\n"
PRE, SUF, MID, REPO, FILE = (
    VOCABULARY.marker_id(marker)
    for marker in ("<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<repo_name>", "<file_sep>")
)


def test_golden_ids_of_prefix_suffix_middle() -> None:
    """The typed start of the line stands behind the middle marker, and nothing behind it."""
    prompt = prompt_of(request_at("a\nb = |c\n"), profile(FimOrder.PSM))

    assert (PRE, 97, 10, SUF, 99, 10, MID, 98, 32, 61, 32) == prompt.ids


def test_golden_ids_of_suffix_prefix_middle() -> None:
    """The same parts, suffix first."""
    prompt = prompt_of(request_at("a\nb = |c\n"), profile(FimOrder.SPM))

    assert (SUF, 99, 10, PRE, 97, 10, MID, 98, 32, 61, 32) == prompt.ids


def test_golden_ids_with_file_markers() -> None:
    """Repository and file come before everything of the file."""
    prompt = prompt_of(request_at("a|", path="m.py"), profile(FimOrder.PSM, files=True))

    assert (REPO, *b"shop\n", FILE, *b"m.py\n", PRE, SUF, MID, 97) == prompt.ids


def test_golden_ids_with_a_beginning_token() -> None:
    """Where a model must have its beginning token, that is the very first."""
    prompt = prompt_of(request_at("a\n|"), profile(FimOrder.PSM, bos=True))

    assert (VOCABULARY.eos_id, PRE, 97, 10, SUF, MID) == prompt.ids


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (
            FimOrder.PSM,
            "<fim_prefix>import os\n\ndef f(a):\n<fim_suffix>b\n    return x\n<fim_middle>    x = a + ",
        ),
        (
            FimOrder.SPM,
            "<fim_suffix>b\n    return x\n<fim_prefix>import os\n\ndef f(a):\n<fim_middle>    x = a + ",
        ),
        (FimOrder.PREFIX, "# cart.py\nimport os\n\ndef f(a):\n    x = a + "),
    ],
)
def test_the_whole_prompt_of_each_order(order: FimOrder, expected: str) -> None:
    """One document in all three orders; a model without markers is not shown the suffix."""
    assert expected == spelled(prompt_of(request_at(SOURCE), profile(order)))


def test_a_model_without_a_middle_marker_gets_the_typed_start_in_the_prefix() -> None:
    """Some families only have two markers."""
    prompt = prompt_of(request_at("a\nb = |c\n"), replace(profile(FimOrder.SPM), middle=None))

    assert "<fim_suffix>c\n<fim_prefix>a\nb = " == spelled(prompt)


@pytest.mark.parametrize("order", list(FimOrder))
@pytest.mark.parametrize("files", ["no files", "files"])
@pytest.mark.parametrize("source", ["|", "|x", "x|", "   |", "|   ", " \n|\n ", "\n\n|\n\n", "\ufeff|", "\r\n|\r\n"])
def test_empty_parts_give_a_valid_prompt(order: FimOrder, files: str, source: str) -> None:
    """Empty prefix, empty suffix, both, or blanks only: there is a prompt, and its parts add up to it."""
    prompt = prompt_of(request_at(source), profile(order, files=files == "files"))

    assert prompt.ids
    assert len(prompt.ids) == sum(part.n_tokens for part in prompt.parts)


def test_an_untitled_document_has_a_name() -> None:
    """A model without markers still gets a first line to go on from."""
    request = request_at("|", root=None)
    request = replace(request, document=Document("untitled:Untitled-1", None, "python", 1, request.document.text))
    assert "# untitled:Untitled-1\n" == spelled(prompt_of(request, profile(FimOrder.PREFIX)))
