"""`codeassistd/chat` and its kin: questions about the code, answered piece by piece, and their conversations."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from codeassistd.chat.conversation import ConversationKey
from codeassistd.chat.request import ChatReply, ChatRequest
from codeassistd.documents.document import Document
from codeassistd.documents.uri import uri_of
from codeassistd.errors import CodeassistdError
from codeassistd.text import Span
from codeassistd_lsp.chat_params import ChatParams, session_of
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.handlers.workspace import root_of, settings_at
from codeassistd_lsp.protocol import CHAT, CHAT_DELETE, CHAT_LIST, CHAT_OPEN

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(CHAT)(chat)
    connection.feature(CHAT_LIST)(chat_list)
    connection.feature(CHAT_OPEN)(chat_open)
    connection.feature(CHAT_DELETE)(chat_delete)


# Only an `async` handler can be cancelled.
async def chat(ls: Connection, params: object) -> dict[str, object]:
    """Answer one question."""
    asked = ChatParams.of(params)
    request = _request(ls, asked)

    def show(text: str) -> None:
        if asked.token is not None:
            delta = {"kind": "delta", "text": text}
            ls.protocol.notify(types.PROGRESS, types.ProgressParams(token=asked.token, value=delta))

    try:
        reply = await ls.daemon.chat.ask(request, show)
    except CodeassistdError as error:
        raise _refused(error) from error
    return _reply(reply)


async def chat_list(ls: Connection, params: object) -> dict[str, object]:
    """The conversations of this editor's workspaces."""
    del params
    listed = await ls.daemon.chat.listed(_key(ls, "").root)
    return {
        "sessions": [{"session": one.session, "n_turns": one.n_turns, "updated": one.updated} for one in listed],
    }


async def chat_open(ls: Connection, params: object) -> dict[str, object]:
    """All that was said in a conversation."""
    session = session_of(params)
    conversation = await ls.daemon.chat.conversation(_key(ls, session))
    turns = []
    for turn in conversation.turns:
        turns.append({"turn": turn.number, "role": "user", "text": turn.asked, "is_cut": False})
        turns.append({"turn": turn.number, "role": "assistant", "text": turn.said, "is_cut": turn.is_cut})
    return {"session": session, "turns": turns}


async def chat_delete(ls: Connection, params: object) -> dict[str, object]:
    """Forget a conversation."""
    try:
        await ls.daemon.chat.delete(_key(ls, session_of(params)))
    except CodeassistdError as error:
        raise _refused(error) from error
    return {}


def _request(ls: Connection, asked: ChatParams) -> ChatRequest:
    document = ls.session.documents.get(asked.uri) if asked.uri else None
    root = root_of(ls, document.path) if document is not None else None
    root = root or next(iter(ls.session.roots), None)
    return ChatRequest(
        client=ls.session.id,
        key=_key(ls, asked.session),
        root=root,
        text=asked.text,
        settings=settings_at(ls, root).chat,
        document=document,
        selection=_selection(ls, document, asked),
        facts=ls.session.facts.get(asked.uri),
        documents=ls.session.documents.all(),
        files=asked.files,
        outputs=asked.outputs,
        edits=ls.moments.not_ignored(ls.session.edits.edits()),
    )


def _key(ls: Connection, session: str) -> ConversationKey:
    """A conversation of the editor's first workspace, so that it is found again from any of its files."""
    return ConversationKey.of(next(iter(ls.session.roots), None), session)


def _selection(ls: Connection, document: Document | None, asked: ChatParams) -> Span | None:
    if document is None or asked.selection is None:
        return None
    encoding = ls.session.documents.encoding
    start, end = sorted(document.text.offset_at(place, encoding) for place in asked.selection)
    return Span(start, end)


def _reply(reply: ChatReply) -> dict[str, object]:
    return {
        "session": reply.session,
        "turn": reply.turn,
        "text": reply.text,
        "parts": [
            {"label": part.label, "uri": None if part.path is None else uri_of(part.path), "n_tokens": part.n_tokens}
            for part in reply.parts
        ],
        "ended": reply.ended.value,
        "n_prompt": reply.n_prompt,
        "n_cached": reply.n_cached,
        "warnings": list(reply.warnings),
    }


def _refused(error: CodeassistdError) -> JsonRpcException:
    """What the user is told in one line, with the exit code for who has asked in a terminal."""
    data = {"exitCode": error.exit_code}
    return JsonRpcException(message=str(error), code=types.LSPErrorCodes.RequestFailed, data=data)
