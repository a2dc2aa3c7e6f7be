"""Two runs of `eval fit` are compared spot by spot."""

from __future__ import annotations

from pathlib import Path

from codeassistd.evals.fit.figures import fit_values
from codeassistd.evals.fit.run import Asked
from codeassistd.evals.fit.spots import Kind, Spot
from codeassistd.evals.fit.verdict import Verdict

SPOT = Spot(Path("a.py"), "python", Kind.MIDDLE, 1, "x = ", "\n", "1")


def test_every_spot_has_its_figures() -> None:
    """Where nothing was shown there is nothing to judge, and where Python cannot tell there is nothing to count."""
    asked = [
        Asked(SPOT, "1", Verdict(parses_as_well=True, compiles_as_well=True, doubled=""), "", ()),
        Asked(SPOT, "(", Verdict(parses_as_well=False, compiles_as_well=None, doubled="closer"), "", ()),
        Asked(SPOT, None, None, "empty", ()),
    ]

    assert {
        "show_rate": [1.0, 1.0, 0.0],
        "parses_as_well_share": [1.0, 0.0, None],
        "compiles_as_well_share": [1.0, None, None],
        "doubled_share": [0.0, 1.0, None],
    } == fit_values(asked)
