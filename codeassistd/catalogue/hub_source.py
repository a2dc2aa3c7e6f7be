"""Models on the Hugging Face hub, or a mirror of it."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import httpx

from codeassistd.catalogue.manifest import HubSource
from codeassistd.catalogue.network import Network, Remote
from codeassistd.catalogue.pull import raise_for_status
from codeassistd.errors import PullError

__all__ = ["look_up"]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_REDIRECTS = 5


def look_up(network: Network, source: HubSource) -> Remote:
    """Ask where a file lies and which hash the hub publishes for it.

    The hub answers with a redirect to its storage and says the hash on the way, in `X-Linked-ETag`; so the redirect is
    not followed here, unless it stays on the hub (a repository that was renamed).

    Raises:
        PullError: no network, or the hub does not have the file or does not give it to everyone.
    """
    url = "/".join((network.hub.endpoint, source.repo, "resolve", quote(source.revision, safe=""), quote(source.file)))
    what = f"{source.repo}/{source.file}"
    headers = {"Authorization": f"Bearer {network.hub.token}"} if network.hub.token else {}
    for _ in range(_MOST_REDIRECTS):
        try:
            response = network.client.head(
                url, headers={**headers, "Accept-Encoding": "identity"}, follow_redirects=False
            )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            host = urlsplit(url).hostname
            raise PullError(
                f"no connection to {host} for {what} ({error}): check the network, proxy settings and HF_ENDPOINT"
            ) from error
        target = response.headers.get("Location", "")
        if not (response.is_redirect and target.startswith("/")):
            break
        url = str(response.url.join(target))
    else:
        raise PullError(f"{network.hub.endpoint} redirects {what} in circles; try again later")
    if not response.is_redirect:
        raise_for_status(response, what)
    published = (response.headers.get("X-Linked-ETag") or response.headers.get("ETag", "")).strip('"')
    return Remote(url, what, published if _SHA256.fullmatch(published) else "", headers)
