"""A place drawn as marked text, and the document after accepting what the pipeline makes of a raw answer."""

from __future__ import annotations

from codeassistd.completion.postprocess import Fit, FitInput, fit
from codeassistd.syntax.languages import Languages

__all__ = ["final", "fit_at"]


def fit_at(marked: str, raw: str, language: str = "python", mark: str = "|", **more: object) -> Fit:
    """What is left of `raw` at the mark."""
    prefix, suffix = marked.split(mark)
    known = Languages.default().by_id(language)
    return fit(FitInput(prefix=prefix, raw=raw, suffix=suffix, language=known, **more))  # type: ignore[arg-type]


def final(marked: str, raw: str, language: str = "python", mark: str = "|", **more: object) -> str:
    """The document after accepting; without a suggestion it stays as it was."""
    prefix, suffix = marked.split(mark)
    return prefix + (fit_at(marked, raw, language, mark, **more).text or "") + suffix
