from __future__ import annotations

from dataclasses import replace

import pytest

from codeassistd.catalogue.hub_source import look_up
from codeassistd.catalogue.manifest import HubSource
from codeassistd.catalogue.network import Network, Remote
from codeassistd.config_hub import HubAccess
from codeassistd.errors import PullError
from tests.support.loopback import Loopback, Served

SOURCE = HubSource("owner/Model-GGUF", "sub/model q4.gguf", "main")
PATH = "/owner/Model-GGUF/resolve/main/sub/model%20q4.gguf"
SHA256 = "ab" * 32


def test_the_published_hash_is_read_from_the_redirect(network: Network, server: Loopback) -> None:
    """The hub names the hash beside the redirect to its storage, which is not followed for that."""
    server.files[PATH] = Served(location="https://storage.invalid/x", headers={"X-Linked-ETag": f'"{SHA256}"'})
    assert Remote(server.address + PATH, "owner/Model-GGUF/sub/model q4.gguf", SHA256) == look_up(network, SOURCE)
    assert [("HEAD", PATH)] == [(asked.method, asked.path) for asked in server.asked]


def test_a_renamed_repository_is_followed(network: Network, server: Loopback) -> None:
    """A redirect that stays on the hub leads to the file's new place."""
    server.files[PATH] = Served(location="/owner/New/resolve/main/m.gguf")
    server.files["/owner/New/resolve/main/m.gguf"] = Served(b"x", etag=f'"{SHA256}"')
    found = look_up(network, SOURCE)
    assert f"{server.address}/owner/New/resolve/main/m.gguf" == found.url
    assert SHA256 == found.sha256


def test_redirects_in_circles_end(network: Network, server: Loopback) -> None:
    """A hub that sends us round and round is given up."""
    server.files[PATH] = Served(location=PATH)
    with pytest.raises(PullError, match="in circles"):
        look_up(network, SOURCE)


def test_a_tag_that_is_no_hash_is_no_hash(network: Network, server: Loopback) -> None:
    """Small files have a git hash as their tag; it is not mistaken for SHA-256."""
    server.files[PATH] = Served(b"x", etag='"0123456789abcdef0123456789abcdef01234567"')
    assert "" == look_up(network, SOURCE).sha256


def test_the_users_token_is_sent(network: Network, server: Loopback) -> None:
    """Models behind a form are had with the token of one's account, which no error or repr shows."""
    server.files[PATH] = Served(status=401)
    access = HubAccess(server.address, "hf_secret")
    with pytest.raises(PullError, match="set HF_TOKEN") as raised:
        look_up(replace(network, hub=access), SOURCE)
    assert "Bearer hf_secret" == server.asked[0].headers["Authorization"]
    assert "secret" not in f"{raised.value} {access}"


def test_a_file_that_is_not_there_is_one_line(network: Network) -> None:
    """A withdrawn file is named."""
    with pytest.raises(PullError, match=r"does not have owner/Model-GGUF/sub/model q4\.gguf \(HTTP 404\)"):
        look_up(network, SOURCE)


def test_a_hub_out_of_reach_is_one_line(network: Network) -> None:
    """Without a network the host is named, and the variable that chooses it."""
    away = replace(network, hub=HubAccess("http://127.0.0.1:9"))
    with pytest.raises(PullError, match=r"no connection to 127\.0\.0\.1 .* HF_ENDPOINT"):
        look_up(away, SOURCE)
