"""Prompts: what goes in, in which order, and what stays while the user types."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.types import PartKind, Prompt
from codeassistd.syntax.facts import Import
from codeassistd.text import Text
from tests.support.prompts import VOCABULARY, FakeLookup, definition, facts_of, profile, prompt_of, request_at, spelled

ORDER = "class Order:\n    def pay(self):\n        "
FILES = profile(FimOrder.PSM, files=True)


def n_shared(one: Prompt, two: Prompt) -> int:
    """Tokens that both begin with."""
    pairs = zip(one.ids, two.ids, strict=False)
    return next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(one.ids), len(two.ids)))


def test_definitions_are_files_of_their_own() -> None:
    """Each with its path; a member inside the head of its class, documentation below."""
    request = request_at("total = price_of(cart)|\n")
    prompt = prompt_of(
        request,
        FILES,
        definition("price_of", "def price_of(cart: Cart) -> int", "prices.py", doc="What all of it costs."),
        definition("Cart.add", "def add(self, item: Item) -> None", "carts.py", kind="method"),
        definition("cart", "cart = None", "other.py", kind="variable"),
    )

    assert spelled(prompt).startswith(
        '<repo_name>shop\n<file_sep>prices.py\ndef price_of(cart: Cart) -> int:\n    """What all of it costs."""\n'
        "<file_sep>cart.py\n<fim_prefix>"
    )


def test_without_file_markers_definitions_are_comments() -> None:
    """In the language of the open file."""
    prompt = prompt_of(
        request_at("total = price_of(|\n", path="cart.js", language="javascript"),
        profile(FimOrder.PSM),
        definition("price_of", "function price_of(cart)", "prices.js"),
    )

    assert spelled(prompt).startswith("<fim_prefix>// prices.js\n// function price_of(cart) { ... }\n<fim_suffix>")


def test_what_a_model_cannot_be_shown_is_beside_the_prompt() -> None:
    """The nearest lines behind the cursor; a model that has them in the prompt needs them no second time."""
    behind = "area()\n" + "".join(f"print({number})\n" for number in range(300))
    prompt = prompt_of(request_at("shape.|" + behind), profile(FimOrder.PREFIX))
    (beside,) = prompt.beside
    assert behind.startswith(VOCABULARY.spell(list(beside)))
    assert 512 <= len(beside) < 600
    assert () == prompt_of(request_at("shape.|"), profile(FimOrder.PREFIX)).beside
    assert () == prompt_of(request_at("shape.|" + behind), profile(FimOrder.PSM)).beside


def test_suffix_first_models_read_the_stable_parts_first() -> None:
    """Definitions and outline, then suffix, then prefix."""
    source = "\n".join(f"def f{number}(): pass" for number in range(100)) + "\nuse(price_of(|\n"
    prompt = prompt_of(
        request_at(source, facts=facts_of(source.replace("|", "")), settings=ContextSettings(max_tokens=800)),
        profile(FimOrder.SPM, files=True),
        definition("price_of", "def price_of(cart)"),
    )

    assert [PartKind.DEFINITIONS, PartKind.OUTLINE, PartKind.SUFFIX, PartKind.PREFIX, PartKind.MIDDLE] == [
        part.kind for part in prompt.parts
    ]


def test_the_outline_shows_what_the_window_does_not() -> None:
    """As comments, in order of the file, the enclosing class with what is near."""
    above = "".join(f"    def m{number}(self):\n        return {number}\n\n" for number in range(60))
    source = f"class Big:\n{above}    def last(self):\n        |\n"
    prompt = prompt_of(
        request_at(source, facts=facts_of(source.replace("|", "")), settings=ContextSettings(max_tokens=1500)), FILES
    )
    outline = next(part.text for part in prompt.parts if part.kind is PartKind.OUTLINE)
    prefix = next(part.text for part in prompt.parts if part.kind is PartKind.PREFIX)

    assert outline.startswith("# class Big:\n#     def m")
    assert all(line.removeprefix("# ").replace(": ...", ":") not in prefix for line in outline.splitlines())


def test_a_file_that_is_shown_whole_has_no_outline() -> None:
    """It would say everything twice."""
    source = "def f():\n    |\n"
    prompt = prompt_of(request_at(source, facts=facts_of("def f():\n    \n")), FILES)

    assert PartKind.OUTLINE not in [part.kind for part in prompt.parts]


def test_typing_in_a_line_only_adds_tokens() -> None:
    """From the second key on nothing before the typed letters changes, in every order."""
    source = "import os\n" * 200 + "def f(a):\n    x = price_of(a)\n    |\n" + "print(1)\n" * 100
    for order in FimOrder:
        builder = ContextBuilder(FakeLookup(definition("price_of", "def price_of(a)")))
        prompts = [
            builder.build(
                request_at(source.replace("|", "return price"[:n_typed] + "|"), settings=ContextSettings()),
                VOCABULARY,
                profile(order, files=True),
            )
            for n_typed in range(12)
        ]
        for before, after in pairwise(prompts):
            assert len(before.ids) == n_shared(before, after)


def test_the_start_of_the_window_moves_in_steps() -> None:
    """Of 64 new lines only a few make the model read the prompt's head again."""
    builder = ContextBuilder(FakeLookup())
    text = "".join(f"value{number} = {number}\n" for number in range(400))
    heads = set()
    for number in range(64):
        request = request_at(
            text + "".join(f"new{line} = {line}\n" for line in range(number)) + "|",
            settings=ContextSettings(max_tokens=1000),
        )
        heads.add(builder.build(request, VOCABULARY, FILES).parts[0].text[:60])

    assert len(heads) <= 8


def test_the_choice_of_definitions_is_sticky() -> None:
    """In a scope it is looked at again after some lines only; what was chosen stays, and what is new comes behind."""
    lookup = FakeLookup(
        definition("first", "def first()", "a.py"),
        definition("second", "def second()", "b.py"),
        definition("third", "def third()", "c.py"),
    )
    builder = ContextBuilder(lookup)
    body = "def f():\n    first()\n    second()\n"

    def paths(source: str) -> list[str]:
        request = request_at(source, facts=facts_of(body))
        prompt = builder.build(request, VOCABULARY, FILES)
        return [part.source for part in prompt.parts if part.kind is PartKind.DEFINITIONS]

    at_first = paths(f"{body}    |")
    while_typing = paths(f"{body}    third(|")
    on_the_next_line = paths(f"{body}    third()\n    |")
    some_lines_down = paths(f"{body}    third()\n{'    pass' + chr(10)}{'    pass' + chr(10)}    x\n    |")
    far_down = paths(f"{body}    third()\n{('    pass' + chr(10)) * 30}    |")

    assert {"a.py", "b.py"} == set(at_first)
    assert at_first == while_typing == on_the_next_line
    assert [*at_first, "c.py"] == some_lines_down == far_down


def test_a_definition_that_is_gone_is_not_shown() -> None:
    """The index is asked each time, since a choice may have gone stale on disk."""
    lookup = FakeLookup(definition("price_of", "def price_of(a)"))
    builder = ContextBuilder(lookup)
    request = request_at("x = price_of(a)\ny = |")
    assert "def price_of(a)" in spelled(builder.build(request, VOCABULARY, FILES))
    lookup.known.clear()

    assert "def price_of(a)" not in spelled(builder.build(request, VOCABULARY, FILES))


def test_outside_of_a_workspace_the_index_is_not_asked() -> None:
    """And the path shows nothing of the user's folders."""
    lookup = FakeLookup(definition("price_of", "def price_of(a)"))
    request = replace(request_at("x = price_of(a)\ny = |"), root=None)
    text = spelled(ContextBuilder(lookup).build(request, VOCABULARY, FILES))

    assert ([], True, False) == (lookup.asked, "<file_sep>cart.py\n" in text, "/home" in text)


def test_paths_are_written_with_slashes_from_the_root() -> None:
    """As a repository would name them."""
    request = request_at("|", path="pkg/sub/cart.py")

    assert "<file_sep>pkg/sub/cart.py\n" in spelled(prompt_of(request, FILES))


@pytest.mark.parametrize("source", ["\ufeffx = 1\n|", "x = '\ufeff'|"])
def test_no_byte_order_mark_is_in_a_prompt(source: str) -> None:
    """Nor what it decodes to."""
    assert "\ufeff" not in spelled(prompt_of(request_at(source), FILES))


def test_line_ends_are_plain_in_a_prompt() -> None:
    """Models were trained on them."""
    assert "a = 1\nb = 2\n<fim_suffix>\nc = 3\n" in spelled(
        prompt_of(request_at("a = 1\r\nb = 2\r\n|\r\nc = 3\r\n"), FILES)
    )


def test_half_of_a_surrogate_pair_does_no_harm() -> None:
    """A client may send one; no tokenizer takes it."""
    request = request_at("|")
    request = replace(request, document=replace(request.document, text=Text.of("\ud83d = 1\n")), offset=7)

    assert "? = 1" in spelled(prompt_of(request, FILES))


def test_imported_names_come_before_others() -> None:
    """What the file imports is meant; what it could not see is not."""
    source = "from prices import price_of\n\nhelper(price_of(1))\n|"
    facts = facts_of(source.replace("|", ""))
    assert (Import("prices", "price_of", "", 0),) == facts.imports
    prompt = prompt_of(
        request_at(source, facts=facts, settings=ContextSettings(definitions=1)),
        FILES,
        definition("helper", "def helper()", "tools.py"),
        definition("price_of", "def price_of(a)", "prices.py"),
    )

    assert ["prices.py"] == [part.source for part in prompt.parts if part.kind is PartKind.DEFINITIONS]


def test_the_files_own_names_are_not_looked_for_elsewhere() -> None:
    """A function that the open file defines is the one that is meant."""
    source = "def price_of(a):\n    return a\n\nprice_of(1)\n|"
    prompt = prompt_of(
        request_at(source, facts=facts_of(source.replace("|", ""))), FILES, definition("price_of", "def price_of(x, y)")
    )

    assert PartKind.DEFINITIONS not in [part.kind for part in prompt.parts]


def test_another_vocabulary_gets_its_own_tokens() -> None:
    """After a change of the model no id of the old one is used."""
    builder = ContextBuilder(FakeLookup())
    request = request_at("x = |", path=str(Path("cart.py")))
    first = builder.build(request, VOCABULARY, FILES)
    other = replace(VOCABULARY, bos="<eos>")

    assert first.ids == builder.build(request, other, FILES).ids
    assert builder._tokens is not None
    assert other is builder._tokens.vocabulary


def test_typed_lines_only_add_tokens_too() -> None:
    """They go on behind the middle marker, so the suffix is not read again at each of them."""
    builder = ContextBuilder(FakeLookup())
    last: tuple[int, ...] = ()
    for typed in ("", "a = 1", "a = 1\n", "a = 1\nb = 2", "a = 1\nb = 2\n"):
        prompt = builder.build(request_at(f"import os\n{typed}|\nlast = 9\n", facts=None), VOCABULARY, FILES)
        assert last == prompt.ids[: len(last)]
        last = prompt.ids
    assert "last = 9\n<fim_middle>a = 1\nb = 2\n" in spelled(prompt)


def test_what_a_letter_has_read_again_is_bounded() -> None:
    """Without a middle marker each letter stands in front of the suffix, so only so much of that is shown."""
    plain = replace(profile(FimOrder.PSM), middle=None)
    source = "x = |\n" + "".join(f"line_{n} = {n}\n" for n in range(50))
    ids = {
        n_key: ContextBuilder(FakeLookup()).build(request_at(source, n_key=n_key), VOCABULARY, plain).ids
        for n_key in (None, 40)
    }
    shown = {n_key: len(VOCABULARY.spell(list(each)).partition("<fim_suffix>")[2]) for n_key, each in ids.items()}
    assert shown[None] > 500
    assert 30 <= shown[40] <= 52


def test_parts_tell_what_their_definitions_are_worth() -> None:
    """The best of each file; the text round the cursor has no such figure."""
    source = "from prices import price_of\n\n\ndef f():\n    |"
    request = request_at(source, facts=facts_of(source.replace("|", "")))
    prompt = prompt_of(request, FILES, definition("price_of", "def price_of(a)", "prices.py"))

    scores = {part.kind: part.score for part in prompt.parts}
    assert scores[PartKind.DEFINITIONS] is not None
    assert scores[PartKind.DEFINITIONS] > 1
    assert scores[PartKind.PREFIX] is None
