"""`CASS_REMOTES` → the team's tiers: which store a place means, and what is wrapped around it.

In: the configuration and the cache directory with its keys. Out: a chain of tiers, or None where none is configured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from cass_shim.cache.audit import Audit
from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.http import HttpStore
from cass_shim.cache.redis import RedisStore
from cass_shim.cache.remote import ObjectStore, RemoteTier, without_secrets
from cass_shim.cache.s3 import S3Store
from cass_shim.cache.storage import Storage
from cass_shim.cache.tiers import Aside, Guarded, Misses, ReadOnly, Signed, Tiered, WriteBehind
from cass_shim.cache.trust import SIGNING_FILE, Signer, TrustSet
from cass_shim.model.config import BadSetting, Config

QUARANTINE = "quarantine"  # the part of a place where translations wait for a signature

STORES: Mapping[str, Callable[[str, float, str], ObjectStore]] = {
    "http": HttpStore, "https": HttpStore, "s3": S3Store,
    "redis": RedisStore, "rediss": RedisStore, "valkey": RedisStore, "valkeys": RedisStore,
}  # fmt: skip


def places(config: Config) -> list[str]:
    """The configured places, near ones first."""
    return [one.strip() for one in config.remotes.split(",") if one.strip()]


def open_store(place: str, timeout_s: float, folder: str = "") -> ObjectStore:
    """The store that a place names; `folder`: a part of it of its own. Raises BadSetting."""
    if place.startswith("/"):
        return DirectoryStore(Path(place) / folder)
    store = STORES.get(place.partition("://")[0])
    if store is None:
        expected = "a directory, or a URL of http, https, redis, rediss, valkey or s3"
        raise BadSetting("CASS_REMOTES", without_secrets(place), expected)
    return store(place, timeout_s, folder)


def open_remotes(config: Config, root: Path, *, behind: bool = True) -> Tiered | None:
    """The team's tiers, or None. behind: writes happen in the background.

    Raises BadSetting for a place, Malformed for key files.
    """
    found = places(config)
    if not found:
        return None
    role, timeout_s, tiers = config.remote_role, config.number("remote_timeout"), list[Storage]()
    audit = Audit(root)
    signer, trust = Signer.load(root / SIGNING_FILE) if role == "write" else None, TrustSet.load(root)
    for place in found:
        tier: Storage = Misses(Signed(RemoteTier(open_store(place, timeout_s), audit), trust, signer, audit))
        if role == "propose":
            tier = Aside(tier, RemoteTier(open_store(place, timeout_s, QUARANTINE)))
        guarded = Guarded(ReadOnly(tier) if role == "read" else tier, without_secrets(place), limit_s=timeout_s)
        tiers.append(WriteBehind(guarded) if role != "read" and behind else guarded)
    return Tiered(tiers)
