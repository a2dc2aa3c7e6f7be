"""The settings: names, units, defaults and bounds.

Settings are frozen and passed down by section: a room gets its own section and never the whole. Layers, lowest first:
defaults, the tuned profile, the user's file, the workspace's file, the environment
(`CODEASSISTD_COMPLETION__ENABLED=false`), the command line, the editor.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from codeassistd.wildcards import MOST_STARS, MOST_STARS_IN_A_NAME, affordable

__all__ = [
    "WORKSPACE_SECTIONS",
    "ChatSettings",
    "CompletionSettings",
    "ContextSettings",
    "DaemonSettings",
    "IndexSettings",
    "LogSettings",
    "MetricsSettings",
    "ModelSettings",
    "Settings",
]

KvType = Literal["f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]

#: Sections that `.codeassistd.toml` in a workspace may set: none of them can run code, reach a model or open a log.
WORKSPACE_SECTIONS = frozenset({"completion", "context", "chat"})


def _readable_rules(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of a `.gitignore` as they are.

    Raises:
        ValueError: git would not understand one of them, or it takes seconds to compare with a long name, for which
            all editors would wait: a workspace may set this.
    """
    for line in lines:
        if affordable(line) != line:
            raise ValueError(f"at most {MOST_STARS} stars in a line, {MOST_STARS_IN_A_NAME} between two slashes")
    if lines:
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only where somebody uses the setting

        try:
            GitIgnoreSpec.from_lines(lines)
        except ValueError as error:
            raise ValueError(f"lines as in a .gitignore ({error})") from error
    return lines


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ModelSettings(_Section):
    """The model in memory and the context it runs in."""

    name: Annotated[str, Field(min_length=1)] = "starter"
    """Name of a manifest (see `model list`) or the path of a GGUF file; `model use` sets it."""
    n_ctx: Annotated[int, Field(ge=256, le=1_048_576)] = 4096
    """Tokens that one client's sequence can hold; costs memory for keys and values."""
    n_slots: Annotated[int, Field(ge=1, le=64)] = 4
    """Sequences in memory at once; more keep more editors' and files' prompts warm."""
    n_batch: Annotated[int, Field(ge=16, le=8192)] = 512
    """Most tokens of one engine step; a longer prompt is read in several."""
    step_ms: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Longest time that running text waits while a prompt is read beside it; 0 takes 60 ms, or 30 ms on a GPU."""
    max_draft: Annotated[int, Field(ge=0, le=64)] = 16
    """Most tokens of running text that one step guesses ahead, where that pays; 0 turns it off."""
    draft: str = ""
    """A small model that guesses too, by name or path; `auto` takes the manifest's own if it was pulled."""
    lora: tuple[str, ...] = ()
    """LoRA adapters over the model's weights, each the path of a GGUF file or `PATH=SCALE`."""
    threads: Annotated[int, Field(ge=0, le=512)] = 0
    """Processor threads of the engine; 0 takes one per physical core."""
    gpu_layers: Annotated[int, Field(ge=-1, le=10_000)] = -1
    """Layers on the GPU; -1 takes all where the build has a GPU, else none."""
    flash_attention: Literal["auto", "on", "off"] = "auto"
    """`auto` is off on a processor (slower there) and on with a GPU."""
    kv_type_k: KvType = "f16"
    """Number format of the cached keys."""
    kv_type_v: KvType = "f16"
    """Number format of the cached values; a quantised one needs flash attention."""
    kv_mb: Annotated[int, Field(ge=0, le=16_777_216)] = 0
    """Most memory for keys and values, in MiB; more is cut to fewer slots, then to a shorter context. 0: no limit."""
    cache_mb: Annotated[int, Field(ge=0, le=1_048_576)] = 256
    """Memory for prompts that had to leave their slots, in MiB, so that they are not read again; 0 keeps none."""
    cache_disk_mb: Annotated[int, Field(ge=0, le=1_048_576)] = 128
    """Disk space for prompts kept over a restart, in MiB; `codeassistd cache clear` removes them. 0 keeps none."""
    idle_unload_s: Annotated[float, Field(ge=0, le=604_800)] = 900.0
    """Give the model's memory back after this time without requests; the next one loads it again. 0 never does."""
    fim: Literal["auto", "prefix-only", "refuse"] = "auto"
    """Without markers `auto` takes the prefix alone and `refuse` gives nothing; `prefix-only` never uses markers."""
    fim_prefix: str = ""
    """Fill-in-middle prefix marker, set by hand; used only if the model has it as a single token."""
    fim_suffix: str = ""
    """Fill-in-middle suffix marker, set by hand."""
    fim_middle: str = ""
    """Fill-in-middle middle marker, set by hand."""
    repack: bool = True
    """Keep a copy of the model requantised to a format that this processor reads fast."""
    repack_type: Literal["q4_0", "q8_0"] = "q4_0"
    """Format of that copy: `q4_0` writes faster, `q8_0` keeps all that the model knows."""


class CompletionSettings(_Section):
    """When and what to suggest."""

    enabled: bool = True
    """Suggest at all."""
    max_tokens: Annotated[int, Field(ge=1, le=4096)] = 64
    """Longest suggestion in tokens."""
    max_lines: Annotated[int, Field(ge=1, le=200)] = 12
    """Longest suggestion in lines."""
    multiline: Literal["auto", "never"] = "auto"
    """`auto` gives several lines where a block is empty, one statement elsewhere; `never` keeps to one line."""
    deadline_ms: Annotated[int, Field(ge=50, le=60_000)] = 2000
    """After this time the editor gets what is there."""
    follow_up: Literal["auto", "on", "off"] = "auto"
    """Work out ahead what follows the shown suggestion; `auto` does not on a battery or at low eagerness."""
    eagerness: Literal["low", "medium", "high", "always"] = "medium"
    """How sure of a text the model must be for it to be shown unasked; `always` shows whatever fits."""
    menu: bool = False
    """Suggest in the completion menu, for editors without inline completion; see `editors/README.md`."""
    languages_off: tuple[str, ...] = ()
    """LSP language ids without suggestions."""
    paths_off: Annotated[tuple[str, ...], AfterValidator(_readable_rules)] = ()
    """Files without suggestions, as lines of a `.gitignore` in the workspace's root would name them."""
    ignored_files: bool = False
    """Suggest also in files that git ignores."""
    semantic_cache_mb: Annotated[int, Field(ge=0, le=1024)] = 16
    """Disk space for answers that are proposed again where the code is much alike, in MiB; 0 keeps none anywhere."""
    history: bool = True
    """Keep what became of suggestions, as numbers without any text, and learn from it when to be silent."""


class ContextSettings(_Section):
    """What the model gets to read."""

    max_tokens: Annotated[int, Field(ge=64, le=131_072)] = 2048
    """Longest prompt; each token costs reading time before the first letter."""
    cold_ms: Annotated[int, Field(ge=0, le=60_000)] = 0
    """A prompt is only as long as this machine reads in this time; 0 takes 1200 on a processor and 500 on a GPU."""
    key_ms: Annotated[int, Field(ge=0, le=10_000)] = 0
    """One typed letter has no more read again than this machine reads in this time; 0 takes 60 on a processor and 30 on
    a GPU. It shortens the text behind the cursor for models that read it behind the typed line."""
    definitions: Annotated[int, Field(ge=0, le=1024)] = 128
    """Most definitions taken from other files."""
    pieces: Annotated[int, Field(ge=0, le=64)] = 8
    """Most pieces of other files that look like the code at the cursor; only in prompts with room to spare."""
    edits: Annotated[int, Field(ge=0, le=64)] = 8
    """Most of the latest edits elsewhere; only in prompts with room to spare."""
    outline: bool = True
    """Put the outline of the open file in front where the window does not show all of it."""


class ChatSettings(_Section):
    """Conversations about the code."""

    window_tokens: Annotated[int, Field(ge=256, le=131_072)] = 8192
    """The newest turns are kept word for word in so many tokens; fewer where the context is small."""
    summary_tokens: Annotated[int, Field(ge=0, le=2048)] = 2048
    """Longest summary of the older turns, in tokens; 0 forgets them."""
    summary: Literal["model", "extract"] = "model"
    """Who writes it: the loaded model when nothing else is to do, or the sentences with requirements alone."""
    kv_tokens: Annotated[int, Field(ge=0, le=1_048_576)] = 0
    """Most tokens of the cache that one conversation takes, its answer included; 0 takes all of `model.n_ctx`."""
    context_tokens: Annotated[int, Field(ge=0, le=131_072)] = 3000
    """Most tokens of code, files and output that are put in front of one question."""
    max_tokens: Annotated[int, Field(ge=16, le=16_384)] = 1024
    """Longest answer in tokens; fewer where the context is small."""
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.2
    """How freely words are chosen; 0 takes the likeliest always."""


class IndexSettings(_Section):
    """The symbol index of the open workspaces."""

    enabled: bool = True
    """Keep an index at all."""
    max_file_bytes: Annotated[int, Field(ge=1024, le=67_108_864)] = 1_048_576
    """Larger files are skipped, and counted as such."""
    max_line_bytes: Annotated[int, Field(ge=100, le=10_000_000)] = 10_000
    """Files with longer lines are skipped as minified."""
    parse_timeout_s: Annotated[float, Field(gt=0, le=60)] = 3.0
    """Most processor time for one file, enforced from outside the parser; by the clock 20 times as much."""
    watch: Literal["auto", "poll", "off"] = "auto"
    """`auto` listens to the system's file events and polls where there are none."""
    poll_s: Annotated[float, Field(ge=0.1, le=3600)] = 10.0
    """Time between two polls; longer where one takes longer than a ninth of it."""


class DaemonSettings(_Section):
    """The process."""

    idle_exit_s: Annotated[float, Field(ge=0, le=604_800)] = 1800.0
    """End this long after the last editor left; 0 never ends."""


class LogSettings(_Section):
    """The log; source text is never in it unless `prompts` is on."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe entry that is written."""
    prompts: bool = False
    """Write prompts and suggestions too, for debugging your own machine."""
    max_bytes: Annotated[int, Field(ge=10_000, le=1_073_741_824)] = 5_000_000
    """Size at which the log is rotated."""
    backups: Annotated[int, Field(ge=0, le=20)] = 2
    """Rotated logs kept."""


class MetricsSettings(_Section):
    """The metrics for a monitoring system; `codeassistd metrics` needs none of it."""

    http: bool = False
    """Serve them over HTTP to this machine alone, and only with the token in `metrics.token` of the state folder."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 9464
    """Port on the loopback device; 0 takes any that is free, and `status` tells which."""


class Settings(_Section):
    """Everything that can be set."""

    model: ModelSettings = ModelSettings()
    completion: CompletionSettings = CompletionSettings()
    context: ContextSettings = ContextSettings()
    chat: ChatSettings = ChatSettings()
    index: IndexSettings = IndexSettings()
    daemon: DaemonSettings = DaemonSettings()
    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()
