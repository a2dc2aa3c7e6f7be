"""The child that runs a model's chat template: a stranger's program, so it has a process and limits of its own.

Run by its path (`python -I template_child.py`), so it imports nothing of ours. It reads one JSON object from standard
input, `{source, variables, conversations, cpu_s, memory_bytes, max_letters}`, and writes one JSON line for each
conversation, `{"text": ...}` or `{"fault": ...}`. Jinja's sandbox keeps the template from reaching anything; that it
comes to an end, and how much memory it takes, only the system can see to, since one long multiplication does not ask
anybody. Whoever has started it ends it by the clock as well.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["answers"]

#: What a template can do wrong: it is a program of somebody else's.
_FAULTS = (
    *(TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError),
    *(RecursionError, MemoryError),
)


def main() -> None:
    """Answer what is asked on standard input."""
    asked = json.load(sys.stdin)
    _limit(asked["cpu_s"], asked["memory_bytes"])
    for answer in answers(asked):
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def answers(asked: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """What the template writes round each conversation, or why it does not."""
    try:
        template = _compiled(asked["source"])
    except (TemplateError, RecursionError) as error:
        yield from [{"fault": _line(error)}] * len(asked["conversations"])
        return
    for messages in asked["conversations"]:
        try:
            text = template.render(messages=messages, add_generation_prompt=True, tools=None, **asked["variables"])
        except _FAULTS as error:
            yield {"fault": _line(error)}
            continue
        yield {"text": text} if len(text) <= asked["max_letters"] else {"fault": "it writes too much"}


def _compiled(source: str) -> Template:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _no_date
    return environment.from_string(source)


def _refuse(message: str) -> str:
    """What templates call where messages do not suit them."""
    raise TemplateError(message)


def _no_date(form: str) -> str:
    """A date in the prompt would make each day's another one, and no cached prefix would hold."""
    del form
    return ""


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _limit(cpu_s: float, memory_bytes: int) -> None:
    """Have the system end this process when it has used so much; Windows has no such limits, only the clock."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not everywhere

    # Nobody handles the signal, so it ends the process, whatever that is at.
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    except (ValueError, OSError):
        # macOS knows the limit and does not take it.
        return


if __name__ == "__main__":
    main()
