"""Secret files are known by their names."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from codeassistd.documents.secrets import is_secret


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        ".ENV.Production",
        "prod.env",
        ".envrc",
        ".Renviron",
        "secrets.yml",
        "secrets.prod.yaml",
        "secret.json",
        "credentials",
        "Credentials.ini",
        ".secrets.toml",
        "id_rsa",
        "id_ed25519",
        "server.pem",
        "tls.KEY",
        "store.jks",
        "terraform.tfvars",
        ".npmrc",
        ".netrc",
        "passwords.txt",
        "home/.ssh/config",
        "home/.aws/config",
        "kubeconfig",
        ".git/config",
        ".docker/config.json",
        ".config/gh/hosts.yml",
        "etc/shadow",
        "etc/gshadow-",
        ".bash_history",
        ".vault_pass",
    ],
)
def test_files_that_hold_secrets_are_known(name: str) -> None:
    """Whatever the case of the letters, and also inside folders that hold nothing else."""
    assert is_secret(PurePath("/project") / name)


@pytest.mark.parametrize(
    "name",
    [
        "environment.py",
        "env.py",
        "secrets.py",
        "secret_santa.ts",
        "credentials.go",
        "key.py",
        "keys/handler.ts",
        "pem.rs",
        "environments/base.yml",
        "id_rsa_parser.py",
        "kubeconfig.go",
        ".git/COMMIT_EDITMSG",
        "git/config",
        "docker/config.json",
        "shadow.py",
        "shadow/tree.js",
        "gh/hosts.go",
        "README.md",
    ],
)
def test_code_about_secrets_is_code(name: str) -> None:
    """A rule that hit code would keep people from using the tool there."""
    assert not is_secret(PurePath("/project") / name)
