"""The model's own chat template: tried once, sandboxed, and never shown a word of the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from codeassistd.chat.template import BOS, EOS, METADATA_KEY, ChatTemplate, Message, Role, Slot
from codeassistd.chat.template_run import Written
from codeassistd.errors import ModelError
from tests.support.chatting import CHATML, write_here

MESSAGES = (Message(Role.SYSTEM, 0), Message(Role.USER, 1), Message(Role.ASSISTANT, 2), Message(Role.USER, 3))
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system role') }}{% endif %}"
    "{% for message in messages %}{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
    "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}"
)
LLAMA2 = (
    "{% for message in messages %}{% if message['role'] == 'assistant' %}"
    "{{ ' ' + message['content'] + ' ' + eos_token }}"
    "{% else %}{{ bos_token + '[INST] ' + message['content'] + ' [/INST]' }}{% endif %}{% endfor %}"
)


def of(source: str) -> ChatTemplate:
    return ChatTemplate.of({METADATA_KEY: source}, write_here)


def test_the_models_own_template_is_taken() -> None:
    """With slots where the texts belong."""
    template = of(CHATML)
    assert ("", True, "") == (template.warning, template.takes_system, template.stop_text)
    assert [
        "<|im_start|>system\n",
        Slot(0),
        "<|im_end|>\n<|im_start|>user\n",
        Slot(1),
        "<|im_end|>\n<|im_start|>assistant\n",
        Slot(2),
        "<|im_end|>\n<|im_start|>user\n",
        Slot(3),
        "<|im_end|>\n<|im_start|>assistant\n",
    ] == template.write(MESSAGES)


def test_a_template_without_a_place_for_a_system_message_is_taken_without_one() -> None:
    """Gemma's refuses it."""
    template = of(GEMMA)
    assert ("", False) == (template.warning, template.takes_system)
    assert [BOS, "<start_of_turn>user\n", Slot(1)] == template.write(MESSAGES[1:])[:3]


def test_begin_and_end_are_places_too() -> None:
    """Which token they are is the model file's to say."""
    written = of(LLAMA2).write(MESSAGES[1:])
    assert [BOS, "[INST] ", Slot(1), " [/INST] ", Slot(2), " ", EOS, BOS, "[INST] ", Slot(3), " [/INST]"] == written


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("{% for", "cannot be used"),
        ("{{ messages[0]['content'] }}", "it leaves out what is said"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ messages.__class__.__mro__ }}", "unsafe"),
        ("{{ raise_exception('I want tools') }}", "I want tools"),
        ("{{ range(10000000) }}", "Range too big"),
        ("{% macro on() %}{{ on() }}{% endmacro %}{{ on() }}", "recursion"),
        ("x" * 300_000, "it is too long"),
    ],
)
def test_a_bad_template_gives_the_plain_one_and_one_warning(source: str, why: str) -> None:
    """In one line, with the cause; it never reaches out of its sandbox."""
    template = of(source)
    assert why in template.warning
    assert "\n" not in template.warning
    assert "\nUser:" == template.stop_text
    assert ["System:\n", Slot(0), "\n\nUser:\n", Slot(1), "\n\nAssistant:\n"] == template.write(MESSAGES[:2])


def test_without_a_template_conversations_are_written_plainly() -> None:
    """With the hint that a chat model answers better."""
    assert ChatTemplate.of({}).warning.startswith("the model has no chat template")


class _Counting:
    """Writes in this process, and knows how many conversations it was asked for each time."""

    def __init__(self) -> None:
        self.n_asked: list[int] = []

    def __call__(
        self, source: str, variables: Mapping[str, str], conversations: Sequence[Sequence[Mapping[str, str]]]
    ) -> list[Written]:
        self.n_asked.append(len(conversations))
        return write_here(source, variables, conversations)


def talk(n_turns: int) -> tuple[Message, ...]:
    roles = [Role.SYSTEM, *[Role.USER, Role.ASSISTANT] * n_turns][: 2 * n_turns]
    return tuple(Message(role, slot) for slot, role in enumerate(roles))


def test_a_template_is_asked_for_many_lengths_at_once() -> None:
    """A conversation grows by a turn, and a process for each question would cost more than its prompt."""
    run = _Counting()
    template = ChatTemplate.of({METADATA_KEY: CHATML}, run)
    for n_turns in (1, 2, 33, 34, 66):
        written = template.write(talk(n_turns))
        assert list(range(2 * n_turns)) == [piece.number for piece in written if isinstance(piece, Slot)]
    assert [33, 33] == run.n_asked


def test_a_template_that_fails_in_a_long_conversation_alone_is_not_taken() -> None:
    """It would fail in the middle of one."""
    template = of("{% if messages | length > 20 %}{{ raise_exception('I am tired') }}{% endif %}" + CHATML)
    assert "I am tired" in template.warning


def test_a_fault_is_told_again_without_another_try() -> None:
    """A template that comes to no end costs its time once."""
    run = _Counting()
    template = ChatTemplate.of({METADATA_KEY: "{% if messages | length > 80 %}{{ 1 / 0 }}{% endif %}" + CHATML}, run)
    for _ in range(3):
        with pytest.raises(ModelError, match="the model's chat template fails: division by zero"):
            template.write(talk(50))
    assert [33, 33] == run.n_asked
