"""From chosen texts to token ids, in the order that a model's profile wants.

What changes slowly stands first, so that the engine's prefix cache holds it:

    prefix-suffix-middle   repo  chunks  definitions  edits  path  <pre> outline  prefix  <suf> suffix  <mid> middle
    suffix-prefix-middle   repo  chunks  definitions  edits  path  outline  <suf> suffix  <pre> prefix  <mid> middle
    prefix-only            repo  chunks  definitions  edits  path  outline  prefix

The middle is the typed start of the cursor's line: behind the middle marker a letter typed only adds tokens, whereas in
the prefix it would change all that follows. Nothing ever stands behind it. A model with file markers gets definitions
as files of their own; for any other they are comments of the open file, and so stand behind `<pre>` too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from codeassistd.catalogue.profile import FimOrder, Profile
from codeassistd.context.tokens import TokenCache
from codeassistd.context.types import PartKind, Prompt, PromptPart

__all__ = ["Material", "assemble", "has_middle", "has_suffix", "marks_files", "parts_lines", "rereads_suffix"]


@dataclass(frozen=True, slots=True)
class Material:
    """The texts of a prompt; any of them may be empty.

    Attributes:
        repo: the workspace's name.
        path: of the open file, as the model is to see it.
        header: names the open file where the profile has no marker for that; ends with a line end.
        chunks, definitions: path and text of each file that lends some; texts end with a line end.
        edits: path and text of each edit elsewhere, as lines taken out and put in.
        outline: of the open file, as comments; ends with a line end.
        middle: the typed start of the cursor's line; empty where it is the end of `prefix` (see `has_middle`).
        left_out: see `Prompt`.
        scores: worth of the best of its definitions and of its pieces, for each file that lends some.
    """

    repo: str = ""
    path: str = ""
    header: str = ""
    chunks: tuple[tuple[str, str], ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    edits: tuple[tuple[str, str], ...] = ()
    outline: str = ""
    prefix: str = ""
    suffix: str = ""
    middle: str = ""
    left_out: str = ""
    scores: Mapping[tuple[PartKind, str], float] = field(default_factory=dict)


def marks_files(profile: Profile) -> bool:
    """Whether the model knows a marker that begins a file."""
    return profile.file_sep is not None or profile.filename is not None


def has_suffix(profile: Profile) -> bool:
    """Whether the model can be shown what stands after the cursor."""
    return profile.order is not FimOrder.PREFIX


def has_middle(profile: Profile) -> bool:
    """Whether the typed start of the line gets a place of its own behind a marker."""
    return has_suffix(profile) and profile.middle is not None


def parts_lines(profile: Profile) -> bool:
    """Whether lines that are typed may go on behind the middle marker, so that the suffix is not read again."""
    return has_middle(profile) and profile.order is FimOrder.PSM


def rereads_suffix(profile: Profile) -> bool:
    """Whether each typed letter stands in front of the suffix, so that all of it is read again."""
    return profile.order is FimOrder.PSM and not has_middle(profile)


def assemble(material: Material, profile: Profile, tokens: TokenCache) -> Prompt:
    """The prompt made of `material`; ids and parts in the same order, each marker counted in the part it begins."""
    writer = _Writer(tokens)
    writer.mark(profile.bos)
    if profile.repo is not None and material.repo:
        writer.mark(profile.repo)
        writer.text(f"{material.repo}\n")
    if profile.order is FimOrder.PSM:
        _write_files(writer, material, profile, behind=profile.prefix)
        writer.part(PartKind.PREFIX, material.path, material.prefix)
        writer.mark(profile.suffix)
        writer.part(PartKind.SUFFIX, material.path, material.suffix)
    elif profile.order is FimOrder.SPM:
        _write_files(writer, material, profile, behind=None)
        writer.mark(profile.suffix)
        writer.part(PartKind.SUFFIX, material.path, material.suffix)
        writer.mark(profile.prefix)
        writer.part(PartKind.PREFIX, material.path, material.prefix)
    else:
        _write_files(writer, material, profile, behind=None)
        writer.part(PartKind.PREFIX, material.path, material.prefix)
    if has_middle(profile):
        writer.mark(profile.middle)
        writer.part(PartKind.MIDDLE, material.path, material.middle)
    return Prompt(tuple(writer.ids), tuple(writer.parts), material.left_out)


def _write_files(writer: _Writer, material: Material, profile: Profile, behind: int | None) -> None:
    """Definitions, the open file's name and its outline; what belongs to the open file stands behind `behind`."""
    marker = profile.file_sep if profile.file_sep is not None else profile.filename
    if marker is None:
        writer.mark(behind)
        for kind, path, text in _lent(material):
            writer.part(kind, path, text, material.scores.get((kind, path)))
        writer.text(material.header)
    else:
        for kind, path, text in _lent(material):
            writer.mark(marker)
            writer.part(kind, path, f"{path}\n{text}", material.scores.get((kind, path)))
        writer.mark(marker)
        writer.text(f"{material.path}\n")
        writer.mark(behind)
    if material.outline:
        writer.part(PartKind.OUTLINE, material.path, material.outline)


def _lent(material: Material) -> Iterator[tuple[PartKind, str, str]]:
    """What other files lend, in order."""
    for kind, files in (
        (PartKind.CHUNKS, material.chunks),
        (PartKind.DEFINITIONS, material.definitions),
        (PartKind.EDITS, material.edits),
    ):
        for path, text in files:
            yield kind, path, text


class _Writer:
    """Collects ids, and counts what is written before a part as that part's own."""

    def __init__(self, tokens: TokenCache) -> None:
        self._tokens = tokens
        self._begin = 0
        self.ids: list[int] = []
        self.parts: list[PromptPart] = []

    def mark(self, marker: int | None) -> None:
        if marker is not None:
            self.ids.append(marker)

    def text(self, text: str) -> None:
        self.ids += self._tokens.ids(text)

    def part(self, kind: PartKind, source: str, text: str, score: float | None = None) -> None:
        self.text(text)
        self.parts.append(PromptPart(kind, source, len(self.ids) - self._begin, text, score))
        self._begin = len(self.ids)
