"""What the fake backend answers to which prompt, from Python or from a JSON file.

The file:

    {"rules": [{"after": "total = ", "answer": "a + b"},
               {"matches": "def f.*$", "answer": "return 1<pad>"},
               {"after": "broken = ", "failure": "the processor is on holiday"}],
     "default": "pass",
     "n_ctx": 4096, "n_batch": 512, "n_slots": 4, "can_cut": true, "step_s": 0.0, "load_error": "",
     "markers": true, "declares_fim": true}

`after` is the text right before the cursor, in a fill-in-middle prompt as well as in one that is only a prefix;
`matches` is a regular expression searched in the whole prompt, markers spelled out. The first rule that fits answers,
else the default; one with a `failure` in place of an answer fails the step with that cause. Only `rules` and `default`
concern the script; the rest goes to the backend (`FakeBackend.from_json`), where `markers: false` leaves it only its
end token. All are optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from codeassistd.errors import DecodeError

__all__ = ["FakeScript", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One answer.

    Attributes:
        pattern: regular expression, searched in the prompt with its markers spelled out; `.` fits line ends too.
        answer: the text to answer, which may hold markers, such as `x = 1<pad>`.
        failure: the cause of which the step fails instead; empty for none.
    """

    pattern: str
    answer: str
    failure: str = ""

    @classmethod
    def after(cls, text: str, answer: str, failure: str = "") -> Self:
        """Answer where `text` stands right before the cursor.

        The start of the cursor's line may stand behind the middle marker, away from the lines above it.
        """
        start = text.rfind("\n") + 1
        above, head = re.escape(text[:start]), re.escape(text[start:])
        suffix = "<fim_suffix>.*<fim_middle>"
        return cls(rf"(?:{above}{head}(?:{suffix})?|{above}{suffix}{head})\Z", answer, failure)

    def fits(self, prompt: str) -> bool:
        """Whether this rule answers `prompt`."""
        return re.search(self.pattern, prompt, re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class FakeScript:
    """Rules in order, and the answer where none fits; an empty answer ends at once."""

    rules: tuple[Rule, ...] = ()
    default: str = ""

    @classmethod
    def from_json(cls, path: Path) -> Self:
        """The script in a file."""
        return cls.from_mapping(json.loads(path.read_text("utf-8")))

    @classmethod
    def from_mapping(cls, data: Mapping[str, object]) -> Self:
        """The script in a file's JSON object; keys that are not the script's are left alone."""
        rules = data.get("rules", [])
        if not isinstance(rules, list):
            raise TypeError("rules must be a list")
        return cls(tuple(_rule(rule) for rule in rules), str(data.get("default", "")))

    def answer(self, prompt: str) -> str:
        """What is answered to `prompt`.

        Raises:
            DecodeError: the rule that fits says so.
        """
        rule = next((rule for rule in self.rules if rule.fits(prompt)), None)
        if rule is not None and rule.failure:
            raise DecodeError(rule.failure)
        return self.default if rule is None else rule.answer


def _rule(data: Mapping[str, str]) -> Rule:
    failure = data.get("failure", "")
    answer = "" if failure else data["answer"]
    if "after" in data:
        return Rule.after(data["after"], answer, failure)
    return Rule(data["matches"], answer, failure)
