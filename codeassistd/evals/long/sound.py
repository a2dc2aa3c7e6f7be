"""Whether what a model wrote can stand behind what it was given, and whether it is what was wanted; by Python's parser.

Nothing is run: two texts mean the same where they give the same tree.
"""

from __future__ import annotations

import ast
import warnings

from codeassistd.evals.long.probe import Probe
from codeassistd.evals.python_source import parses, tree_of

__all__ = ["completes", "goes_on_well"]

_ALLOW_INCOMPLETE = 0x4000
"""CPython's flag behind `codeop`: what may still go on is told from what is wrong."""
_MAY_GO_ON = "incomplete input"


def completes(probe: Probe, said: str) -> bool:
    """Whether the first lines of `said`, as many as the truth has, give the same tree as the truth does."""
    n_lines = probe.truth.count("\n")
    lines = said.split("\n")[: n_lines + 1]
    mine, truth = tree_of(probe.given + "\n".join(lines)), tree_of(probe.text)
    return mine is not None and truth is not None and ast.dump(mine) == ast.dump(truth)


def goes_on_well(probe: Probe, said: str) -> bool:
    """Whether the whole lines of `said` are good Python where they stand.

    Of a text whose end is settled the whole must parse; any other may stop in the middle of a statement.
    """
    if probe.is_settled:
        n_lines = probe.truth.count("\n")
        return parses(probe.given + "\n".join(said.split("\n")[: n_lines + 1]))
    whole, _, _unfinished = said.rpartition("\n")
    return bool(whole.strip()) and _may_stand(f"{probe.given}{whole}\n")


def _may_stand(source: str) -> bool:
    """Whether a source parses, or would with something behind it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<probe>", "exec", ast.PyCF_ONLY_AST | _ALLOW_INCOMPLETE, dont_inherit=True)
        except SyntaxError as error:
            return _MAY_GO_ON in str(error)
        except (ValueError, RecursionError, MemoryError):
            return False
    return True
