"""`cass cache stats|gc|rollback|verify|keygen|trust|push|pull`."""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cass_shim.cache.files import make_directory
from cass_shim.cache.local import LocalTier, cache_root
from cass_shim.cache.tiers import Guarded, Tiered, open_remotes
from cass_shim.cache.trust import SIGNING_FILE, Signer, TrustSet, add_trusted, revoke
from cass_shim.cli.daemon import ask_daemon
from cass_shim.cli.precompile import find_jobs
from cass_shim.cli.programs import demangled, open_tier
from cass_shim.daemon.runtime import runtime_directory
from cass_shim.daemon.server import open_index
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.model.wire import FrameKind


def local_tier(config: Config) -> LocalTier:
    """The cache; CassError when there is none."""
    tier = open_tier(config)
    if tier is None:
        raise CassError("there is no local cache yet (CASS_CACHE_DIR, CASS_CACHE)")
    return tier


def statistics(config: Config) -> dict[str, Any]:
    """What the cache holds and how it was used."""
    tier = local_tier(config)
    sizes = {one.inode: one.size for one in tier.files()}
    records = list(tier.records())
    live = ask_daemon(config, FrameKind.STATUS)
    counters = live["counters"] if live else open_index(tier, runtime_directory(config)).counters()
    return {
        "directory": str(tier.root),
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "limit_bytes": tier.limit_bytes,
        "kernels": len({one.key for one in records}),
        "evidence": dict(Counter(one.evidence for one in records)),
        "routes": dict(Counter(one.route for one in records)),
        "counters": counters,
    }


@click.group("cache")
def cache_command() -> None:
    """The local cache of translations."""


@cache_command.command("stats")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
@click.option("--prometheus", is_flag=True, help="Prometheus text format.")
def stats(as_json: bool, prometheus: bool) -> None:
    """What the cache holds and how often it helped."""
    facts = statistics(Config.read())
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    for name, value in facts.items():
        rows = value.items() if isinstance(value, dict) else [("", value)]
        for label, number in rows:
            if prometheus and isinstance(number, int | float):
                tag = f'{{kind="{label}"}}' if label else ""
                print(f"cass_cache_{name}{tag} {number}")
            elif not prometheus:
                print(f"{name + (' ' + label if label else ''):32} {number}")


@cache_command.command("gc")
@click.option("--size", type=float, default=None, help="MiB to keep; default CASS_CACHE_SIZE.")
def collect(size: float | None) -> None:
    """Remove the least recently used entries until the cache fits."""
    tier = local_tier(Config.read())
    removed, left = tier.collect(None if size is None else int(size * (1 << 20)))
    print(f"removed {removed} files, {left} bytes left")


@cache_command.command("rollback")
@click.argument("kernel")
@click.option("--all", "everything", is_flag=True, help="Remove every candidate, not only the newest.")
def rollback(kernel: str, everything: bool) -> None:
    """Take the newest translation of KERNEL (name, or the beginning of its key) out of use.

    The one before it serves again; without one the kernel is translated anew.
    """
    config = Config.read()
    tier = local_tier(config)
    matching = [
        one
        for one in tier.records()
        if kernel in (one.kernel, demangled(one.kernel).split("(")[0]) or one.key.startswith(kernel)
    ]
    if not matching:
        print(f"cass: no translation of {kernel} in {Path(tier.root)}", file=sys.stderr)
        sys.exit(1)
    for key in dict.fromkeys(one.key for one in matching):
        candidates = sorted((one for one in matching if one.key == key), key=lambda one: one.created)
        newest = candidates[-1]
        tier.withdraw(bytes.fromhex(key), "" if everything else newest.digest)
        left = 0 if everything else len(candidates) - 1
        print(f"{demangled(newest.kernel)}: {newest.route} ({newest.evidence}) taken out of use, {left} left")


@cache_command.command("verify")
def verify() -> None:
    """Read every record and blob; what is damaged is removed. Exit status 1 when something was."""
    tier = local_tier(Config.read())
    keys = dict.fromkeys(one.key for one in tier.records())
    before = sum(1 for one in tier.files() if one.path.suffix == ".json")
    sound = sum(len(tier.get(bytes.fromhex(key))) for key in keys)
    after = sum(1 for one in tier.files() if one.path.suffix == ".json")
    print(f"{sound} translations are sound, {before - after} damaged ones removed")
    sys.exit(1 if before != after else 0)


def key_root(config: Config) -> Path:
    """The directory of the key files, made when there is none."""
    root = cache_root(config)
    if root is None:
        raise CassError("there is no place for keys (CASS_CACHE_DIR, CASS_CACHE)")
    make_directory(root)
    return root


@cache_command.command("keygen")
@click.argument("name")
def keygen(name: str) -> None:
    """Make this machine's signing key, NAME with a number as in `ci-1`, and print its public half."""
    root = key_root(Config.read())
    path = root / SIGNING_FILE
    if path.exists():
        raise CassError(f"{path} exists; remove it first if you mean it")
    signer = Signer.generate(name)
    signer.save(path)
    add_trusted(root, signer.public)
    print(signer.public)


@cache_command.group("trust")
def trust() -> None:
    """Whose translations are used."""


@trust.command("add")
@click.argument("key")
def trust_add(key: str) -> None:
    """Use what KEY (`name-1:base64`) signed."""
    print(f"trusted: {add_trusted(key_root(Config.read()), key)}")
    _new_epoch()


@trust.command("list")
def trust_list() -> None:
    """Show trusted and revoked keys."""
    known = TrustSet.load(key_root(Config.read()))
    for name, content in sorted(known.keys.items()):
        state = "revoked" if name in known.revoked else "trusted"
        print(f"{state:8} {name}:{base64.b64encode(content).decode()}")


@trust.command("revoke")
@click.argument("name")
def trust_revoke(name: str) -> None:
    """Use nothing that NAME signed any more; local copies of it are removed."""
    config = Config.read()
    root = key_root(config)
    revoke(root, name)
    tier = LocalTier(root)
    signed = [one for one in tier.records() if one.signature.partition(":")[0] == name]
    for one in signed:
        tier.withdraw(bytes.fromhex(one.key), one.digest)
    print(f"revoked: {name}; {len(signed)} translations removed")
    _new_epoch()


def _new_epoch() -> None:
    """A running daemon read the keys when it started; the next program starts one that reads them anew."""
    config = Config.read()
    LocalTier(key_root(config))
    ask_daemon(config, FrameKind.STOP)


def team(config: Config) -> Tiered:
    """The team's caches; CassError when none is configured."""
    tiers = open_remotes(config, key_root(config))
    if tiers is None:
        raise CassError("no team cache is configured (CASS_REMOTES)")
    return tiers


@cache_command.command("push")
def push() -> None:
    """Sign every translation of this machine and put it into the team's caches."""
    config = replace(Config.read(), remote_role="write")
    tiers, tier, count = team(config), local_tier(config), 0
    for key in dict.fromkeys(one.key for one in tier.records()):
        for entry in tier.get(bytes.fromhex(key)):
            tiers.put(bytes.fromhex(key), entry)
            count += 1
    failed = sum(one.failures > 0 for one in tiers.tiers if isinstance(one, Guarded))
    print(f"{count} translations pushed" + (f"; {failed} caches had trouble" if failed else ""))
    sys.exit(1 if failed else 0)


@cache_command.command("pull")
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
def pull(paths: tuple[Path, ...]) -> None:
    """Fetch the team's translations of the programs at or below PATHS."""
    config = Config.read()
    tiers, tier, fetched, missing = team(config), LocalTier(key_root(config)), 0, 0
    for job in find_jobs(paths, config, lambda text: print(f"cass: {text}", file=sys.stderr)):
        key = job.found.module.key(job.kernel, config.gfx).digest
        found = tiers.get(key)
        for entry in found:
            tier.put(key, entry)
        fetched, missing = fetched + bool(found), missing + (not found)
    print(f"{fetched} kernels fetched, {missing} not in the team's caches")
    sys.exit(1 if missing else 0)
