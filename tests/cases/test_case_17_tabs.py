"""Case 17: the suggestion is indented as the file is."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at

TABS = "func f() {\n\tif x {\n\t\t|\n\t}\n}\n"
TWO = "function f() {\n  if (x) {\n    |\n  }\n}\n"


@pytest.mark.parametrize(
    "raw",
    [
        "for i {\n            call(i)\n        }",
        "        for i {\n            call(i)\n        }",
        "for i {\n\t\t\tcall(i)\n\t\t}",
        "for i {\n      call(i)\n    }",
    ],
)
def test_blanks_become_tabs_in_a_file_with_tabs(raw: str) -> None:
    """Each level is one tab at the same depth, whether the model wrote 4 blanks, 2 or tabs."""
    assert TABS.replace("|", "for i {\n\t\t\tcall(i)\n\t\t}") == final(TABS, raw, "go")


@pytest.mark.parametrize(
    "raw",
    ["while (y) {\n\t\t\tcall();\n\t\t}", "while (y) {\n      call();\n    }", "while (y) {\n        call();\n    }"],
)
def test_tabs_become_the_files_blanks(raw: str) -> None:
    """2 blanks for each tab in a file that indents by 2; levels of 4 blanks become levels of 2."""
    assert TWO.replace("|", "while (y) {\n      call();\n    }") == final(TWO, raw, "javascript")


def test_tabs_inside_of_a_line_stay() -> None:
    """Only blanks at the beginning of a line are indentation."""
    assert TWO.replace("|", 'show("a\tb");') == final(TWO, 'show("a\tb");', "javascript")


def test_a_body_of_an_opened_block_begins_with_a_tab() -> None:
    """On an empty line of a file with tabs the suggestion itself starts with one."""
    marked = "func f() {\n\treturn\n}\n\nfunc g() {\n|\n}\n"
    assert "\treturn 1" == fit_at(marked, "    return 1", "go").text


def test_a_file_that_says_nothing_leaves_the_model_its_way() -> None:
    """Without an indented line there is nothing to follow."""
    assert "if x:\n  y = 1" == final("|", "if x:\n  y = 1")
