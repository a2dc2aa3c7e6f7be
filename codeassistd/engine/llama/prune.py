"""Write the first layers of a model as a small model of the same vocabulary, which may guess for it."""

from __future__ import annotations

from pathlib import Path

from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.writer import Order
from codeassistd.engine.llama.written import OnWritten, Writing, write_model
from codeassistd.errors import UsageError

__all__ = ["write_first_layers"]


def write_first_layers(
    source: Path, target: Path, n_layers: int, on_written: OnWritten = lambda _done, _all: None
) -> int:
    """Write the first `n_layers` of `source` to `target`, for the owner only, whole or not at all.

    Embedding, output and number formats are those of the source. Takes about as long as the copy of the file.

    Args:
        source: a GGUF file.
        target: in a folder that exists; replaced if it is there.
        n_layers: between 1 and one less than the source has.
        on_written: told at the start and now and then how many bytes of how many are written.

    Returns:
        How many layers the source has.

    Raises:
        UsageError: the source does not have so many layers to choose from.
        ModelLoadError: the source cannot be read, or the target not written.
    """
    header = read_header(source)
    n_all = header.number("block_count")
    if not 1 <= n_layers < n_all:
        raise UsageError(f"--layers {n_layers}: {source} has {n_all} layers, so take 1 to {n_all - 1}")
    order = Order(left_out=tuple(range(n_layers, n_all)))
    n_bytes = header.n_bytes - sum(header.layer_bytes[n_layers:])
    write_model(Writing(source, order, n_bytes, f"the first layers of {source}"), target, on_written)
    return n_all
