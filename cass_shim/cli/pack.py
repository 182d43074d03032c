"""`cass cache export|import`: a program's translations in one signed file."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.local import LocalTier
from cass_shim.cache.pack import read_pack, write_pack
from cass_shim.cache.storage import Entry
from cass_shim.cache.trust import TrustSet
from cass_shim.cli.places import audit, key_root, local_tier, signing_key
from cass_shim.cli.precompile import find_jobs
from cass_shim.cli.programs import demangled
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError


def say(text: str) -> None:
    """A remark on stderr."""
    print(f"cass: {text}", file=sys.stderr)


@click.command("export")
@click.argument("program", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The pack to write.")
def export_command(program: Path, output: Path) -> None:
    """Write the translations of PROGRAM's kernels, signed, into one file for `cass cache import`.

    Exit status 1 when a kernel has no translation yet (`cass precompile PROGRAM` makes them).
    """
    config = Config.read()
    signer, tier = signing_key(config), local_tier(config)
    entries, missing = list[Entry](), 0
    for job in find_jobs((program,), config, say):
        found = tier.get(job.found.module.key(job.kernel, config.gfx).digest)
        entries += found
        if not found:
            missing += 1
            say(f"{demangled(job.kernel)} is not translated yet; run `cass precompile {program}` first")
    if not entries:
        raise CassError(f"no translation of {program} is in the cache; nothing was written")
    try:
        write_pack(output, program.name, entries, signer)
    except OSError as error:
        raise CassError(f"{output} cannot be written: {error.strerror or error}") from error
    audit(config).add("export", pack=str(output), signer=signer.name, records=len(entries))
    print(f"{len(entries)} translations in {output}, {output.stat().st_size} bytes, signed by {signer.name}")
    sys.exit(1 if missing else 0)


@click.command("import")
@click.argument("pack", type=click.Path(path_type=Path))
def import_command(pack: Path) -> None:
    """Put the translations of a PACK that trusted keys signed into this machine's cache: all of them, or none.

    Exit status 1 when none of them serves this cass-shim.
    """
    config = Config.read()
    root = key_root(config)
    try:
        content = read_pack(pack, TrustSet.load(root))
    except CassError as error:
        audit(config).add("import refused", pack=str(pack), reason=str(error))
        raise
    tier = LocalTier(root, int(config.number("cache_size")) << 20)
    for entry in content.entries:
        tier.put(bytes.fromhex(entry.record.key), entry)
    audit(config).add("import", pack=str(pack), signer=content.signer, records=len(content.entries))
    ours = [one for one in content.entries if one.record.provenance.get("sources") == sources_digest()]
    levels = ", ".join(f"{count} {label}" for label, count in sorted(Counter(_levels(ours)).items()))
    print(f"{len(ours)} translations of {content.program} imported ({levels or 'none'}), signed by {content.signer}")
    if len(ours) < len(content.entries):
        say(f"{len(content.entries) - len(ours)} were made by another build of cass-shim and will not be used")
    sys.exit(0 if ours else 1)


def _levels(entries: list[Entry]) -> list[str]:
    return [one.record.evidence for one in entries]
