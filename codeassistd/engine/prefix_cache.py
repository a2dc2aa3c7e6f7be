"""Which prefixes of tokens are cached, and who holds each: a radix tree over token ids. Pure bookkeeping.

A holder is a slot, whose cells are live in the backend, or a saved state, which can be brought back into a slot. Each
ends at one node of the tree; the tokens on the way from the root to that node are what it holds:

    root --[1 2 3]-- o --[4 5]-- slot 0, saved 7       slot 0 and saved 7 hold 1 2 3 4 5
                     '---[9]---- slot 2                slot 2 holds 1 2 3 9

Nodes without a holder stand only where ways part, so the tree has fewer than twice as many nodes as holders.

The life of a saved state: `match` finds it and changes nothing; `lock` keeps it while its data are in use; `insert`
takes a new one in; `unlock` lets it be evicted again; `evict` drops the least useful ones until the bytes fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from codeassistd.engine.request import Priority

__all__ = ["Holder", "Match", "Place", "PrefixCache"]


class Place(StrEnum):
    """Where a holder has its tokens' keys and values."""

    SLOT = "slot"
    MEMORY = "memory"
    DISK = "disk"


@dataclass(slots=True, eq=False)
class _Node:
    """The end of a run of tokens.

    Attributes:
        edge: the tokens between the parent and this node; empty at the root alone.
        children: by the first token of their edge.
        holders: those who end here.
    """

    edge: list[int] = field(default_factory=list)
    parent: _Node | None = None
    children: dict[int, _Node] = field(default_factory=dict)
    holders: list[Holder] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Holder:
    """A slot or a saved state.

    Attributes:
        number: of the slot, or of the saved state.
        priority: of its last use; what is of `PREWARM` or less is dropped first.
        used: counts up with each use; the least is the oldest.
        n_bytes: size of a saved state; 0 for a slot.
        n_tokens: how many tokens it holds; kept by the cache.
        locks: while above 0 it is not evicted.
        client: for whom its tokens were read last.
    """

    place: Place
    number: int
    priority: Priority = Priority.COMPLETION
    used: int = 0
    n_bytes: int = 0
    n_tokens: int = 0
    locks: int = 0
    client: str = ""
    node: _Node | None = field(default=None, repr=False)

    @property
    def worth(self) -> tuple[bool, int]:
        """Its place among those that could be dropped; the least goes first."""
        return (self.priority < Priority.PREWARM, self.used)


@dataclass(frozen=True, slots=True)
class Match:
    """A holder, and with how many of its tokens a prompt begins."""

    holder: Holder
    n_common: int


class PrefixCache:
    """Every cached prefix of one backend."""

    def __init__(self) -> None:
        self._root = _Node()
        self._holders: dict[Holder, None] = {}
        self._uses = 0

    def __iter__(self) -> Iterator[Holder]:
        return iter(tuple(self._holders))

    def __contains__(self, holder: Holder) -> bool:
        return holder in self._holders

    def n_bytes(self, place: Place) -> int:
        """Bytes of all states saved in `place`. Changes nothing."""
        return sum(holder.n_bytes for holder in self._holders if holder.place is place)

    def match(self, tokens: Sequence[int]) -> list[Match]:
        """Every holder that begins like `tokens`, with how far; in no useful order.

        Changes nothing. The answer is true until the next call that changes something; `lock` what is to outlast that.
        """
        matches: list[Match] = []
        node, depth = self._root, 0
        while True:
            following = node.children.get(tokens[depth]) if depth < len(tokens) else None
            if depth:
                matches += (Match(holder, depth) for holder in node.holders)
                for child in node.children.values():
                    if child is not following:
                        matches += (Match(holder, depth) for holder in _below(child))
            if following is None:
                return matches
            n_common = _n_common(following.edge, tokens, depth)
            depth += n_common
            if n_common < len(following.edge):
                matches += (Match(holder, depth) for holder in _below(following))
                return matches
            node = following

    def tokens_of(self, holder: Holder) -> list[int]:
        """What a holder holds. Changes nothing."""
        edges: list[list[int]] = []
        node = holder.node
        while node is not None:
            edges.append(node.edge)
            node = node.parent
        return [token for edge in reversed(edges) for token in edge]

    def insert(self, holder: Holder, tokens: Sequence[int]) -> None:
        """Take a holder in. Changes the tree; a `match` from before does not know it.

        Raises:
            ValueError: it is in already.
        """
        if holder in self._holders:
            raise ValueError("the holder is in the cache already")
        self._holders[holder] = None
        self._put(holder, self._root, tokens)
        holder.n_tokens = len(tokens)
        self.touch(holder)

    def extend(self, holder: Holder, tokens: Sequence[int]) -> None:
        """A holder has got more tokens. Changes the tree; matches from before still are right, if too short."""
        node = _node_of(holder)
        holder.n_tokens += len(tokens)
        if node.parent is not None and not node.children and len(node.holders) == 1:
            node.edge.extend(tokens)  # the usual case, once per token of a running sequence
            return
        node.holders.remove(holder)
        self._put(holder, node, tokens)
        self._tidy(node)

    def cut(self, holder: Holder, n_kept: int) -> None:
        """A holder has only its first `n_kept` tokens left. Changes the tree; matches of it from before are void."""
        if n_kept >= holder.n_tokens:
            return
        tokens = self.tokens_of(holder)[:n_kept]
        self._take_out(holder)
        self._put(holder, self._root, tokens)
        holder.n_tokens = n_kept

    def remove(self, holder: Holder) -> None:
        """Let a holder go, locked or not. Changes the tree; its matches from before are void.

        Raises:
            KeyError: it is not in.
        """
        del self._holders[holder]
        self._take_out(holder)

    def lock(self, holder: Holder) -> None:
        """Keep a holder from being evicted, until as many calls of `unlock`. Leaves the tree as it is."""
        holder.locks += 1

    def unlock(self, holder: Holder) -> None:
        """Take one `lock` back. Leaves the tree as it is; from now on the holder may be gone after any `evict`.

        Raises:
            ValueError: it is not locked.
        """
        if holder.locks == 0:
            raise ValueError("the holder is not locked")
        holder.locks -= 1

    def touch(self, holder: Holder) -> None:
        """A holder was used. Leaves the tree as it is; the order of eviction changes."""
        self._uses += 1
        holder.used = self._uses

    def evict(self, place: Place, max_bytes: int) -> list[Holder]:
        """Drop states saved in `place` until they have at most `max_bytes`, as far as none is locked.

        Background work and pre-warmed prompts go first, then what was not used for longest. Changes the tree; the
        caller frees the data of those in the answer.
        """
        n_bytes = self.n_bytes(place)
        evicted: list[Holder] = []
        for holder in sorted((held for held in self._holders if held.place is place), key=lambda held: held.worth):
            if n_bytes <= max_bytes:
                break
            if not holder.locks:
                n_bytes -= holder.n_bytes
                self.remove(holder)
                evicted.append(holder)
        return evicted

    def check_integrity(self) -> None:
        """Raise AssertionError if the books do not add up; for tests. Changes nothing."""
        # ruff: noqa: S101 - an audit
        assert not self._root.edge
        assert self._root.parent is None
        met: list[Holder] = []
        self._check(self._root, 0, met)
        assert len(met) == len(set(map(id, met))) == len(self._holders)
        assert all(holder in self._holders for holder in met)
        for holder in met:
            assert holder.locks >= 0
            assert holder.n_bytes >= 0
            assert 0 < holder.used <= self._uses
            assert (holder.n_bytes == 0) or holder.place is not Place.SLOT

    def _check(self, node: _Node, depth: int, met: list[Holder]) -> None:
        for holder in node.holders:
            assert holder.node is node
            assert holder.n_tokens == depth
            met.append(holder)
        if node is not self._root:
            assert node.edge
            assert node.holders or len(node.children) > 1
        for first, child in node.children.items():
            assert child.parent is node
            assert child.edge[0] == first
            self._check(child, depth + len(child.edge), met)

    def _put(self, holder: Holder, node: _Node, tokens: Sequence[int]) -> None:
        """Have `holder` end where `tokens` lead to from `node`."""
        depth = 0
        while depth < len(tokens):
            child = node.children.get(tokens[depth])
            if child is None:
                child = _Node(list(tokens[depth:]), node)
                node.children[tokens[depth]] = child
            n_common = _n_common(child.edge, tokens, depth)
            node = child if n_common == len(child.edge) else _split(child, n_common)
            depth += n_common
        node.holders.append(holder)
        holder.node = node

    def _take_out(self, holder: Holder) -> None:
        node = _node_of(holder)
        node.holders.remove(holder)
        holder.node = None
        self._tidy(node)

    def _tidy(self, node: _Node) -> None:
        """Remove a node that nobody needs any more, and the parent if that is not needed either."""
        parent = node.parent
        if parent is None or node.holders:
            return
        if not node.children:
            del parent.children[node.edge[0]]
            self._tidy(parent)
        elif len(node.children) == 1:
            (child,) = node.children.values()
            child.edge = node.edge + child.edge
            child.parent = parent
            parent.children[child.edge[0]] = child


def _split(node: _Node, n_upper: int) -> _Node:
    """Put a node in between, `n_upper` tokens down the edge, and answer it."""
    parent = node.parent
    if parent is None:
        raise ValueError("the root has no edge")
    upper = _Node(node.edge[:n_upper], parent, {node.edge[n_upper]: node})
    parent.children[upper.edge[0]] = upper
    node.edge = node.edge[n_upper:]
    node.parent = upper
    return upper


def _below(node: _Node) -> Iterable[Holder]:
    """All holders from this node on."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        yield from node.holders
        nodes += node.children.values()


def _node_of(holder: Holder) -> _Node:
    if holder.node is None:
        raise KeyError("the holder is not in the cache")
    return holder.node


def _n_common(edge: list[int], tokens: Sequence[int], start: int) -> int:
    """How many tokens of `edge` come in `tokens` from `start` on."""
    n_max = min(len(edge), len(tokens) - start)
    if list(tokens[start : start + n_max]) == edge[:n_max]:
        return n_max
    # Whole-slice comparison runs in C; the bisection finds the first difference in log(n) such comparisons.
    low, high = 0, n_max - 1
    while low < high:
        middle = (low + high + 1) // 2
        if list(tokens[start + low : start + middle]) == edge[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
