"""What must not get lost: identifiers and numbers, and how much a sentence with them matters."""

from __future__ import annotations

import pytest

from codeassistd.chat.facts import facts_in, weight_of


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Use max_retries and parseUrl.", {"max_retries", "parseUrl"}),
        ("Cart.total() lives in src/shop/cart.py", {"Cart.total()", "src/shop/cart.py"}),
        ("It listens on 8443.", {"8443"}),
        ("Run it with --dry-run in `make check`.", {"--dry-run", "make check"}),
        ("At most 2.5 MB, or 10 % in 30 s", {"2.5 MB", "10 %", "30 s"}),
        ("Python 3.11 or HTTP2", {"3.11", "HTTP2"}),
        ("std::vector is not SQL", {"std::vector", "SQL"}),
        ("Please be kind.", set()),
    ],
)
def test_names_and_numbers_are_facts(text: str, facts: set[str]) -> None:
    """As they are written."""
    assert facts == facts_in(text)


def test_rules_outweigh_wishes_and_names_outweigh_none() -> None:
    """In this order, whatever the names are."""
    ordered = [
        "It never blocks the_loop.",
        "It should not block the_loop.",
        "It must be fast.",
        "We use Redis.",
        "This is a sunny day.",
    ]
    weights = [weight_of(text) for text in ordered]
    assert sorted(weights, reverse=True) == weights
    assert 0 == weights[-1] < weights[0]
