"""`cass cache gc`: the least used go from this machine's cache, and what serves nobody from a team's place."""

from __future__ import annotations

from typing import Any

import click

from cass_shim.cache.places import QUARANTINE, open_store
from cass_shim.cache.remote import WRITE_TIMEOUT_S, without_secrets
from cass_shim.cache.retention import Removed, collect
from cass_shim.cli.places import local_tier
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError


@click.command("gc")
@click.option("--size", type=float, default=None, help="MiB to keep; default CASS_CACHE_SIZE.")
@click.option("--place", default="", help="A directory or s3:// URL of the team, instead of this machine's cache.")
@click.option("--days", type=float, default=90.0, help="With --place: age of translations that go.")
@click.option("--dry-run", is_flag=True, help="With --place: say only what would go.")
def gc_command(size: float | None, place: str, days: float, dry_run: bool) -> None:
    """Remove the least recently used entries until the cache fits.

    With --place: remove translations that are older than --days and that this build of cass-shim does not use, and
    objects that nothing lists. Servers evict by themselves (Redis: maxmemory, bazel-remote: max_size).
    """
    if place:
        _team(place, days, is_dry=dry_run)
        return
    tier = local_tier(Config.read())
    removed, left = tier.collect(None if size is None else int(size * (1 << 20)))
    print(f"removed {removed} files, {left} bytes left")


def _team(place: str, days: float, *, is_dry: bool) -> None:
    total = Removed()
    for folder in ("", QUARANTINE):
        store: Any = open_store(place, WRITE_TIMEOUT_S, folder)
        if not hasattr(store, "names"):
            raise CassError(f"{without_secrets(place)} evicts by itself; `--place` takes a directory or an s3:// URL")
        try:
            done = collect(store, days, is_dry=is_dry)
        except (OSError, ValueError) as error:
            raise CassError(f"{without_secrets(place)}: {error}") from error
        total = Removed(*(getattr(total, one) + getattr(done, one) for one in Removed.__dataclass_fields__))
    would = "would be " if is_dry else ""
    print(
        f"{total.kept} translations stay; {total.unlisted} {would}unlisted, "
        f"{total.objects} objects ({total.freed} bytes) {would}removed"
    )
