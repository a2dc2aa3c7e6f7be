"""A type as a source writes it, down to the names of its classes: `Optional[list[Line]]` holds objects of `Line`."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Written", "bases_in", "read_type", "returned", "type_at"]

#: Names that only say how a value is held or when it comes: what is inside is what one has.
_SEEN_THROUGH = frozenset(
    {
        *("Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Type", "type"),
        *(
            "Awaitable",
            "Coroutine",
            "Promise",
            "Future",
            "Task",
            "Readonly",
            "Partial",
            "NonNullable",
            "Ref",
            "Computed",
        ),
        *("Option", "Result", "Box", "Rc", "Arc", "RefCell", "Cell", "Mutex", "RwLock", "Cow", "Pin", "Weak"),
        *("unique_ptr", "shared_ptr", "weak_ptr", "optional", "Lazy", "Nullable", "Provider", "CompletableFuture"),
    }
)
#: Words in types that name no class whose members anybody would look for.
_NO_CLASS = frozenset(
    {
        *(
            "None",
            "Any",
            "object",
            "str",
            "int",
            "bool",
            "float",
            "bytes",
            "self",
            "const",
            "mut",
            "dyn",
            "impl",
            "ref",
        ),
        *(
            "string",
            "number",
            "boolean",
            "void",
            "undefined",
            "null",
            "unknown",
            "any",
            "never",
            "error",
            "struct",
            "enum",
        ),
        *(
            "final",
            "static",
            "public",
            "private",
            "protected",
            "readonly",
            "override",
            "async",
            "extends",
            "keyof",
            "std",
        ),
    }
)
_NO_OBJECT = re.compile(r"=>|\w\s+is\s+\w")
_TOKEN = re.compile(r"[^\W\d]\w*(?:(?:\.|::|\\)[^\W\d]\w*)*|\[\]|[\[\]<>()|,]")
_TYPE = re.compile(r"\s*(?:[\"']|&?mut\s|dyn\s|&|\*|\.\.\.|\[\]|\[\w*\]|map\[[\w.]+\])*\s*[^\W\d][\w.]*(?:::\w+)*")
_MORE = re.compile(r"\s*(?:\[\]|[\"'?!]|\|(?!\|)\s*[\"']?[^\W\d][\w.]*)")
_BASES = re.compile(r"\(([^()]*)\)|\bextends\s+([\w.]+)|\bimplements\s+([\w., ]+)|:\s*(?:public\s+)?([\w., ]+)$")
_WORD = re.compile(r"[^\W\d]\w*")
_NO_BASE = frozenset({"metaclass", "t", "typing"})
_PARAMETERS = re.compile(r"\s*(?:<[^()]*>|\[[^()]*\])?\s*(?=\()")
_MAX_BRACKET = 4000


@dataclass(frozen=True, slots=True)
class Written:
    """The names of classes in a type, last words only.

    Attributes:
        types: what the value itself may be.
        items: what it may hold.
    """

    types: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


def read_type(text: str) -> Written:
    """The classes named in a type; none where it is that of a function, or says only that something is of a type."""
    if _NO_OBJECT.search(text):
        return Written()
    types: dict[str, None] = {}
    items: dict[str, None] = {}
    opened: list[bool] = []
    is_listed = text.lstrip(" *&.").startswith("[") or text.rstrip(" \"'").endswith("[]")
    last = ""
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece in {"[", "<", "("}:
            # A bare bracket, as round several results, hides nothing.
            opened.append(piece != "(" and last not in _SEEN_THROUGH)
        elif piece in {"]", ">", ")"}:
            if opened:
                opened.pop()
        elif piece[0].isalpha() or piece[0] == "_":
            last = re.split(r"\.|::|\\", piece)[-1]
            if last not in _NO_CLASS and last not in _SEEN_THROUGH:
                (items if any(opened) or is_listed else types)[last] = None
    return Written(tuple(types), tuple(items))


def bases_in(head: str) -> list[str]:
    """The classes that a class is derived from, by its head behind its name."""
    parts = (part for match in _BASES.finditer(head) for part in match.groups())
    return [word for part in parts for word in _WORD.findall(part or "") if word not in _NO_BASE]


def type_at(text: str, start: int) -> tuple[str, int]:
    """The type that is written at `start`, and where it ends; empty where there is none."""
    first = _TYPE.match(text, start)
    if first is None:
        return "", start
    end = first.end()
    while end < len(text):
        if text[end] in "[<":
            end = _bracket_end(text, end)
            continue
        more = _MORE.match(text, end)
        if more is None:
            break
        end = more.end()
    return text[start:end].strip(), end


def returned(signature: str, name: str) -> str:
    """The type of result that the head of a function says; empty where it says none.

    It stands behind the parameters or, in C and its heirs, before the name.
    """
    for match in re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])", signature):
        parameters = _PARAMETERS.match(signature, match.end())
        if parameters is not None:
            behind = signature[_bracket_end(signature, parameters.end()) :].strip().partition("\n")[0].rstrip(": {")
            behind = re.sub(r"^(?:const|noexcept|throws|rethrows|async|override|suspend)\b", "", behind).strip()
            behind = re.split(r"\bwhere\b|\{", behind)[0]
            return behind.lstrip(":->= ").strip() or _before(signature[: match.start()])
    # A property without parameters: what is written behind its name.
    _, _, behind = signature.partition(name)
    return behind.lstrip("?!: ") if behind.lstrip("?! ").startswith(":") else _before(signature.partition(name)[0])


def _before(text: str) -> str:
    """The type in front of a name, unless that is only words like `def`."""
    words = re.sub(
        r"\b(?:def|function|func|fn|fun|get|set|pub|export|default|abstract|open|internal|virtual|async|property)\b",
        "",
        text,
    )
    return "" if "=" in words or "(" in words else words.strip()


def _bracket_end(text: str, start: int) -> int:
    """Where the bracket at `start` has ended; round ones too, and no quotes are minded."""
    depth = 0
    for place in range(start, min(len(text), start + _MAX_BRACKET)):
        letter = text[place]
        if letter in "([<{":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[place - 1] not in "-="):
            depth -= 1
            if depth <= 0:
                return place + 1
    return len(text)
