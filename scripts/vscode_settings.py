"""Write the settings that VS Code may show into its extension's `package.json`, from the settings themselves.

So names, bounds, defaults and words cannot differ from what the server takes. `--check` writes nothing and fails where
the file is not as it would be written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from codeassistd import __version__
from codeassistd.config import WORKSPACE_SECTIONS, Settings

PACKAGE = Path(__file__).resolve().parent.parent / "editors/vscode/package.json"
#: Parts of a JSON schema that VS Code checks values with.
_KEPT = ("type", "enum", "items", "minimum", "maximum", "default")


def main() -> int:
    """Write or check; exit code 1 where the check fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_const", const=True, default=False, help="write nothing")
    is_check = parser.parse_args().check
    before = PACKAGE.read_text(encoding="utf-8")
    after = with_settings(before)
    if after == before:
        return 0
    if is_check:
        print(f"{PACKAGE.name} does not show the settings as they are; run: make vscode-settings", file=sys.stderr)
        return 1
    PACKAGE.write_text(after, encoding="utf-8")
    return 0


def with_settings(package: str) -> str:
    """The text of a `package.json` with our version, and with our settings among those of the extension alone."""
    content = json.loads(package)
    content["version"] = __version__
    configuration = content["contributes"]["configuration"]
    own = {key: value for key, value in configuration["properties"].items() if not is_shared(key)}
    configuration["properties"] = {**own, **shared_settings()}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def is_shared(key: str) -> bool:
    """Whether a setting is the server's, and not only the extension's."""
    return key.split(".")[1] in WORKSPACE_SECTIONS


def shared_settings() -> dict[str, object]:
    """The server's settings that an editor may set, by the names that they have in VS Code."""
    schema = Settings.model_json_schema()
    properties: dict[str, object] = {}
    for section in (name for name in Settings.model_fields if name in WORKSPACE_SECTIONS):
        definition = schema["$defs"][schema["properties"][section]["$ref"].rpartition("/")[2]]
        for order, (name, field) in enumerate(definition["properties"].items()):
            properties[f"codeassistd.{section}.{name}"] = shown(field, 10 + order)
    return properties


def shown(field: Mapping[str, object], order: int) -> dict[str, object]:
    """One setting as VS Code shows it."""
    return {
        **{key: field[key] for key in _KEPT if key in field},
        # The server knows one value for each window, not one for each folder in it.
        "scope": "window",
        "order": order,
        "markdownDescription": " ".join(str(field.get("description", "")).split()),
    }


if __name__ == "__main__":
    sys.exit(main())
