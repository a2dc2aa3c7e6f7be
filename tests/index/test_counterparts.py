"""Tests and what they test, by their names."""

from __future__ import annotations

import pytest

from codeassistd.index.counterparts import counterparts, is_test, stem_of


@pytest.mark.parametrize(
    ("implementation", "test"),
    [
        ("lookup.py", "test_lookup.py"),
        ("lookup.py", "lookup_test.py"),
        ("cart.ts", "cart.test.ts"),
        ("cart.tsx", "cart.spec.tsx"),
        ("server.go", "server_test.go"),
        ("Cart.java", "CartTest.java"),
        ("Cart.java", "CartIT.java"),
        ("Cart.cs", "CartTests.cs"),
        ("Cart.php", "CartTest.php"),
        ("cart.rb", "cart_spec.rb"),
        ("user_account.cc", "user-account_test.cc"),
        ("Cart.swift", "TestCart.swift"),
    ],
)
def test_a_test_has_the_stem_of_what_it_tests(implementation: str, test: str) -> None:
    """The habits of the common test runners."""
    assert (False, True) == (is_test(implementation), is_test(test))
    assert stem_of(implementation) == stem_of(test)


@pytest.mark.parametrize("path", ["latest.py", "contest.go", "spec.ts", "test.py", "attest.rb"])
def test_words_that_only_look_like_tests_are_none(path: str) -> None:
    """A file must be called after something else to be its test."""
    assert not is_test(path)


def test_the_folders_that_both_paths_name_decide() -> None:
    """A tree of tests repeats the tree of the code."""
    candidates = ["tests/b/test_store.py", "tests/a/test_store.py", "test_store.py", "src/b/store.py"]
    assert ["tests/a/test_store.py", "test_store.py", "tests/b/test_store.py"] == counterparts(
        "src/a/store.py", candidates
    )
    assert ["src/b/store.py"] == counterparts("tests/b/test_store.py", candidates)
