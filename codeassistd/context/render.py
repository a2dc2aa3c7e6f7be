"""How the parts of a prompt are written down for the model: definitions as code, outlines as comments, paths short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import PurePath

from codeassistd.context.holders import group_of, holder_of
from codeassistd.context.types import ContextRequest
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import Definition
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, OutlineEntry
from codeassistd.syntax.languages import Language

__all__ = [
    "LanguageOf",
    "commented",
    "definition_files",
    "definition_text",
    "difference",
    "display_path",
    "outline_text",
]

LanguageOf = Callable[[str], Language | None]
"""The language of a file, by its name."""


_MAX_EDIT_LINES = 12
_DEFAULT_COMMENT = "#"
_WITH_BODY = FUNCTION_KINDS | CLASS_KINDS
"""Kinds whose head is followed by a body, which is left out."""


def display_path(request: ContextRequest) -> str:
    """The open file's path from the workspace's root, with `/`; its name alone outside of it."""
    path, root = request.document.path, request.root
    if path is None:
        return PurePath(request.document.uri.rpartition("/")[2] or "untitled").name
    if root is not None and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.name


def definition_files(definitions: Sequence[Definition], language_of: LanguageOf, n_doc: int) -> list[tuple[str, str]]:
    """Path and text of each run of definitions from one file, in the given order.

    A member stands inside the head of its class, as it would in the file.

    Args:
        definitions: what is to be written.
        language_of: the language of a file.
        n_doc: most letters of each one's documentation.
    """
    files: list[tuple[str, str]] = []
    for relative, run in groupby(definitions, key=lambda definition: definition.relative):
        behind = (None, *(chosen := tuple(run)))
        texts = (
            definition_text(each, before, language_of, n_doc)[1] for before, each in zip(behind, chosen, strict=False)
        )
        files.append((relative, "".join(texts)))
    return files


def outline_text(entries: Sequence[OutlineEntry], language: Language | None) -> str:
    """The outline as comment lines, with a line end; empty for no entries."""
    return commented("".join(f"{entry.text}\n" for entry in entries), language)


def difference(edit: Edit) -> str:
    """The lines that an edit took out and put in; the lines that both begin or end with are left out."""
    before, after = list(edit.before), list(edit.after)
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    lines = [f"-{line}" for line in before[:_MAX_EDIT_LINES]] + [f"+{line}" for line in after[:_MAX_EDIT_LINES]]
    return "".join(f"{line}\n" for line in lines)


def commented(text: str, language: Language | None) -> str:
    """`text` as comments to the end of the line."""
    mark = language.comment if language is not None else _DEFAULT_COMMENT
    return "".join(f"{mark} {line}\n" if line else f"{mark}\n" for line in text.splitlines())


def definition_text(
    definition: Definition, behind: Definition | None, language_of: LanguageOf, n_doc: int
) -> tuple[str, str]:
    """The name of the file, if that must be written, and the text of a definition that stands behind another one."""
    new_file = behind is None or behind.relative != definition.relative
    holder = "" if new_file or behind is None else group_of(behind)
    lines = _lines_in(definition, holder, language_of(definition.relative), n_doc)
    return definition.relative if new_file else "", "".join(f"{line}\n" for line in lines)


def _lines_in(definition: Definition, holder: str, language: Language | None, n_doc: int) -> list[str]:
    """The lines of a definition where those of a member of `holder` stand above."""
    parent = holder_of(definition)
    indent = "    " if parent and _is_colon_language(language) else ""
    head = [_holder_line(parent, language)] if parent and parent != holder else []
    return head + [indent + line for line in _definition_lines(definition, language, n_doc)]


def _definition_lines(definition: Definition, language: Language | None, n_doc: int) -> list[str]:
    # A class has many members, and the room that their documentation takes is worth more of them.
    doc = "" if holder_of(definition) else definition.doc[:n_doc].strip()
    head = definition.signature
    with_body = definition.kind in _WITH_BODY and language is not None
    if with_body and _is_colon_language(language) and (doc or definition.kind in CLASS_KINDS):
        # Members may follow a class, so its head stands open.
        return [f"{head}:", *([f'    """{doc}"""'] if doc else [])]
    mark = language.comment if language is not None else _DEFAULT_COMMENT
    elided = language.elided if language is not None and with_body else ""
    return ([f"{mark} {doc}"] if doc else []) + [head + elided]


def _holder_line(parent: str, language: Language | None) -> str:
    if _is_colon_language(language):
        return f"class {parent.rpartition('.')[2]}:"
    mark = language.comment if language is not None else _DEFAULT_COMMENT
    return f"{mark} {parent}"


def _is_colon_language(language: Language | None) -> bool:
    """Whether blocks are opened by a colon and hold their documentation, as in Python."""
    return language is not None and language.opener == ":"
