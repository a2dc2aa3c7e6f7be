"""`setup`: from an installed program to suggestions in the editor, asking nothing that it can find out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Annotated

import typer
from rich.text import Text

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.cli.checks import Verdict
from codeassistd.cli.doctor import look, show_checks
from codeassistd.cli.model import pull_with_bar, reload_running
from codeassistd.cli.options import AsJson
from codeassistd.cli.setup_view import EditorOutcome, choice_line, setup_report
from codeassistd.cli.terminal import is_conversation, notices
from codeassistd.config_layers import load
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.paths import OutsidePlaces, Paths
from codeassistd.setup.editors import Client, Presence, find_clients
from codeassistd.setup.installed import Installed
from codeassistd.setup.library import LibraryCare
from codeassistd.setup.ready import Readiness, Readying

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("setup")(_setup)


def _setup(
    *,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME|PATH", help="Take this model instead of choosing one.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Install the editor clients without asking.")] = False,
    no_editors: Annotated[bool, typer.Option("--no-editors", help="Leave the editors alone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make this machine ready: try llama.cpp, fetch a model that suits, put clients into the editors found.

    May be run again at any time: what is done stays, what was interrupted goes on. Exit code 1 if something does not
    work in the end.
    """
    paths = Paths.resolve()
    ready = _ready(paths, model)
    if not as_json:
        notices().print(Text(choice_line(ready)))
    if ready.problem:
        notices().print(Text(f"codeassistd: {ready.problem}"))
    outcomes: list[EditorOutcome] = []
    if not no_editors:
        ask = _ask if is_conversation() and not as_json else _decline
        outcomes = list(_editors(paths, (lambda _: True) if yes else ask))
    checks = look(paths)
    if as_json:
        asked: dict[str, object] = {"model": model, "yes": yes, "editors": not no_editors}
        typer.echo(setup_report(ready, outcomes, checks, asked).as_json())
    else:
        for outcome in outcomes:
            notices().print(Text(f"{outcome.editor}: {outcome.state}{f'; {outcome.hint}' if outcome.hint else ''}"))
        show_checks(checks)
    if ready.problem or any(check.verdict is Verdict.FAIL for check in checks):
        raise typer.Exit(1)


def _ready(paths: Paths, wanted: str) -> Readiness:
    catalogue = Catalogue(paths)
    ready = Readying(
        paths=paths,
        catalogue=catalogue,
        settings=load(paths).settings.model,
        pull=lambda name: pull_with_bar(catalogue, name, accept_licence=False),
        say=lambda line: notices().print(Text(line)),
        care=LibraryCare(paths),
    ).make(wanted)
    if ready.library.was_built:
        # One that runs has the library in memory that was in force before; an editor starts the next one.
        stop_daemon(paths)
    elif ready.was_chosen:
        reload_running(paths)
    return ready


def _editors(paths: Paths, agreed: Callable[[Client], bool]) -> Iterator[EditorOutcome]:
    """Install what is wished into the editors that are found."""
    clients = find_clients(OutsidePlaces.resolve(), Installed(paths.installed_file), os.environ)
    for client in clients:
        presence = client.presence()
        if presence is Presence.CURRENT:
            yield EditorOutcome(client.name, "installed")
        elif presence is Presence.FOREIGN:
            found = f"{client.place} holds something that setup did not put there, which is left alone"
            yield EditorOutcome(client.name, found, client.by_hand)
        elif presence is Presence.NO_FILES:
            yield EditorOutcome(client.name, "this installation does not carry its client", client.by_hand)
        elif not agreed(client):
            yield EditorOutcome(client.name, "not installed", f"`codeassistd setup --yes`, or {client.by_hand}")
        else:
            problem = client.install()
            yield EditorOutcome(client.name, f"not installed: {problem}" if problem else "installed")


def _ask(client: Client) -> bool:
    return typer.confirm(f"install the client for {client.name} ({client.place})?", default=True, err=True)


def _decline(client: Client) -> bool:
    """Nobody is there to agree."""
    del client
    return False
