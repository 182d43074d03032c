"""What the cache commands open: the local cache, the directory of the keys, the audit log."""

from __future__ import annotations

from pathlib import Path

from cass_shim.cache.audit import Audit
from cass_shim.cache.files import make_directory
from cass_shim.cache.local import LocalTier, cache_root
from cass_shim.cache.trust import SIGNING_FILE, Signer
from cass_shim.cli.programs import open_tier
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError


def local_tier(config: Config) -> LocalTier:
    """The cache; CassError when there is none."""
    tier = open_tier(config)
    if tier is None:
        raise CassError("there is no local cache yet (CASS_CACHE_DIR, CASS_CACHE)")
    if not tier.is_usable():
        raise CassError(f"{tier.root} is not a directory that only you can write: `chmod 700` it, or name another")
    return tier


def key_root(config: Config) -> Path:
    """The directory of the key files, made when there is none."""
    root = cache_root(config)
    if root is None:
        raise CassError("there is no place for keys (CASS_CACHE_DIR, CASS_CACHE)")
    try:
        make_directory(root)
    except OSError as error:
        raise CassError(f"the cache directory cannot be used: {error.strerror or error}") from error
    return root


def signing_key(config: Config) -> Signer:
    """This machine's private key; CassError that says how to make one."""
    path = key_root(config) / SIGNING_FILE
    if not path.exists():
        raise CassError("this machine has no signing key: make one with `cass cache keygen NAME-1`")
    return Signer.load(path)


def audit(config: Config) -> Audit:
    """The log of what the commands did."""
    return Audit(key_root(config))
