"""The status of the daemon for people: one block per part, with asked and effective side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.text import Text

from codeassistd.cli.terminal import print_table

__all__ = [
    "conversation_rows",
    "engine_rows",
    "print_status",
    "profile_words",
    "session_rows",
    "tuned_rows",
    "workspace_rows",
]

_STYLES = {"ready": "green", "error": "red"}
_MEBIBYTE = 1 << 20
#: The engine's name for a step that writes one token of one text.
_ONE_STREAM = "decode 1"

Row = tuple[str | Text, ...]


def print_status(status: Mapping[str, Any]) -> None:
    """Print all parts."""
    print_table(("daemon", ""), _daemon(status))
    print_table(("model", "asked", "effective"), _model(status["model"]))
    if status["tuned"]["asked"]:
        print_table(("tuned", "profile", "effective"), tuned_rows(status["tuned"]))
    print_table(("engine", ""), engine_rows(status["engine"], status["completions"]))
    print_table(("index", "phase", "files", "symbols", "watching"), workspace_rows(status["index"]))
    print_table(("editor", "workspaces", "documents"), session_rows(status["sessions"]))
    if status["chat"]["conversations"]:
        print_table(("conversation", "turns", "cache tokens", "remembered"), conversation_rows(status["chat"]))


def workspace_rows(index: Mapping[str, Any]) -> Iterator[Row]:
    """One row per workspace, and one under it for each kind of file that was left out."""
    for workspace in index.get("workspaces", ()):
        done = f"{workspace['n_done']} of {workspace['n_total']}"
        yield workspace["root"], workspace["phase"], done, str(workspace["n_symbols"]), workspace["watching"]
        for verdict, count in sorted(workspace["verdicts"].items()):
            yield f"  {verdict}", "", str(count)
    if not index:
        yield ("off (index.enabled)",)
    elif not index.get("workspaces") and not index.get("problem"):
        yield ("none open",)
    if index.get("problem"):
        yield (Text(index["problem"], style="red"),)


def engine_rows(engine: Mapping[str, Any], completions: Mapping[str, Any]) -> Iterator[Row]:
    """What the engine does and how fast; what it has not measured yet is left out."""
    yield "sequences", f"{engine['n_running']} running, {engine['n_waiting']} waiting, {engine['n_slots']} slots"
    memory = f", {engine['kv_bytes'] // _MEBIBYTE} MiB" if engine["kv_bytes"] else ""
    yield "cache", f"{engine['cells_used']} of {engine['cells_total']} cells{memory}"
    if engine["n_saved"] or engine["n_restored"]:
        saved = f"{engine['n_saved']} saved ({engine['saved_bytes'] // _MEBIBYTE} MiB)"
        yield "prompts", f"{saved}, {engine['n_restored']} times brought back"
    pace = ", ".join(_pace(engine))
    if pace:
        yield "pace", pace
    for draft in engine["drafts"]:
        share = draft["n_accepted"] / draft["n_drafted"] if draft["n_drafted"] else 0.0
        yield "guesses", f"{draft['n_accepted']} of {draft['n_drafted']} right ({share:.0%}), from {draft['drafter']}"
    counts = {
        name: count for name, count in completions.items() if isinstance(count, int) and not name.startswith("n_")
    }
    yield "requests", ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none yet"
    shown = ", ".join(f"{count} {source}" for source, count in completions["sources"].items() if count)
    if shown:
        yield "suggestions", f"{shown}; {completions['saved_ms'] / 1000:.1f} s of the engine saved"
    ahead = completions["follow_ups"]
    if ahead["n_begun"]:
        spent_s = ahead["engine_ms"] / 1000
        yield "worked ahead", f"{ahead['n_begun']} times, {ahead['n_used']} of use, {spent_s:.1f} s of the engine"
    semantic = completions["semantic"]
    if semantic["effective"] != "off":
        yield "similar places", _proposals(semantic)
    yield "prompt tokens", f"{completions['n_prompt']}, of them reused {completions['reuse']:.0%}"


def session_rows(sessions: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """One row per editor."""
    if not sessions:
        yield ("none connected",)
    for session in sessions:
        yield session["client"] or session["id"], ", ".join(session["roots"]), str(session["n_documents"])


def conversation_rows(chat: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each conversation that is open."""
    for one in chat["conversations"]:
        turns = f"{one['n_turns']}, {one['n_window']} word for word"
        cells = f"{one['n_cells']} of {one['n_cells_most']}" if one["n_cells_most"] else "none yet"
        by = f" (by {one['summary_by']})" if one["summary_by"] else ""
        yield one["session"], turns, cells, f"{one['n_remembered']}{by}"
    if chat["problem"]:
        yield (Text(chat["problem"], style="red"),)


def profile_words(profile: Mapping[str, Any]) -> str:
    """How the model is asked: the order of the parts, and where its markers were found."""
    if not profile["order"]:
        return "not known yet"
    markers = "no markers" if profile["source"] == "none" else f"markers from {profile['source']}"
    return f"{profile['order']} ({markers})"


def _daemon(status: Mapping[str, Any]) -> Iterator[Row]:
    state = status["state"]
    yield "state", Text(f"{state} {status['detail']}".strip(), style=_STYLES.get(state, "yellow"))
    uptime = timedelta(seconds=int(status["uptime_s"]))
    memory = f"{status['memory_bytes'] // _MEBIBYTE} MiB"
    yield "process", f"{status['pid']}, version {status['version']}, up {uptime}, {memory}"
    if status["snoozed_s"]:
        yield "snoozed", f"for {timedelta(seconds=int(status['snoozed_s']))} (`codeassistd snooze --off` ends it)"
    yield "gate", f"{status['gate']['effective']} ({status['gate']['problem'] or status['gate']['why']})"
    exporter = status["exporter"]
    if exporter["asked"]:
        served = f"{exporter['effective']} (token in {exporter['token_file']})"
        yield "metrics", Text(exporter["problem"], style="yellow") if exporter["problem"] else served
    yield "log", status["log_file"]
    if status["last_error"]:
        when = datetime.fromtimestamp(status["last_error_at"], UTC).astimezone()
        yield "last error", Text(f"{status['last_error']} ({when:%Y-%m-%d %H:%M:%S})", style="red")


def _model(model: Mapping[str, Any]) -> Iterator[Row]:
    asked, effective = model["asked"], model["effective"]
    for name in dict.fromkeys([*asked, *effective]):
        wanted, used = str(asked.get(name, "")), str(effective.get(name, ""))
        yield name, wanted, Text(used, style="" if wanted in {used, ""} else "bold")
    profile = model["profile"]
    yield "profile", "", profile_words(profile)
    for warning in [*model["warnings"], *([profile["warning"]] if profile["warning"] else [])]:
        yield "warning", Text(warning, style="yellow")


def tuned_rows(tuned: Mapping[str, Any]) -> Iterator[Row]:
    """The settings that `tune` has found; what the user has set himself outranks them and is marked."""
    for key, asked in tuned["asked"].items():
        used = tuned["effective"][key]
        shown = str(used).lower() if isinstance(used, bool) else str(used)
        yield key, asked, Text(shown, style="" if shown == asked else "bold")


def _proposals(semantic: Mapping[str, Any]) -> str:
    """What became of the answers that were proposed again."""
    made = f"{semantic['n_proposed']} answers proposed, {semantic['confirmed_share']:.0%} of their tokens confirmed"
    saved = f"{semantic['saved_ms'] / 1000:.1f} s saved"
    problem = f" ({semantic['problem']})" if semantic["problem"] else ""
    return f"{made}, {saved}; {semantic['n_keys']} kept in {semantic['effective']}{problem}"


def _pace(engine: Mapping[str, Any]) -> Iterator[str]:
    """How fast the engine goes, as far as it has measured itself yet."""
    if engine["prefill_tokens_per_s"]:
        yield f"reads {engine['prefill_tokens_per_s']:.0f} tokens/s"
    if _ONE_STREAM in engine["step_ms"]:
        yield f"writes a token in {engine['step_ms'][_ONE_STREAM]:.0f} ms"
    if engine["n_threads"]:
        yield f"{engine['n_threads']} threads in force"
    if engine["n_chunk"]:
        yield f"{engine['n_chunk']} prompt tokens a step beside running text (goal {engine['step_goal_ms']:.0f} ms)"
