"""docs/benchmarks.md and docs/evals.md from the figures of runs, so that no table is written by hand.

    codeassistd bench typing --json | python -m scripts.report keep typing
    python -m scripts.report write

The first keeps what a command printed in docs/figures/typing.json, with the machine it was run on and without the names
of folders there. The second fills the blocks of the pages: what stands between `<!-- figures: typing -->` and
`<!-- /figures -->`; the words round them stay. `run` measures what is named, or all, and keeps it.
"""

from __future__ import annotations

import argparse
import email
import json
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from codeassistd.bench.bars import bars
from scripts.report_blocks import filled

__all__ = ["FIGURES", "PAGES", "RUNS", "anonymous", "kept_figures", "main", "pictures"]

DOCS = Path(__file__).resolve().parent.parent / "docs"
FIGURES = DOCS / "figures"
PAGES = (DOCS / "benchmarks.md", DOCS / "evals.md")

_SHORT_PROMPTS = ("--set", "context.max_tokens=1200")
#: How each of the figures is measured, and about how many minutes that takes on two quiet cores.
RUNS: Mapping[str, tuple[tuple[str, ...], int]] = {
    "engine": (("bench", "engine"), 25),
    "engine-guesses": (("bench", "engine", "--only", "spec_speedup"), 5),
    "typing": (("bench", "typing", "--keys", "40"), 10),
    "load": (("bench", "load"), 2),
    "index": (("bench", "index", str(Path(json.__file__).parent.parent), "--pairs", "3"), 2),
    "chat": (("bench", "chat"), 12),
    "matrix": (("bench", "matrix"), 20),
    "eval-repo": (("eval", "repo", str(Path(email.__file__).parent), "--limit", "12", *_SHORT_PROMPTS), 6),
    "eval-long": (("eval", "long", "--limit", "2", "--set", "model.n_ctx=1024", "--vs", "model.repack=false"), 8),
    "eval-chat": (("eval", "chat"), 12),
    "eval-scenarios": (("eval", "scenarios"), 1),
}
_FOLDERS = re.compile(r"(?<![\w.:/])(?:/[\w.@+-]+)+/(?=[\w.@+-])")


def main(argv: Sequence[str] | None = None) -> int:
    """Keep, write or run; answers the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.report", description=(__doc__ or "").partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    keep = verbs.add_parser("keep", help="keep the report on standard input")
    keep.add_argument("name")
    run = verbs.add_parser("run", help="measure and keep")
    run.add_argument("name", nargs="*", metavar=f"{{{','.join(RUNS)}}}")
    verbs.add_parser("write", help="fill the pages")
    arguments = parser.parse_args(argv)
    if arguments.verb == "keep":
        _keep(arguments.name, json.load(sys.stdin))
    elif arguments.verb == "run":
        unknown = [name for name in arguments.name if name not in RUNS]
        if unknown:
            parser.error(f"there is no run {unknown[0]}; there are {', '.join(RUNS)}")
        _run(arguments.name or list(RUNS))
    else:
        _write()
    return 0


def kept_figures() -> dict[str, Any]:
    """All that is kept, by name."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(FIGURES.glob("*.json"))}


def pictures(figures: Mapping[str, Any]) -> dict[str, str]:
    """The plots that belong to the pages, by file name."""
    made = {}
    if "matrix" in figures:
        cells = [row for row in figures["matrix"]["rows"] if row["p90_ms"] is not None]
        axes = figures["matrix"]["asked"]["axes"]
        speed = [(", ".join(str(row[axis]) for axis in axes), row["p90_ms"]) for row in cells]
        made["matrix_p90.svg"] = bars("A key, 90 of 100 are faster (ms)", speed)
        loss = {", ".join(str(row[axis]) for axis in ("kv", "pruning")): row["nll_change"] or 0.0 for row in cells}
        made["matrix_nll.svg"] = bars("What the model knows less of the truth (nats a token)", list(loss.items()))
    return made


def anonymous(value: Any) -> Any:
    """A report without the folders of the machine it was made on."""
    if isinstance(value, Mapping):
        return {key: anonymous(one) for key, one in value.items()}
    if isinstance(value, list):
        return [anonymous(one) for one in value]
    return _FOLDERS.sub("", value) if isinstance(value, str) else value


def _run(names: Sequence[str]) -> None:
    """Measure one after the other, since they would disturb each other."""
    for name in names:
        command, minutes = RUNS[name]
        print(f"measuring {name} (about {minutes} minutes)", flush=True)
        done = subprocess.run(
            [sys.executable, "-P", "-m", "codeassistd", *command, "--json"], stdout=subprocess.PIPE, check=False
        )
        if not done.stdout:
            print(f"{name}: no figures (exit code {done.returncode})", file=sys.stderr)
            continue
        if done.returncode:
            print(f"{name}: kept, but it ended with exit code {done.returncode}", file=sys.stderr)
        _keep(name, json.loads(done.stdout))


def _keep(name: str, report: Mapping[str, Any]) -> None:
    FIGURES.mkdir(exist_ok=True)
    kept = {**anonymous(report), "machine": _machine()}
    (FIGURES / f"{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _write() -> None:
    figures = kept_figures()
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8"), figures), "utf-8")
    for name, picture in pictures(figures).items():
        (FIGURES / name).write_text(picture, "utf-8")


def _machine() -> dict[str, object]:
    return {
        "processor": _processor(),
        "n_processors": psutil.cpu_count() or 1,
        "memory_bytes": psutil.virtual_memory().total,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text("utf-8", "replace").splitlines() if info.exists() else ():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
