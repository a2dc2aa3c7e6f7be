"""The tree of cached prefixes, against a list of all that it should hold."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from codeassistd.engine.prefix_cache import Holder, Place, PrefixCache
from codeassistd.engine.request import Priority

TOKENS = st.lists(st.integers(0, 2), max_size=12)


def saved(number: int, n_bytes: int = 10, priority: Priority = Priority.COMPLETION) -> Holder:
    return Holder(Place.MEMORY, number, priority=priority, n_bytes=n_bytes)


def cache_of(*contents: tuple[Holder, str]) -> PrefixCache:
    cache = PrefixCache()
    for holder, letters in contents:
        cache.insert(holder, list(letters.encode()))
    cache.check_integrity()
    return cache


def matches(cache: PrefixCache, letters: str) -> dict[int, int]:
    return {match.holder.number: match.n_common for match in cache.match(list(letters.encode()))}


def test_every_holder_that_begins_alike_is_found() -> None:
    """Those that end on the way, those that go on behind it, and those that branch off."""
    cache = cache_of((saved(1), "ab"), (saved(2), "abcd"), (saved(3), "abxy"), (saved(4), "z"), (saved(5), ""))
    assert {1: 2, 2: 3, 3: 2} == matches(cache, "abc")
    assert {1: 2, 2: 4, 3: 2} == matches(cache, "abcdef")
    assert {1: 1, 2: 1, 3: 1} == matches(cache, "a")
    assert {} == matches(cache, "")


def test_matching_changes_nothing() -> None:
    """Neither the tree nor the order of eviction."""
    old, new = saved(1), saved(2)
    cache = cache_of((old, "abc"), (new, "abd"))
    cache.match(list(b"abc"))
    cache.check_integrity()
    assert [old] == cache.evict(Place.MEMORY, 10)


def test_least_recently_used_goes_first_and_background_before_it() -> None:
    """A pre-warmed prompt and a summary make room before any key press, however old that is."""
    key, prewarm, summary = saved(1), saved(2, priority=Priority.PREWARM), saved(3, priority=Priority.BACKGROUND)
    cache = cache_of((key, "abc"), (prewarm, "abd"), (summary, "x"))
    cache.touch(prewarm)
    assert [summary, prewarm, key] == cache.evict(Place.MEMORY, 0)
    assert [] == list(cache)
    cache.check_integrity()


def test_no_more_is_evicted_than_must_be() -> None:
    """It stops as soon as the rest fits, and leaves other places alone."""
    first, second = saved(1, 10), saved(2, 10)
    slot = Holder(Place.SLOT, 0)
    cache = cache_of((first, "abc"), (second, "abd"), (slot, "abd"))
    assert [] == cache.evict(Place.MEMORY, 20)
    assert [first] == cache.evict(Place.MEMORY, 19)
    assert 10 == cache.n_bytes(Place.MEMORY)
    assert [second, slot] == list(cache)


def test_what_is_locked_stays() -> None:
    """Until it is unlocked as often as it was locked."""
    holder = saved(1)
    cache = cache_of((holder, "abc"))
    cache.lock(holder)
    cache.lock(holder)
    cache.unlock(holder)
    assert [] == cache.evict(Place.MEMORY, 0)
    cache.unlock(holder)
    assert [holder] == cache.evict(Place.MEMORY, 0)
    with pytest.raises(ValueError, match="not locked"):
        cache.unlock(holder)


def test_a_holder_is_in_once() -> None:
    """Putting it in twice is a mistake of the caller, and so is removing what is not in."""
    holder = saved(1)
    cache = cache_of((holder, "abc"))
    with pytest.raises(ValueError, match="already"):
        cache.insert(holder, [1])
    cache.remove(holder)
    with pytest.raises(KeyError):
        cache.remove(holder)
    with pytest.raises(KeyError):
        cache.extend(holder, [1])


class Books(RuleBasedStateMachine):
    """Any order of changes."""

    holders = Bundle("holders")

    def __init__(self) -> None:
        super().__init__()
        self.cache = PrefixCache()
        self.expected: dict[Holder, list[int]] = {}
        self.numbers = 0

    @rule(target=holders, tokens=TOKENS, place=st.sampled_from(list(Place)), priority=st.sampled_from(list(Priority)))
    def insert(self, tokens: list[int], place: Place, priority: Priority) -> Holder:
        """A new holder."""
        self.numbers += 1
        holder = Holder(place, self.numbers, priority=priority)
        if place is not Place.SLOT:
            holder.n_bytes = len(tokens)
        self.cache.insert(holder, tokens)
        self.expected[holder] = list(tokens)
        return holder

    @rule(holder=holders, tokens=TOKENS)
    def extend(self, holder: Holder, tokens: list[int]) -> None:
        """More tokens for one that is still in."""
        if holder in self.expected:
            self.cache.extend(holder, tokens)
            self.expected[holder] += tokens

    @rule(holder=holders, n_kept=st.integers(0, 14))
    def cut(self, holder: Holder, n_kept: int) -> None:
        """Fewer."""
        if holder in self.expected:
            self.cache.cut(holder, n_kept)
            del self.expected[holder][n_kept:]

    @rule(target=holders, holder=holders)
    def remove(self, holder: Holder) -> object:
        """One goes."""
        if holder in self.expected:
            self.cache.remove(holder)
            del self.expected[holder]
        return multiple()

    @rule(max_bytes=st.integers(0, 60), place=st.sampled_from([Place.MEMORY, Place.DISK]))
    def evict(self, max_bytes: int, place: Place) -> None:
        """Only of that place, and never more than needed."""
        before = self.cache.n_bytes(place)
        evicted = self.cache.evict(place, max_bytes)
        for holder in evicted:
            assert place is holder.place
            del self.expected[holder]
        left = self.cache.n_bytes(place)
        assert left == before - sum(holder.n_bytes for holder in evicted)
        assert left <= max_bytes
        assert not evicted or left + evicted[-1].n_bytes > max_bytes

    @rule(tokens=TOKENS)
    def match(self, tokens: list[int]) -> None:
        """As looking at each of them would find."""
        expected = {holder: common(held, tokens) for holder, held in self.expected.items()}
        found = {match.holder: match.n_common for match in self.cache.match(tokens)}
        assert {holder: n_common for holder, n_common in expected.items() if n_common} == found

    @invariant()
    def books_add_up(self) -> None:
        """Each holder has what it should have."""
        self.cache.check_integrity()
        assert self.expected == {holder: self.cache.tokens_of(holder) for holder in self.cache}


def common(left: list[int], right: list[int]) -> int:
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


TestBooks = Books.TestCase
TestBooks.settings = settings(max_examples=80, stateful_step_count=30, deadline=None)
