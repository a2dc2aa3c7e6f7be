from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import ResolvedModel
from codeassistd.cli import app
from codeassistd.cli.setup_view import choice_line
from codeassistd.engine.llama.probe import LibraryFacts, ProbeResult
from codeassistd.engine.llama.speed import Speed
from codeassistd.paths import Paths
from codeassistd.setup.choice import Choice, Judged, Machine, Pace, Verdict
from codeassistd.setup.library import LibraryState
from codeassistd.setup.measure import Measured
from codeassistd.setup.ready import Readiness
from codeassistd.testing.tiny_models import write_tiny_model

GIB = 2**30
SLOW = Judged("large", Verdict.TOO_SLOW, 1100.0, 1, "1.1 s for an answer, which should come in 0.6 s")
SMALL = Judged("small", Verdict.CHOSEN, 270.0, 1)
READY = Readiness(
    ResolvedModel("small", Path("/m/small.gguf"), None),
    LibraryState(
        ProbeResult(LibraryFacts("1", "", gpu_offload=False, devices=(), n_decoded=8)), was_built=False, kept=None
    ),
    Machine(24 * GIB, 20 * GIB, 0, 0),
    Measured("small", Speed(2.0, 12.5, 100, "cpu"), Pace(1.0, 2.0, 3.0), n_cores=2, load=1.0),
    Choice("small", (SLOW, SMALL)),
    was_chosen=True,
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with nothing but an editor, and nobody to ask."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in ("nvim", "git"):
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "home"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class TestLine:
    def test_it_tells_what_was_measured_chosen_and_lacking(self) -> None:
        """One line, so that the choice can be judged."""
        assert (
            "measured small: reads 500 and writes 80 tokens/s on 2 cores; 24 GiB of memory, no GPU; "
            "chosen: small (about 0.3 s for an answer); "
            "large would need 1.1 s for an answer, which should come in 0.6 s"
        ) == choice_line(READY)

    def test_a_kept_model_is_told_from_a_chosen_one(self) -> None:
        """With the command for the one that suits better."""
        kept = replace(READY, was_chosen=False)
        assert "; kept: small (about 0.3 s for an answer);" in choice_line(kept)
        other = replace(kept, choice=Choice("large", (replace(SLOW, verdict=Verdict.CHOSEN), SMALL)))
        assert "which was chosen before; by these figures `codeassistd setup --model large`" in choice_line(other)

    def test_a_stopgap_is_no_choice(self) -> None:
        """The line about the better one comes beside it."""
        assert "; in force for now: small (" in choice_line(replace(READY, was_chosen=False, problem="no network"))

    def test_a_licence_comes_with_the_commands(self) -> None:
        """They are the user's to run."""
        terms = replace(SLOW, verdict=Verdict.LICENCE, needs="your agreement to the Terms (url)")
        line = choice_line(replace(READY, choice=Choice("small", (terms, SMALL))))
        command = "codeassistd model pull large --accept-licence && codeassistd model use large"
        assert line.endswith(f"large would need your agreement to the Terms (url): {command}")

    def test_a_busy_machine_and_a_gpu_are_named(self) -> None:
        """Both change what the figures mean."""
        busy = replace(READY, measured=replace(READY.measured, load=4.5), machine=replace(READY.machine, gpu_bytes=GIB))
        assert "a GPU with 1 GiB" in choice_line(busy)
        assert choice_line(busy).endswith("so a larger one may do on a quiet machine")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the editor is a shell script")
def test_the_whole_road_with_a_tiny_model(capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path) -> None:
    """Library tried, speed measured, model in force, no editor touched unasked; then all of it with --yes, and back."""
    model = write_tiny_model(tmp_path / "tiny.gguf")
    code, out, err = run(capsys, "setup", "--model", str(model), "--json")
    assert 0 == code, err
    report = json.loads(out)
    assert str(model) == report["effective"]["model"]
    assert report["figures"]["write_tokens_per_s"] > 0
    assert "measuring" in err
    (editor,) = [row for row in report["rows"] if row["table"] == "editors"]
    assert ("Neovim", "not installed") == (editor["editor"], editor["state"])
    assert "runtimepath" in editor["hint"]
    package = tmp_path / "user/.local/share/nvim/site/pack/codeassistd/start/codeassistd"
    assert not os.path.lexists(package)

    code, out, err = run(capsys, "setup", "--yes")
    assert 0 == code
    assert f"kept: {model}" in err
    assert "Neovim: installed" in err
    assert "llama.cpp" in out
    assert package.is_symlink()

    code, out, err = run(capsys, "install-service", "--json")
    unit = tmp_path / "user/.config/systemd/user/codeassistd.service"
    assert (0, str(unit)) == (code, json.loads(out)["figures"]["path"])
    assert f'Environment="CODEASSISTD_HOME={home}"' in unit.read_text(encoding="utf-8")

    code, out, err = run(capsys, "purge")
    assert (2, "codeassistd: purge removes for good; where nobody can be asked it needs --yes\n") == (code, err)
    assert str(package) in out
    assert package.is_symlink()
    code, out, err = run(capsys, "purge", "--yes")
    assert (0, "") == (code, err)
    assert [model] == [path for path in tmp_path.rglob("*.gguf") if "editors" not in path.parts]
    assert not home.exists()
    assert not os.path.lexists(package)
    assert not unit.exists()


def test_purge_has_nothing_to_do_where_nothing_is(capsys: pytest.CaptureFixture[str]) -> None:
    """And makes no folder in order to find out."""
    assert (0, "there is nothing of codeassistd to remove\n", "") == run(capsys, "purge")
    assert not Paths.resolve().data_dir.exists()


def test_install_service_says_what_it_wrote_and_how_to_go_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Enabling is the user's; `--uninstall` takes it back, and says so where there is none."""
    unit = tmp_path / "user/.config/systemd/user/codeassistd.service"
    assert (
        0,
        f"wrote {unit}\nstart it now and with each session: systemctl --user enable --now codeassistd.service\n",
        "",
    ) == run(capsys, "install-service")
    assert (0, f"removed {unit}\n", "") == run(capsys, "install-service", "--uninstall")
    assert (0, "no service of ours is installed\n", "") == run(capsys, "install-service", "--uninstall")
    assert not unit.exists()


def test_a_model_that_is_not_known_ends_setup_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """One line with the nearest name, before anything is measured."""
    code, out, err = run(capsys, "setup", "--model", "startr")
    assert (2, "", "codeassistd: no model is named 'startr'; did you mean starter?\n") == (code, out, err)
