"""How one request is explained to people, line by line. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from codeassistd.cli.sparkline import bar

__all__ = ["list_rows", "part_rows", "story_lines", "summary_rows"]

Row = tuple[str | Text, ...]

_BAR_WIDTH = 40
#: One letter for each stretch of the time, in the order in which it passed.
_LETTERS: Mapping[str, str] = {
    "context": "c",
    "pause": ".",
    "queue": "q",
    "reading": "r",
    "writing": "w",
    "rest": " ",
}
#: The trigger of a question, whose answer is read and not accepted.
_CHAT = "chat"
_STYLES = {"shown": "green", "error": "red"}


def summary_rows(span: Mapping[str, Any]) -> Iterator[Row]:
    """All about a request but the parts of its prompt; what did not happen is left out."""
    yield "request", f"{span['id']}, {_clock_time(span['at_s'])}"
    asked = "by hand" if span["trigger"] == "invoked" else span["trigger"]
    # A question is not asked in a language.
    yield "asked", ", ".join(filter(None, (asked, span["language"])))
    source = "" if span["source"] == "none" else f" (from {_source(span['source'])})"
    yield "outcome", Text(f"{span['outcome']}{source}", style=_STYLES.get(span["outcome"], "yellow"))
    if span["reason"]:
        yield "because", span["reason"]
    if span["outcome"] == "shown" and span["trigger"] != _CHAT:
        yield "taken", "yes" if span["accepted"] else "not yet"
    yield from _gate(span)
    yield from _times(span)
    yield from _tokens(span)
    yield from _guesses(span)
    yield from _filters(span)


def part_rows(span: Mapping[str, Any]) -> Iterator[Row]:
    """The parts of the prompt in order: tokens, how many of them were cached, and the score that chose the part."""
    for part in span["parts"]:
        cached = "-" if part["n_cached"] is None else str(part["n_cached"])
        score = "" if part["score"] is None else f"{part['score']:.3f}"
        yield part["name"], str(part["n_tokens"]), cached, score


def story_lines(story: Mapping[str, Any]) -> Iterator[Text]:
    """The texts: each part of the prompt, what the model wrote, and what each filter made of it."""
    for part in story["parts"]:
        yield Text(f"--- {part['kind']} {part['source']} ({part['n_tokens']} tokens)", style="bold")
        yield Text(part["text"])
    yield Text("--- the answer", style="bold")
    yield Text(story["raw"])
    for step in story["steps"]:
        yield Text(f"--- after {step['name']}", style="bold")
        yield Text(step["after"])


def list_rows(requests: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """One row for each request, the newest first."""
    for one in requests:
        outcome = Text(one["outcome"], style=_STYLES.get(one["outcome"], ""))
        tokens = f"{one['n_cached']}/{one['n_prompt']}" if one["n_prompt"] else ""
        when = _clock_time(one["at_s"])
        yield (
            one["id"],
            when,
            one["trigger"],
            outcome,
            _source(one["source"]),
            _ms(one["total_ms"]),
            tokens,
            one["reason"],
        )


def _gate(span: Mapping[str, Any]) -> Iterator[Row]:
    if span["score"] is None:
        return
    asked = "nothing is asked for" if not span["threshold"] else f"{span['threshold']:.2f} is asked for"
    evidence = ", ".join(f"{name} {_short(value)}" for name, value in span["evidence"].items())
    yield "gate", f"{span['score']:.2f}, {asked}"
    if evidence:
        yield "evidence", evidence


def _times(span: Mapping[str, Any]) -> Iterator[Row]:
    timings, total_ms = span["timings_ms"], span["total_ms"]
    yield "time", _ms(total_ms) + (f", to the first token {_ms(span['ttft_ms'])}" if span["ttft_ms"] else "")
    if total_ms > 0:
        line = bar([took_ms / total_ms for took_ms in timings.values()], "".join(_LETTERS.values()), _BAR_WIDTH)
        yield "", f"[{line}]"
        yield "", ", ".join(f"{name} {_ms(took_ms)}" for name, took_ms in timings.items() if took_ms)
    if span["saved_ms"]:
        yield "spared", f"{_ms(span['saved_ms'])} of the engine, which had worked on it before"


def _tokens(span: Mapping[str, Any]) -> Iterator[Row]:
    if not span["n_prompt"]:
        return
    cached = f"{span['n_cached']} from the cache"
    where = f" ({_place(span['cached_from'])})" if span["cached_from"] else ""
    told = "" if span["is_measured"] else "; the engine is still at work"
    yield "prompt", f"{span['n_prompt']} tokens, {cached}{where}{told}"
    pace = f", one in {_ms(span['tpot_ms'])}" if span["tpot_ms"] else ""
    yield "answer", f"{span['n_output']} tokens{pace}"


def _guesses(span: Mapping[str, Any]) -> Iterator[Row]:
    guesses = [f"{one['drafter']} {one['n_accepted']} of {one['n_drafted']} right" for one in span["drafts"]]
    if guesses:
        yield "guesses", ", ".join(guesses)
    if span["n_proposed"]:
        effect = "spared" if span["proposal_ms"] >= 0 else "cost"
        yield (
            "proposal",
            (
                f"of a similar place, {span['n_confirmed']} of {span['n_proposed']} tokens confirmed; "
                f"{effect} {_ms(abs(span['proposal_ms']))}"
            ),
        )


def _filters(span: Mapping[str, Any]) -> Iterator[Row]:
    for number, effect in enumerate(span["effects"]):
        change = f"{effect['n_before']} -> {effect['n_after']} letters"
        yield "filters" if number == 0 else "", f"{effect['name']}: {change}"


def _source(source: str) -> str:
    return {"none": "", "live": "typed along", "cache": "answers kept", "follow-up": "worked out ahead"}.get(
        source, source
    )


def _place(origin: str) -> str:
    return {"slot": "its own slot", "memory": "saved in memory", "disk": "saved on disk"}.get(origin, origin)


def _clock_time(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC).astimezone():%H:%M:%S}" if at_s else "-"


def _ms(value: float) -> str:
    return f"{value:.1f} ms"


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
