"""Plays scenarios to a real daemon that has the recorded model in place of one.

All that stands between the engine's scores and the editor's screen is the program's own: the engine, the service, the
rules, the pipeline, the parse check, the gate, the protocol. There is no index, since prompts are judged elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from codeassistd.clock import SystemClock
from codeassistd.daemon.hello import Answer, Hello, Kind
from codeassistd.daemon.transport import transport_for
from codeassistd.errors import DaemonError, UsageError
from codeassistd.evals.scenarios.conversation import play, write_project
from codeassistd.evals.scenarios.outcome import Outcome, outcome_of
from codeassistd.evals.scenarios.raw_texts import RawText, recordings_of, titles_without_text
from codeassistd.evals.scenarios.scenario import Scenario
from codeassistd.paths import Paths, make_private_dir
from codeassistd.syntax.languages import Languages
from codeassistd.testing.lsp_client import LspClient, LspError
from codeassistd.testing.lsp_process import until_ready
from codeassistd.testing.replay_backend import written_script
from codeassistd.testing.scratch import scratch_daemon

__all__ = ["run_scenarios"]

_READY_S = 60.0
_CONNECT_S = 30.0
#: Of the daemon: no index, and prompts long enough for whatever stands before a cursor.
_SETTINGS: Mapping[str, str] = {
    "index.enabled": "false",
    "completion.history": "false",
    "context.max_tokens": "8192",
    "context.cold_ms": "60000",
    "model.cache_disk_mb": "0",
    "daemon.idle_exit_s": "0",
}


def run_scenarios(
    scenarios: Sequence[Scenario],
    recorded: Mapping[str, RawText],
    on_scenario: Callable[[], None],
    settings: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """What comes of each; blocks, and leaves nothing behind.

    Args:
        scenarios: what is played.
        recorded: what the model said, by title.
        on_scenario: called after each.
        settings: of the daemon, beside the usual ones; what a scenario sets itself comes before them.

    Raises:
        UsageError: nothing is recorded for one of them, or two cannot be told apart.
        DaemonError: there is no daemon to be had, or it fails.
    """
    without = titles_without_text(scenarios, recorded)
    if without:
        raise UsageError(f"{without[0]}: nothing was recorded there; run it with --record, or give a raw text")
    with tempfile.TemporaryDirectory(prefix="codeassistd-") as folder:
        home = Path(folder)
        script = home / "said.json"
        script.write_text(written_script(recordings_of(scenarios, recorded)), "utf-8")
        serve = (sys.executable, "-P", "-m", "codeassistd.testing.serve", str(script))
        with scratch_daemon(_nobody(home), {**_SETTINGS, **(settings or {})}, serve) as daemon:
            return asyncio.run(_play_all(scenarios, daemon.paths, home, on_scenario))


def _nobody(home: Path) -> Paths:
    """Places without anybody's settings: what comes must be the same everywhere."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(home / "nobody")})
    make_private_dir(paths.config_dir)
    make_private_dir(paths.data_dir)
    return paths


async def _play_all(
    scenarios: Sequence[Scenario], paths: Paths, home: Path, on_scenario: Callable[[], None]
) -> list[Outcome]:
    languages, outcomes = Languages.default(), []
    async with _connected(paths) as client:
        await client.initialize()
        await until_ready(client, SystemClock(), _READY_S)
    for number, scenario in enumerate(scenarios):
        root = home / f"w{number}"
        root.mkdir()
        write_project(scenario, root)
        try:
            async with _connected(paths) as client:
                came = await play(scenario, client, root)
        except (LspError, TimeoutError) as error:
            raise DaemonError(f"the language server failed in {scenario.title} ({error})") from error
        outcomes.append(outcome_of(scenario, came, languages))
        on_scenario()
    return outcomes


@contextlib.asynccontextmanager
async def _connected(paths: Paths) -> AsyncIterator[LspClient]:
    """An editor's connection: one for each scenario, so that none knows of another."""
    transport = transport_for(paths)
    peer = transport.connect(_CONNECT_S)
    if peer is None:
        raise DaemonError("the daemon of the scenarios is gone")
    reader, writer = await asyncio.open_connection(sock=peer)
    writer.write(Hello(Kind.LSP, token=transport.token()).to_line())
    answer = Answer.from_line(await reader.readline())
    if not answer.ok:
        raise DaemonError(answer.error)
    async with LspClient(reader, writer) as client:
        yield client
