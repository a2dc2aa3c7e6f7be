"""`model draft`: a small model made of the first layers of a bigger one, to guess for it."""

from __future__ import annotations

from typing import Annotated

import typer

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.catalogue.drafts import draft_name
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import byte_progress, notices
from codeassistd.config_layers import load
from codeassistd.errors import UsageError
from codeassistd.paths import Paths, make_private_dir

__all__ = ["draft"]

_MEGABYTE = 1_000_000

_HONEST = (
    "as it is, it will seldom guess right: of a model of 30 layers the first 8 guessed 2 % of the tokens, 15 guessed "
    "6 %, and 24 guessed 38 %. Where guesses do not pay the engine stops asking for them; `codeassistd status` shows "
    "how many were right"
)


def draft(
    layers: Annotated[int, typer.Option("--layers", metavar="N", help="How many of the first layers to take.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME|PATH", help="The main model; the one in use by default.")
    ] = None,
    *,
    replace: Annotated[bool, typer.Option("--replace", help="Write it anew where it is there already.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the first layers of a model as a small one that may guess for it (`model.draft`)."""
    # Here and not above: a help page must not load the native library.
    from codeassistd.daemon.model_files import prepare_model  # noqa: PLC0415 - see above
    from codeassistd.engine.llama.prune import write_first_layers  # noqa: PLC0415 - see above

    paths = Paths.resolve()
    catalogue = Catalogue(paths)
    settings = load(paths).settings.model.model_copy(update={"draft": ""} | ({"name": model} if model else {}))
    # The very file that the engine reads, so that the layers are the same to the last bit.
    source = prepare_model(catalogue, settings)
    name = draft_name(source.name, layers)
    target = catalogue.drafts.path_of(name)
    if target.exists() and not replace:
        raise UsageError(f"{name} is at {target} already; write it anew with --replace")
    make_private_dir(target.parent)
    with byte_progress() as progress:
        bar = progress.add_task(name, total=None)

        def show(n_done: int, n_bytes: int) -> None:
            if progress.disable and n_done == 0:
                notices().print(f"writing {name} ({n_bytes // _MEGABYTE:,} MB)")
            progress.update(bar, completed=n_done, total=n_bytes)

        n_all = write_first_layers(source.path, target, layers, show)
    size = target.stat().st_size
    if as_json:
        figures = {"n_layers": layers, "n_layers_of_model": n_all, "size_bytes": size}
        effective = {"model": source.name, "source": str(source.path), "name": name, "path": str(target)}
        typer.echo(Report("model draft", {"layers": layers, "model": model}, effective, figures).as_json())
        return
    typer.echo(str(target))
    notices().print(
        f'codeassistd: {layers} of {n_all} layers, {size // _MEGABYTE:,} MB; use it with: model.draft = "{name}"'
    )
    notices().print(f"codeassistd: {_HONEST}")
