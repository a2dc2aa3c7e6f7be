"""What holds for every answer at every place."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.completion.balance import scan
from codeassistd.completion.postprocess import Fit, FitInput, fit
from codeassistd.syntax.languages import Languages

CODE = st.text(alphabet="ab1 ()[]{}\"'\n,;:=.\t#", max_size=40)
WORDS = st.lists(
    st.sampled_from(
        ["foo", "bar(", ")", "\n", "    ", "x = 1", "if a:", "return", "}", "{", " ", '"', ", ", "é", "\t"]
    ),
    max_size=12,
).map("".join)
TEXTS = st.one_of(CODE, WORDS)
CLOSERS = st.sampled_from([")", "]", "}", ")]", "})", ");"])
NAMES = st.sampled_from(["python", "javascript", "go"])


def fitted(prefix: str, raw: str, suffix: str, name: str) -> Fit:
    return fit(FitInput(prefix=prefix, raw=raw, suffix=suffix, language=Languages.default().by_id(name)))


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, TEXTS, NAMES)
def test_a_suggestion_is_never_blank(prefix: str, raw: str, suffix: str, name: str) -> None:
    """There is something to see, or there is no item."""
    text = fitted(prefix, raw, suffix, name).text

    assert text is None or text.strip()


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, TEXTS, NAMES)
def test_no_letters_are_invented(prefix: str, raw: str, suffix: str, name: str) -> None:
    """Filters cut, and change blanks; the letters left are some of the model's, in its order."""
    text = fitted(prefix, raw, suffix, name).text or ""
    letters = iter("".join(raw.split()))

    assert all(letter in letters for letter in "".join(text.split()))


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, CLOSERS, NAMES)
def test_the_closer_behind_the_cursor_is_not_doubled(prefix: str, raw: str, closer: str, name: str) -> None:
    """Taking the suggestion's last closer away would not mend anything that was whole before."""
    language = Languages.default().by_id(name)
    text = (fitted(prefix, raw, closer, name).text or "").rstrip()
    n_faults = scan(prefix + text + closer, language).n_faults

    n_without = scan(prefix + text[:-1] + closer, language).n_faults
    n_before = scan(prefix + closer, language).n_faults

    assert not text.endswith(closer[0]) or n_faults <= max(n_before, n_without)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, TEXTS, NAMES)
def test_what_fits_is_left_alone(prefix: str, raw: str, suffix: str, name: str) -> None:
    """An answer that went through once goes through again unchanged.

    But for an echo of the typed start, since only the raw answer can tell whether that is one, and for the first of
    several lines whose others were cut off: it may be an overlap of its own.
    """
    once = fitted(prefix, raw, suffix, name)
    twice = fitted(prefix, once.text or "", suffix, name)

    assert once.text == twice.text or "typed-start" in twice.filters or "open-end" in once.filters


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_the_documents_line_ends_are_kept(prefix: str, raw: str, suffix: str) -> None:
    """In a file with CRLF no line of the suggestion ends otherwise."""
    text = fit(FitInput(prefix=prefix, raw=raw, suffix=suffix, newline="\r\n")).text or ""

    assert "\n" not in text.replace("\r\n", "")


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS, st.integers(1, 4))
def test_it_has_no_more_lines_than_wanted(prefix: str, raw: str, suffix: str, max_lines: int) -> None:
    """Counted from the first line that is not blank; a last break may give closers a line of their own."""
    text = fit(FitInput(prefix=prefix, raw=raw, suffix=suffix, max_lines=max_lines)).text or ""

    assert len(text.strip().split("\n")) <= max_lines
