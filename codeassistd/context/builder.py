"""Builds the prompt of one request: gathers, shares the room out, writes token ids.

Belongs to the loop's thread and remembers, for each document, which definitions it chose, and for the loaded model the
tokens of all chunks it met, so that a key press costs the tokens of one line and one question to the index.
"""

from __future__ import annotations

from dataclasses import replace

from codeassistd.catalogue.profile import Profile
from codeassistd.context.anchors import Anchors
from codeassistd.context.budget import chunk_room, definition_room, doc_letters, first_of, last_of
from codeassistd.context.choice import Allowance
from codeassistd.context.chunk_source import ChunkSource
from codeassistd.context.draft import Draft
from codeassistd.context.prompt import Material, assemble, has_suffix, parts_lines
from codeassistd.context.render import commented, display_path
from codeassistd.context.sources import DefinitionSource
from codeassistd.context.steady_facts import SteadyFacts
from codeassistd.context.tokens import TokenCache
from codeassistd.context.types import ContextRequest, Prompt
from codeassistd.context.window import Window, look
from codeassistd.context.writing import Writing
from codeassistd.documents.recent_edits import Edit
from codeassistd.documents.secrets import is_secret
from codeassistd.engine.backend import Vocabulary
from codeassistd.errors import PromptTooLongError
from codeassistd.index.types import IndexLookup
from codeassistd.syntax.languages import Languages

__all__ = ["ContextBuilder"]

# Sources take 3 to 4 bytes a token; what lies further from the cursor would not fit anyway, so it need not be read.
_BYTES_PER_TOKEN = 6
# A line longer than the room is cut so that the part behind the cursor keeps one part in this many.
_TAIL_SHARE = 4


class ContextBuilder:
    """Makes prompts; one for all documents and editors."""

    def __init__(self, lookup: IndexLookup, languages: Languages | None = None) -> None:
        self._definitions = DefinitionSource(lookup)
        self._chunks = ChunkSource(lookup)
        self._anchors = Anchors()
        self._facts = SteadyFacts()
        self._languages = languages or Languages.default()
        self._tokens: TokenCache | None = None

    def build(self, request: ContextRequest, vocabulary: Vocabulary, profile: Profile) -> Prompt:
        """The prompt for the cursor of `request`.

        Prompt and output together never take more than `request.n_max` tokens, and the prompt never more than the
        settings and the machine's speed allow. The text on the cursor's line is always in it.

        Raises:
            PromptTooLongError: there is no room beside the output and the model's own markers.
        """
        if self._tokens is None or self._tokens.vocabulary is not vocabulary:
            self._tokens = TokenCache(vocabulary)
        limit = min(request.settings.max_tokens, request.n_max - request.n_output)
        if request.n_readable is not None:
            limit = min(limit, request.n_readable)
        draft = self._draft(replace(request, facts=self._facts.of(request)), profile, self._tokens, limit)
        room = limit - draft.n_fixed
        while room > 0:
            prompt = draft.fill(room)
            if len(prompt.ids) <= limit:
                return replace(prompt, beside=draft.beside())
            # Parts were counted line by line; put together, some vocabularies need a token more.
            room -= len(prompt.ids) - limit
        raise PromptTooLongError(draft.n_fixed + 1, max(0, limit))

    def forget(self, client: str, uri: str) -> None:
        """A client has closed a document."""
        self._facts.forget(client, uri)

    def _draft(self, request: ContextRequest, profile: Profile, tokens: TokenCache, limit: int) -> Draft:
        language = self._languages.by_id(request.document.language)
        path = display_path(request)
        frame = Material(
            repo=request.root.name if request.root is not None else "",
            path=path,
            header="" if has_suffix(profile) else commented(path, language),
        )
        n_fixed = len(assemble(frame, profile, tokens).ids)
        room = limit - n_fixed
        window = _cut_line(look(request.document.text, request.offset, max(0, limit) * _BYTES_PER_TOKEN), room, tokens)
        writing = Writing(profile, tokens, language, self._languages, doc_letters(room))
        allowance = Allowance(definition_room(room), request.settings.definitions, writing.size_behind)
        if parts_lines(profile):
            window = self._anchors.part((request.client, request.document.uri), window)
        return Draft(
            request=request,
            writing=writing,
            window=window,
            definitions=self._definitions.definitions(request, language, allowance),
            scores=self._definitions.scores(request),
            chunks=self._chunks.chunks(request, language, chunk_room(room), writing.piece_size),
            edits=_edits_elsewhere(request, window),
            frame=frame,
            n_fixed=n_fixed,
        )


def _edits_elsewhere(request: ContextRequest, window: Window) -> tuple[tuple[str, Edit], ...]:
    """The edits of this workspace that the window does not show, each with its path; never one of a secret file."""
    root = request.root
    if root is None:
        return ()
    shown = window.prefix + window.suffix
    elsewhere = [
        (edit.path.relative_to(root).as_posix(), edit)
        for edit in request.edits
        if edit.path is not None
        and edit.path.is_relative_to(root)
        and not is_secret(edit.path)
        and not (edit.uri == request.document.uri and "\n".join(edit.after) in shown)
    ]
    return tuple(elsewhere[max(0, len(elsewhere) - request.settings.edits) :])


def _cut_line(window: Window, room: int, tokens: TokenCache) -> Window:
    """The window with as much of the cursor's line as fits into `room`, for lines longer than that."""
    # No token is shorter than a byte, so most lines need not be counted.
    if _n_bytes(window.head) + _n_bytes(window.tail) <= room:
        return window
    tail = first_of(window.tail, room // _TAIL_SHARE, tokens.count)
    head = last_of(window.head, room - tokens.count(tail), tokens.count)
    if (head, tail) == (window.head, window.tail):
        return window
    # What was cut off parts the line from the lines round it.
    return replace(
        window,
        above=window.above if head == window.head else "",
        head=head,
        tail=tail,
        below=window.below if tail == window.tail else "",
    )


def _n_bytes(text: str) -> int:
    """As the document counts them, with half of a surrogate pair in it or not."""
    return len(text.encode("utf-8", "surrogatepass"))
