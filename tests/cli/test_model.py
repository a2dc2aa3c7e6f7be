from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.cli import app
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model


@pytest.fixture(autouse=True)
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A home of its own."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    return Paths.resolve()


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """A model that was not pulled."""
    return write_tiny_model(tmp_path / "my.gguf")


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_list_names_every_model_with_its_licence(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole lines, also in a pipe."""
    code, out, err = run(capsys, "model", "list")

    assert (0, "") == (code, err)
    assert "*  starter" in out
    assert "Gemma Terms of Use" in out


def test_the_list_for_programs_has_one_row_per_model(capsys: pytest.CaptureFixture[str], paths: Paths) -> None:
    """The keys that scripts may rely on."""
    code, out, _ = run(capsys, "model", "list", "--json")
    report = json.loads(out)

    assert (0, "model list") == (code, report["command"])
    assert {"n_models": len(Catalogue(paths).entries()), "n_here": 0, "current": "starter"} == report["figures"]
    assert [
        "name",
        "title",
        "path",
        "is_current",
        "size_bytes",
        "sha256",
        "licence",
        "licence_url",
        "needs_acceptance",
        "context_length",
    ] == list(report["rows"][0])


def test_a_file_of_the_users_own_can_be_used(
    capsys: pytest.CaptureFixture[str], paths: Paths, model_file: Path
) -> None:
    """Its path is the answer, and it is the current one from now on."""
    assert (0, f"{model_file}\n", "") == run(capsys, "model", "use", str(model_file))
    assert str(model_file) == Catalogue(paths).current()


def test_a_file_that_is_cut_off_is_not_chosen(
    capsys: pytest.CaptureFixture[str], paths: Paths, model_file: Path
) -> None:
    """The choice outlives the daemon, which could never load it."""
    model_file.write_bytes(model_file.read_bytes()[:-5000])

    code, out, err = run(capsys, "model", "use", str(model_file))

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert err.startswith(f"codeassistd: {model_file} is cut off: ")
    assert Catalogue(paths).current() is None


def test_the_doctor_says_which_model_file_is_damaged(
    capsys: pytest.CaptureFixture[str], paths: Paths, model_file: Path
) -> None:
    """The library is not to blame for it."""
    Catalogue(paths).use(str(model_file))
    model_file.write_bytes(model_file.read_bytes()[:-5000])

    rows = {row["check"]: row for row in json.loads(run(capsys, "doctor", "--json")[1])["rows"]}

    assert ("fail", "ok") == (rows["model"]["verdict"], rows["llama.cpp"]["verdict"])
    assert rows["model"]["found"].startswith(f"{model_file} is cut off: ")


def test_a_choice_that_a_setting_outranks_says_so(
    capsys: pytest.CaptureFixture[str], paths: Paths, model_file: Path
) -> None:
    """Else the user would wonder why nothing changes."""
    paths.config_file.parent.mkdir(parents=True)
    paths.config_file.write_text("[model]\nname = 'starter'\n", encoding="utf-8")
    expected = f"codeassistd: model.name is set in {paths.config_file}, which outranks this choice\n"

    assert expected == run(capsys, "model", "use", str(model_file))[2]


def test_using_what_is_not_here_names_the_pull(capsys: pytest.CaptureFixture[str]) -> None:
    """Known, but not pulled."""
    expected = "codeassistd: starter is not on this machine; get it with: codeassistd model pull starter\n"

    assert (1, "", expected) == run(capsys, "model", "use", "starter")


def test_a_licence_must_be_accepted_before_the_pull(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is fetched; the line names the licence, where to read it, and the flag."""
    code, out, err = run(capsys, "model", "pull", "gemma3-270m")

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert "Gemma Terms of Use" in err
    assert "--accept-licence" in err


def test_removing_what_is_not_here_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was done."""
    expected = "codeassistd: starter is not on this machine; nothing to remove\n"

    assert (1, "", expected) == run(capsys, "model", "remove", "starter")
