"""Prompts for marked texts, in the fake vocabulary, where a token is a byte or a marker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from codeassistd.catalogue.profile import FimOrder, Profile
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.types import ContextRequest, Prompt
from codeassistd.documents.document import Document
from codeassistd.index.types import Definition, NoIndex
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.facts import FileFacts, Import
from codeassistd.syntax.languages import Languages
from codeassistd.testing.fake_vocabulary import FakeVocabulary
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text

__all__ = [
    "ROOT",
    "VOCABULARY",
    "FakeLookup",
    "definition",
    "facts_of",
    "profile",
    "prompt_of",
    "request_at",
    "spelled",
]

ROOT = Path("/home/ada/shop")
VOCABULARY = FakeVocabulary()


class FakeLookup(NoIndex):
    """An index that knows what a test puts into it, and notes what it was asked."""

    def __init__(self, *definitions: Definition) -> None:
        self.known = list(definitions)
        self.asked: list[tuple[str, ...]] = []

    def definitions(
        self, root: Path, names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        del root, asking, imports
        self.asked.append(tuple(names))
        return [definition for definition in self.known if definition.name in names]


def definition(
    name: str, signature: str, relative: str = "lib.py", *, kind: str = "function", doc: str = ""
) -> Definition:
    """A definition in another file of the workspace."""
    bare = name.rpartition(".")[2]
    return Definition(bare, name, kind, signature, doc, ROOT / relative, relative, 0)


def profile(order: FimOrder, *, files: bool = False, bos: bool = False) -> Profile:
    """A profile with the fake vocabulary's markers."""
    ids = {name: VOCABULARY.marker_id(f"<fim_{name}>") for name in ("prefix", "suffix", "middle")}
    if order is FimOrder.PREFIX:
        ids = {}
    return Profile(
        order=order,
        source="vocabulary",
        **ids,
        repo=VOCABULARY.marker_id("<repo_name>") if files else None,
        file_sep=VOCABULARY.marker_id("<file_sep>") if files else None,
        bos=VOCABULARY.marker_id("<eos>") if bos else None,
    )


def facts_of(text: str, language: str = "python") -> FileFacts:
    """What the parser says about `text`."""
    return DocumentFacts(Languages.default()).facts("file:///x", language, Text.of(text))


def request_at(
    source: str, *, mark: str = "|", path: str = "cart.py", language: str = "python", **more: object
) -> ContextRequest:
    """A request at the mark; `more` are fields of the request."""
    text, offset = marked(source, mark)
    fields: dict[str, object] = {
        "root": ROOT,
        "facts": None,
        "settings": ContextSettings(max_tokens=100_000),
        "n_output": 64,
        "n_max": 100_000,
        **more,
    }
    document = Document(f"file://{ROOT}/{path}", ROOT / path, language, 1, Text.of(text))
    return ContextRequest(document=document, offset=offset, **fields)  # type: ignore[arg-type]


def prompt_of(request: ContextRequest, wanted: Profile, *definitions: Definition) -> Prompt:
    """The prompt of a fresh builder."""
    return ContextBuilder(FakeLookup(*definitions)).build(request, VOCABULARY, wanted)


def spelled(prompt: Prompt) -> str:
    """The prompt with its markers spelled out."""
    return VOCABULARY.spell(list(prompt.ids))
