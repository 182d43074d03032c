"""`cass cache keygen|trust|push|pull`: whose translations are used, and what goes to and comes from the team."""

from __future__ import annotations

import base64
import sys
from dataclasses import replace
from pathlib import Path

import click

from cass_shim.cache.local import LocalTier
from cass_shim.cache.places import open_remotes
from cass_shim.cache.tiers import Guarded, Tiered
from cass_shim.cache.trust import SIGNING_FILE, Signer, TrustSet, add_trusted, revoke
from cass_shim.cli.daemon import ask_daemon
from cass_shim.cli.pack import say
from cass_shim.cli.places import audit, key_root, local_tier
from cass_shim.cli.precompile import find_jobs
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.model.wire import FrameKind


@click.command("keygen")
@click.argument("name")
def keygen_command(name: str) -> None:
    """Make this machine's signing key, NAME with a number as in `ci-1`, and print its public half."""
    root = key_root(Config.read())
    path = root / SIGNING_FILE
    if path.exists():
        raise CassError(f"{path} exists; remove it first if you mean it")
    signer = Signer.generate(name)
    signer.save(path)
    add_trusted(root, signer.public)
    print(signer.public)


@click.group("trust")
def trust_command() -> None:
    """Whose translations are used."""


@trust_command.command("add")
@click.argument("key")
def trust_add(key: str) -> None:
    """Use what KEY (`name-1:base64`) signed."""
    config = Config.read()
    name = add_trusted(key_root(config), key)
    audit(config).add("trust", signer=name)
    print(f"trusted: {name}")
    _new_epoch()


@trust_command.command("list")
def trust_list() -> None:
    """Show trusted and revoked keys."""
    known = TrustSet.load(key_root(Config.read()))
    for name, content in sorted(known.keys.items()):
        state = "revoked" if name in known.revoked else "trusted"
        print(f"{state:8} {name}:{base64.b64encode(content).decode()}")


@trust_command.command("revoke")
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
    audit(config).add("revoke", signer=name, records=len(signed))
    print(f"revoked: {name}; {len(signed)} translations removed")
    _new_epoch()


def _new_epoch() -> None:
    """A running daemon read the keys when it started; the next program starts one that reads them anew."""
    config = Config.read()
    LocalTier(key_root(config))
    ask_daemon(config, FrameKind.STOP)


def team(config: Config) -> Tiered:
    """The team's caches; CassError when none is configured."""
    tiers = open_remotes(config, key_root(config), behind=False)
    if tiers is None:
        raise CassError("no team cache is configured (CASS_REMOTES)")
    return tiers


@click.command("push")
def push_command() -> None:
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


@click.command("pull")
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
def pull_command(paths: tuple[Path, ...]) -> None:
    """Fetch the team's translations of the programs at or below PATHS."""
    config = Config.read()
    tiers, tier, fetched, missing = team(config), LocalTier(key_root(config)), 0, 0
    for job in find_jobs(paths, config, say):
        key = job.found.module.key(job.kernel, config.gfx).digest
        found = tiers.get(key)
        for entry in found:
            tier.put(key, entry)
        fetched, missing = fetched + bool(found), missing + (not found)
    print(f"{fetched} kernels fetched, {missing} not in the team's caches")
    sys.exit(1 if missing else 0)
