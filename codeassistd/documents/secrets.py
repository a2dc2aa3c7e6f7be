"""Which files may hold secrets: they are never read, indexed, prompted, cached or completed in.

Judged by name alone, and independent of ignore files, since a secret that git would track is still a secret. The names
follow what common tools write: environment files, private keys, credential stores. A name in this list costs a user
nothing but suggestions in that file; a name missing from it can leak, so in doubt a name is in.
"""

from __future__ import annotations

from pathlib import PurePath

__all__ = ["is_secret"]

_NAMES = frozenset(
    {
        ".env",
        ".envrc",
        ".renviron",
        ".netrc",
        "_netrc",
        ".pgpass",
        ".my.cnf",
        ".npmrc",
        ".pypirc",
        ".htpasswd",
        ".git-credentials",
        ".dockercfg",
        "kubeconfig",
        ".s3cfg",
        ".boto",
        ".vault-token",
        ".vault_pass",
        "shadow",
        "shadow-",
        "gshadow",
        "gshadow-",
        # What was typed in a shell or to a database, passwords included.
        ".bash_history",
        ".zsh_history",
        ".python_history",
        ".psql_history",
        ".mysql_history",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "id_ecdsa_sk",
        "id_ed25519_sk",
        "credentials",
        "credentials.json",
        "client_secret.json",
        "service-account.json",
        "service_account.json",
        "master.key",
        "terraform.tfstate",
        "terraform.tfvars",
    }
)
_SUFFIXES = frozenset(
    {
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".kdbx",
        ".asc",
        ".gpg",
        ".ppk",
        ".tfvars",
        ".tfstate",
        ".ovpn",
        ".p8",
        ".env",
    }
)
#: Data formats in which a file called "secret" or "credentials" holds them; `secrets.py` is code about secrets.
_DATA_SUFFIXES = frozenset(
    {"", ".yml", ".yaml", ".json", ".toml", ".ini", ".cfg", ".conf", ".txt", ".xml", ".properties"}
)
_STEMS = frozenset({"secret", "secrets", "credential", "credentials", ".secret", ".secrets", "passwords", "passwd"})
#: Addresses of remotes and logins hold tokens; the other files that people edit there, such as git's messages, do not.
_PLACES = frozenset({(".git", "config"), (".docker", "config.json"), ("gh", "hosts.yml")})
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"})


def is_secret(path: PurePath) -> bool:
    """Whether `path` may hold secrets, judged by its name and its folders' names."""
    name = path.name.lower()
    if name in _NAMES or path.suffix.lower() in _SUFFIXES:
        return True
    if name.startswith((".env.", ".envrc.")):
        return True
    stem, _, rest = name.lstrip(".").partition(".")
    if stem in _STEMS and (f".{rest.rpartition('.')[2]}" if rest else "") in _DATA_SUFFIXES:
        return True
    if path.parts[-2:] in _PLACES:
        return True
    return any(part.lower() in _FOLDERS for part in path.parts[:-1])
