"""Scenarios are read as they were written, and what is odd in one is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.errors import UsageError
from codeassistd.evals.scenarios.raw_texts import RawText, read_raw_texts, recordings_of, written_raw_texts
from codeassistd.evals.scenarios.reading import read_group, read_scenarios
from codeassistd.evals.scenarios.scenario import Act, ActKind, Place
from codeassistd.testing.replay_backend import Said

HEAD = """
[files]
"b.py" = "x = 1"

[[scenario]]
name = "one"
why = "a reason"
file = "a.py"
text = '''
y = ‸
'''
"""


def group(folder: Path, text: str) -> Path:
    path = folder / "small.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_scenario_has_all_that_it_says(tmp_path: Path) -> None:
    """The cursor's mark is no part of the text, and files of the group stand beside those of the scenario."""
    text = f'{HEAD}do = [["type", "ab"], ["delete", 1], ["undo"]]\nsilent = "why"\nline_ends = "crlf"\nbom = true\n'
    [scenario] = read_group(group(tmp_path, text))
    assert "small: one" == scenario.title
    assert Place("\ufeffy = \r\n", 5) == scenario.opened
    assert {"b.py": "x = 1"} == scenario.files
    acts = (Act(ActKind.TYPE, "ab"), Act(ActKind.DELETE, amount=1), Act(ActKind.UNDO))
    assert (acts, ("why",), "python") == (scenario.acts, scenario.silent, scenario.language)
    assert Place("\ufeffy = ab\r\n", 7) == scenario.first_asked()


def test_the_model_is_asked_where_the_first_request_is_made(tmp_path: Path) -> None:
    """What is typed after that goes along what it said."""
    [scenario] = read_group(group(tmp_path, f'{HEAD}do = [["type", "a"], ["ask"], ["type", "b"]]\nshow = "y = ab"\n'))
    assert Place("y = a\n", 5) == scenario.first_asked()
    assert () == scenario.first_request().acts


def test_cells_before_the_cursors_come_apart(tmp_path: Path) -> None:
    """A notebook's cells are told apart by a line of their own; those behind the cursor's are left out."""
    text = HEAD.replace("a.py", "a.ipynb").replace("y = ‸\n", "x = 1\n%%%\ny = ‸\n%%%\nz = 3\n")
    [scenario] = read_group(group(tmp_path, f'{text}language = "python"\nsilent = "why"\n'))
    assert (("x = 1",), Place("y = ", 4)) == (scenario.cells, scenario.opened)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEAD, r"scenario 1 \(one\): either show or silent"),
        (f'{HEAD}show = "y"\nsilent = "why"\n', "either show or silent"),
        (f'{HEAD}silent = "why"\nsilnt = 1\n', "unknown key silnt"),
        (f'{HEAD.replace("‸", "")}silent = "why"\n', "has 0 cursors"),
        (f'{HEAD.replace("a.py", "a.xyz")}silent = "why"\n', "no language is known"),
        (f'{HEAD}silent = "why"\ndo = [["jump"]]\n', "jump"),
        ("[[scenario]]\nname = 'x'\n", "is missing"),
        ("a = ", "small.toml"),
        ("a = 1", "unknown key a"),
    ],
)
def test_what_is_odd_is_told(tmp_path: Path, text: str, complaint: str) -> None:
    """In one line, with the file and the scenario."""
    with pytest.raises(UsageError, match=complaint):
        read_group(group(tmp_path, text))


def test_names_and_groups_are_checked(tmp_path: Path) -> None:
    """A recording belongs to one scenario, so no two have one name."""
    group(tmp_path, f'{HEAD}silent = "why"\n{HEAD.partition("[[")[1]}{HEAD.partition("[[")[2]}silent = "why"\n')
    with pytest.raises(UsageError, match="2 scenarios with the name small: one"):
        read_scenarios(tmp_path)
    with pytest.raises(UsageError, match="no group large; there are small"):
        read_scenarios(tmp_path, ["large"])


def test_recordings_are_kept_as_they_came(tmp_path: Path) -> None:
    """One line for each token."""
    texts = {"one": RawText("m", (Said(' "é\n', -0.25, 3.0), Said("x", -0.001, 8.125))), "two": RawText("m", ())}
    (tmp_path / "small.json").write_text(written_raw_texts(texts), "utf-8")
    assert {f"small: {name}": text for name, text in texts.items()} == read_raw_texts(tmp_path)


def test_two_cursors_behind_the_same_text_are_refused(tmp_path: Path) -> None:
    """The model would be asked the same, and is to say different things."""
    both = f'{HEAD}silent = "why"\nraw = "1"\n[[scenario]]\nname = "other"\nwhy = "w"\nfile = "c.py"\ntext = "y = ‸"\n'
    scenarios = read_group(group(tmp_path, f'{both}silent = "why"\nraw = "2"\n'))
    with pytest.raises(UsageError, match=r"small: other: .* ends like that of small: one"):
        recordings_of(scenarios, {})
