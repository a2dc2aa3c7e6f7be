"""Case 19: no control token of any family in an item; generation stops at the first."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at

#: DeepSeek writes its markers with a full-width bar.
BAR = "\uff5c"
SPELLINGS = [
    "<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>", "<|repo_name|>",
    "<|file_sep|>", "<|im_start|>", "<|im_end|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>",
    "<repo_name>", "<reponame>", "<filename>", "<file_sep>", "<gh_stars>", "<issue_start>", "<jupyter_code>",
    "<empty_output>", "<commit_msg>", "<|file_separator|>", "<fim-prefix>", "<fim-middle>", "<EOT>", "<PRE>", "<SUF>",
    "<MID>", "▁<EOT>",
    *(f"<{BAR}{name}{BAR}>" for name in ("fim▁begin", "fim▁hole", "fim▁end", "end▁of▁sentence")),
    "[PREFIX]", "[SUFFIX]", "[MIDDLE]", "[INST]", "[/INST]", "<s>", "</s>", "<pad>", "<eos>", "<bos>", "<unk>",
    "<start_of_turn>",
    "<end_of_turn>", "<|fim_begin|>", "<|end_of_text|>", "<|eot_id|>", "<|user|>",
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelled_control_token_ends_the_text(spelling: str) -> None:
    """A model that writes the marker letter by letter shows nothing of it, nor of what follows."""
    # Behind a blank, since `1[PREFIX]` could be a subscript.
    assert "x = 1" == final("|", f"x = 1 {spelling}{spelling}y = 2")


def test_nothing_but_control_tokens_is_no_item() -> None:
    """An answer that begins with one has nothing to show."""
    assert None is fit_at("x = |", "<|endoftext|>import os").text


@pytest.mark.parametrize("raw", ["os.environ[PREFIX]", "a < b and c > d", "x <= pad"])
def test_code_that_looks_alike_is_kept(raw: str) -> None:
    """A subscript and comparisons are code."""
    assert f"y = {raw}" == final("y = |", raw)


def test_a_file_about_these_words_may_use_them() -> None:
    """What the document itself spells is text there."""
    assert 'a = "<file_sep>"\nb = "<file_sep>"' == final('a = "<file_sep>"\nb = |', '"<file_sep>"')


def test_tags_of_a_page_are_no_sequence_marks() -> None:
    """In markup the letter s in brackets strikes text through."""
    assert "const s = <s>old</s>" == final("const s = |", "<s>old</s>", "typescriptreact")
