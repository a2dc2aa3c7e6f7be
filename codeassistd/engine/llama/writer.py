"""The child in which llama.cpp writes a model file; `written` starts it, and ends it.

It gets its order as a file, and lives no longer than its parent: where its standard input ends, nobody waits for the
model any more.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llama_cpp import llama_model_quantize_params

__all__ = ["PROBLEM", "Order", "main", "write_order"]

PROBLEM = "problem: "
"""Before the line that says why nothing was written."""

_ORDER = "order.json"
_FAILED = 1
_END = -1
"""Ends llama.cpp's list of layers."""


@dataclass(frozen=True, slots=True)
class Order:
    """How llama.cpp shall write a file, in its own numbers.

    Attributes:
        file_type: of the whole file (`LLAMA_FTYPE_...`); None copies tensors as they are.
        threads: processor threads; 0 takes all.
        types: formats (`GGML_TYPE_...`) of tensors by their whole names, which outrank the file's.
        embedding_type, output_type: formats of the embedding and of the head, which `types` does not reach.
        left_out: layers that are left out.
    """

    file_type: int | None = None
    threads: int = 0
    types: Mapping[str, int] = field(default_factory=dict)
    embedding_type: int | None = None
    output_type: int | None = None
    left_out: tuple[int, ...] = ()


def write_order(folder: Path, source: Path, target: Path, order: Order) -> Path:
    """Write the file that the child reads; paths may hold any bytes. Answers where it is."""
    path = folder / _ORDER
    asked = {"source": str(source), "target": str(target), "order": asdict(order)}
    path.write_text(json.dumps(asked), encoding="ascii")
    return path


def main() -> int:
    """What the child does; its argument is the order's file."""
    # Ctrl-C reaches the whole group of a terminal; when we end is for the parent to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="ascii"))
    source, target = Path(asked["source"]), Path(asked["target"])
    threading.Thread(target=_end_with_the_parent, args=(target.parent,), daemon=True).start()
    # Here and not above: the parent takes `Order` from here, and needs no library for it.
    import llama_cpp  # noqa: PLC0415 - see above

    from codeassistd.engine.llama.log import llama_log  # noqa: PLC0415 - imports the same

    log = llama_log()
    params, _kept = _params(Order(**asked["order"]))
    code = llama_cpp.llama_model_quantize(os.fsencode(source), os.fsencode(target), ctypes.byref(params))
    if code != 0:
        cause = "; ".join(log.take_errors()) or f"llama.cpp answered {code}"
        print(f"{PROBLEM}{cause}", flush=True)  # noqa: T201 - the pipe to the parent
    # Without the end of the interpreter, which would wait for the thread that reads.
    os._exit(_FAILED if code else 0)


def _end_with_the_parent(folder: Path) -> None:
    """Take what was written so far along when nobody is there any more to take it."""
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(_FAILED)


def _params(order: Order) -> tuple[llama_model_quantize_params, Any]:
    """llama.cpp's own parameters, and what they point to, which must live as long."""
    import llama_cpp  # noqa: PLC0415 - see main

    params = llama_cpp.llama_model_quantize_default_params()
    params.nthread = order.threads
    params.allow_requantize = True
    if order.file_type is None:
        params.only_copy = True
    else:
        params.ftype = order.file_type
    # llama.cpp takes the first pattern that is found in a name, and ends the list at an empty one.
    overrides = (llama_cpp.llama_model_tensor_override * (len(order.types) + 1))()
    patterns = [f"^{re.escape(name)}$".encode() for name in order.types]
    for entry, pattern, kind in zip(overrides, patterns, order.types.values(), strict=False):
        entry.pattern, entry.type = pattern, kind
    if order.types:
        params.tt_overrides = ctypes.cast(overrides, type(params.tt_overrides))
    if order.embedding_type is not None:
        params.token_embedding_type = order.embedding_type
    if order.output_type is not None:
        params.output_tensor_type = order.output_type
    left_out = (ctypes.c_int32 * (len(order.left_out) + 1))(*order.left_out, _END)
    if order.left_out:
        params.prune_layers = ctypes.cast(left_out, ctypes.POINTER(ctypes.c_int32))
    return params, (overrides, patterns, left_out)


if __name__ == "__main__":
    sys.exit(main())
