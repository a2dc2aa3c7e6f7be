from __future__ import annotations

import pytest

from codeassistd.config_hub import HubAccess
from codeassistd.errors import ConfigError


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, HubAccess("https://huggingface.co", "")),
        ({"HF_ENDPOINT": "https://mirror.example/"}, HubAccess("https://mirror.example", "")),
        ({"HF_ENDPOINT": "", "HF_TOKEN": " hf_x\n"}, HubAccess("https://huggingface.co", "hf_x")),
    ],
)
def test_the_hubs_own_variables_are_read(environ: dict[str, str], expected: HubAccess) -> None:
    """A mirror and a token set for the hub's own tools hold here too."""
    assert expected == HubAccess.from_environment(environ)


def test_an_endpoint_that_is_no_address_is_refused() -> None:
    """The error names the variable and what it must look like."""
    with pytest.raises(ConfigError, match="HF_ENDPOINT is 'mirror', but must begin with https://"):
        HubAccess.from_environment({"HF_ENDPOINT": "mirror"})
