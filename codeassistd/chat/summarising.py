"""The summary as the model writes it: what it is asked, the grammar it has to keep to, and what is believed of it.

A small model leaves things out and makes things up. So an entry counts only if its names and numbers stand in the turn
it names, and whatever the extract finds in a turn and the model has left out is put in from the extract: no turn gets
lost, whoever wrote its entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from codeassistd.chat.extract import MAX_LETTERS, extract
from codeassistd.chat.facts import facts_in
from codeassistd.chat.summary import Entry, Kind
from codeassistd.chat.turn import Turn

__all__ = ["MINUTES", "N_OUTPUT", "believed", "completed", "grammar_for", "parsed", "transcript"]

MINUTES = (
    "You keep the minutes of a conversation between a user and a programming assistant. Write down only what must "
    "still be known later: what the user requires, what was decided, and what is forbidden or limited. "
    "One short line each. Copy names and numbers exactly as they were said, and give the turn each comes from."
)
#: Tokens of the minutes; a batch of turns has a handful of entries.
N_OUTPUT = 384
_MAX_ITEMS = 8
_LINE = re.compile(r"^- \(turn (\d+)\) (.+)$")
#: Nothing in the first line is looked at twice, since a line may be megabytes of backticks.
_FENCE = re.compile(r"^(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
#: Letters of one side of a turn; what is agreed stands in the first sentences or the last.
_MAX_SIDE = 900


def transcript(turns: Sequence[Turn], n_tokens: int, count: Callable[[str], int]) -> str:
    """What was said in some turns, without code; sides are cut shorter until all has room in `n_tokens`."""
    n_letters = _MAX_SIDE
    while True:
        text = "\n".join(_side(turn.number, who, said, n_letters) for turn in turns for who, said in _sides(turn))
        if count(text) <= n_tokens or n_letters <= 1:
            return text
        n_letters //= 2


def grammar_for(turns: Sequence[Turn]) -> str:
    """GBNF of three lists whose entries name one of these turns."""
    numbers = " | ".join(f'"{turn.number}"' for turn in turns)
    lists = " ".join(f'"{_heading(kind)}\\n" item{{0,{_MAX_ITEMS}}}' for kind in Kind)
    return (
        f"root ::= {lists}\n"
        'item ::= "- (turn " number ") " text "\\n"\n'
        f"number ::= {numbers}\n"
        f"text ::= [^\\n]{{1,{MAX_LETTERS}}}\n"
    )


def parsed(written: str) -> tuple[Entry, ...]:
    """The entries of minutes; a line that was cut off at the end is left out."""
    headings = {_heading(kind): kind for kind in Kind}
    kind, entries = Kind.REQUIREMENT, []
    for line in written.split("\n")[:-1]:
        kind = headings.get(line.strip(), kind)
        if found := _LINE.match(line):
            entries.append(Entry(kind, int(found[1]), " ".join(found[2].split())[:MAX_LETTERS]))
    return tuple(entries)


def believed(entries: Sequence[Entry], turns: Sequence[Turn]) -> tuple[Entry, ...]:
    """The entries whose names and numbers were said in the turn that they name; those without any tell nothing."""
    said = {turn.number: f"{turn.asked}\n{turn.said}".casefold() for turn in turns}
    kept = []
    for entry in entries:
        facts = facts_in(entry.text)
        if facts and all(fact.casefold() in said.get(entry.turn, "") for fact in facts):
            kept.append(entry)
    return tuple(kept)


def completed(entries: Sequence[Entry], turns: Sequence[Turn]) -> tuple[Entry, ...]:
    """With what the extract finds beyond it, turn by turn."""
    extracted = extract(turns)
    kept: list[Entry] = []
    for turn in turns:
        own = [entry for entry in entries if entry.turn == turn.number]
        told = {fact for entry in own for fact in facts_in(entry.text)}
        kept += own
        kept += [entry for entry in extracted if entry.turn == turn.number and not _is_told(entry, told)]
    return tuple(kept)


def _is_told(entry: Entry, told: set[str]) -> bool:
    facts = facts_in(entry.text)
    return bool(facts) and facts <= told


def _heading(kind: Kind) -> str:
    return f"{kind.value.capitalize()}s:"


def _sides(turn: Turn) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("user", turn.shown), ("assistant", turn.said)


def _side(number: int, who: str, said: str, n_letters: int) -> str:
    text = " ".join(_FENCE.sub(" [code] ", said).split())
    if len(text) > n_letters:
        half = n_letters // 2
        text = f"{text[:half]} ... {text[len(text) - half :]}"
    return f"[turn {number}] {who}: {text}"
