"""What every `--json` prints: one object of one shape, the same for all verbs.

{schema, command, version, asked, effective, figures, rows}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codeassistd import __version__

__all__ = ["REPORT_SCHEMA", "Report"]

#: Grows when a key of the object changes its meaning or goes away.
REPORT_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Report:
    """The answer of one verb, for programs.

    Attributes:
        command: the verb with its sub-verb.
        asked: what was wished for, by name.
        effective: what is in force, by the same names.
        figures: single numbers and words, by name.
        rows: the list, where the answer is one.
    """

    command: str
    asked: Mapping[str, object] = field(default_factory=dict)
    effective: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, object] = field(default_factory=dict)
    rows: Sequence[Mapping[str, object]] = ()

    def as_json(self) -> str:
        """The object as indented JSON, letters beyond ASCII kept."""
        content = {
            "schema": REPORT_SCHEMA,
            "command": self.command,
            "version": __version__,
            "asked": dict(self.asked),
            "effective": dict(self.effective),
            "figures": dict(self.figures),
            "rows": [dict(row) for row in self.rows],
        }
        return json.dumps(content, indent=2, ensure_ascii=False, default=str)
