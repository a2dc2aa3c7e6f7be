"""Case 65, the whole: what is in secret files reaches no prompt, row, cache or log, though they are open and edited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.testing.lsp_client import INVOKED
from tests.support.indexing import write
from tests.support.processes import Home

pytestmark = pytest.mark.slow

CANARY = "canary_7f3a"
#: Typed in a file with a harmless name: that it is found everywhere shows that the looking works.
PLAIN = "plain_5b2c"
SECRETS = (".env", ".env.local", ".Renviron", "secrets.yml", "id_rsa", "x.pem")
SECRET_TEXT = f"API_KEY = '{CANARY}'\n\n\ndef api_key(key='{CANARY}'):\n    return '{CANARY}'\n"
PLAIN_TEXT = f"ENVIRONMENT = '{PLAIN}'\n\n\ndef environment(name='{PLAIN}'):\n    return '{PLAIN}'\n"
APP = "from environment import environment\nfrom secrets import api_key\n\nkey = api_key()\nwhere = environment()\n"
N_REQUESTS = 50


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A daemon's place, with the index on and every prompt in the log."""
    made = Home(tmp_path / "home")
    made.root.mkdir()
    made.environ |= {
        "CODEASSISTD_LOG__LEVEL": "debug",
        "CODEASSISTD_LOG__PROMPTS": "true",
        "CODEASSISTD_INDEX__ENABLED": "true",
    }
    yield made
    made.close()


def holders(home: Home, word: str) -> list[str]:
    """Files of ours that hold `word`, in whatever case."""
    return sorted(
        path.relative_to(home.root).as_posix()
        for path in home.root.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes().lower()
    )


async def test_no_secret_leaves_its_file(home: Home, tmp_path: Path) -> None:
    """Fifty requests in another file that uses the names; inside the secret files the answer is empty."""
    root = tmp_path / "root"
    write(root, {**dict.fromkeys(SECRETS, SECRET_TEXT), "environment.py": PLAIN_TEXT, "app.py": APP})
    home.start_daemon()
    home.until_ready()
    async with home.proxy() as proxy:
        client = proxy.client
        await client.initialize(root=root)
        home.call("index.build", path=str(root))
        uris = {name: (root / name).as_uri() for name in (*SECRETS, "environment.py", "app.py")}
        for name in SECRETS:
            client.open(uris[name], SECRET_TEXT)
        client.open(uris["environment.py"], PLAIN_TEXT)
        client.open(uris["app.py"], APP)
        for name in SECRETS:
            client.insert(uris[name], 5, 0, f"API_KEY = '{CANARY}'\ntotal = ")
            assert [] == await client.complete(uris[name], 6, 8, trigger_kind=INVOKED)
        client.insert(uris["environment.py"], 5, 0, f"ENVIRONMENT = '{PLAIN}'\n")
        shown = 0
        for number in range(N_REQUESTS):
            client.insert(uris["app.py"], 5 + 2 * number, 0, f"key_{number} = api_key(environment)\ntotal = ")
            shown += bool(await client.complete(uris["app.py"], 6 + 2 * number, 8, trigger_kind=INVOKED))
            client.insert(uris["app.py"], 6 + 2 * number, 8, "0\n")
        # On a slow machine it may not be known at once whether git ignores the file.
        assert shown > 0
        await client.leave()
    home.call("stop")

    assert [] == holders(home, CANARY)
    found = holders(home, PLAIN)
    assert any("daemon.log" in name for name in found)
    assert any("index.db" in name for name in found)
