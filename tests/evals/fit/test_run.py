"""The whole of `eval fit` with a scripted model: real processes, tiny numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from codeassistd.cli.editor import PROXY
from codeassistd.cli.eval_fit_view import fit_report
from codeassistd.errors import DaemonError
from codeassistd.evals.fit.figures import fit_figures
from codeassistd.evals.fit.run import FitPlan, FitRun, Trigger, _ask, run_fit
from codeassistd.evals.fit.spots import Kind, Spot
from codeassistd.syntax.languages import Languages
from codeassistd.testing.lsp_client import LspClient
from tests.support.processes import Home

pytestmark = pytest.mark.slow

SCRIPT = {
    "rules": [
        {"after": "total = ", "answer": "price + tax"},
        {"after": "count = ", "answer": ""},
    ],
    "default": "",
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    yield home
    home.close()


def spot(folder: Path, name: str) -> Spot:
    before, after = f"price = 1\n{name} = ", "\nshow(price)\n"
    return Spot(folder / f"{name}.py", "python", Kind.MIDDLE, 2, before, after, "0")


def test_what_comes_is_accepted_and_judged(home: Home, tmp_path: Path) -> None:
    """Each spot once, through the real server; what is not shown has no verdict, and its reason is told."""
    told: list[None] = []
    plan = FitPlan(
        command=PROXY,
        root=tmp_path,
        spots=[spot(tmp_path, name) for name in ("total", "count")],
        overrides={"index.enabled": "false"},
        serve=home.serve_command(SCRIPT),
    )
    run = run_fit(plan, home.paths, lambda: told.append(None))
    assert 2 == len(told)
    assert ["price + tax", None] == [one.inserted for one in run.asked]
    assert [True, None] == [one.verdict and one.verdict.is_good for one in run.asked]
    assert "the model had nothing to add" == run.asked[1].reason
    assert {
        "n_spots": 2,
        "n_shown": 1,
        "show_rate": 0.5,
        "parses_as_well_share": 1.0,
        "compiles_as_well_share": None,
        "doubled_share": 0.0,
        "n_cut_by_parse": 0,
    } == fit_figures(run.asked)
    report = json.loads(fit_report(FitRun(run.asked, run.model), {}, 0.0, with_text=False).as_json())
    assert {"show_rate": False, "parses_as_well_share": True, "doubled_share": True} == report["effective"]["reached"]
    assert ["middle of a line", "python"] == [row["group"] for row in report["rows"][:2]]
    assert [{"reason": "the model had nothing to add", "n_spots": 1}] == report["rows"][2:]
    assert "price + tax" not in json.dumps(report)


class _LostDaemon:
    """A client whose daemon has ended: the next one has to load its model first."""

    def open(self, *_document: str) -> None: ...

    def close_document(self, _uri: str) -> None: ...

    async def complete(self, *_place: object, **_how: object) -> list[object]:
        return []

    async def request(self, *_method: object) -> dict[str, str]:
        return {"outcome": "loading", "reason": "the model is being loaded (0 %)"}


async def test_a_daemon_that_falls_out_is_no_silence(tmp_path: Path) -> None:
    """The run ends and names the place, since all that comes after it would count as not shown."""
    client = cast("LspClient", _LostDaemon())
    with pytest.raises(DaemonError, match=r"fell out at .*total\.py:2 \(the model is being loaded \(0 %\)\)"):
        await _ask(client, spot(tmp_path, "total"), Trigger.INVOKED, Languages.default())
