"""The page `docs/settings.md`, made from the settings themselves so that it cannot be wrong."""

from __future__ import annotations

import json
from typing import cast

from codeassistd.config import WORKSPACE_SECTIONS, Settings
from codeassistd.config_layers import allowed, setting_fields

__all__ = ["settings_page"]

_HEAD = """\
# Settings

This page is printed by `codeassistd config docs`; change the docstrings in `codeassistd/config.py` instead.

A setting gets its value from the highest of these layers that names it; `codeassistd config show` tells which it was.

1. the default
2. your settings file (`codeassistd config path` prints where it lies)
3. `.codeassistd.toml` in the root of a workspace: {sections}, and nothing else
4. the environment: `CODEASSISTD_COMPLETION__ENABLED=false`; a list is separated by commas
5. the command line: `--set completion.enabled=false`
6. the editor: {sections}, and nothing else

Both files are TOML:

```toml
[completion]
max_lines = 6
languages_off = ["markdown"]
```

An unknown name or a value out of bounds is an error that names the file, the setting and what it takes.
Each layer is checked by itself, so also one that a higher layer outranks.
`CODEASSISTD_HOME` is no setting: it puts configuration, models, index, logs and socket under one folder.
"""


def settings_page() -> str:
    """The whole page as Markdown."""
    sections = ", ".join(f"`{section}`" for section in Settings.model_fields if section in WORKSPACE_SECTIONS)
    parts = [_HEAD.format(sections=sections)]
    for section, outer in Settings.model_fields.items():
        parts.append(f"## {section}\n\n{_summary(cast('type', outer.annotation))}\n")
        parts.append("| setting | takes | default | meaning |\n|---|---|---|---|")
        parts += [_row(key) for key in setting_fields() if key.startswith(f"{section}.")]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _summary(section: type) -> str:
    """First line of a section's docstring."""
    return (section.__doc__ or "").strip().splitlines()[0]


def _row(key: str) -> str:
    field = setting_fields()[key]
    default = json.dumps(field.get_default())
    meaning = " ".join((field.description or "").split())
    return f"| `{key}` | {allowed(field)} | `{default}` | {meaning} |"
