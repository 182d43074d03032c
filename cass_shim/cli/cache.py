"""`cass cache stats|rollback|verify`, and the group that holds the other cache commands."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from cass_shim.cache.audit import read_audit
from cass_shim.cache.inspection import inspect_tier
from cass_shim.cache.trust import TrustSet
from cass_shim.cli.daemon import ask_daemon
from cass_shim.cli.gc import gc_command
from cass_shim.cli.pack import export_command, import_command
from cass_shim.cli.places import audit, local_tier
from cass_shim.cli.programs import demangled
from cass_shim.cli.serve import serve_command
from cass_shim.cli.sign import sign_command
from cass_shim.cli.team import keygen_command, pull_command, push_command, trust_command
from cass_shim.daemon.runtime import runtime_directory
from cass_shim.daemon.server import open_index
from cass_shim.model.config import Config
from cass_shim.model.wire import FrameKind


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
        "events": dict(Counter(str(one.get("event")) for one in read_audit(tier.root))),
    }


# Prometheus type and help of each number of `statistics`; a dictionary's entries differ by the label `kind`.
METRICS = {
    "files": ("gauge", "Files in the local cache."),
    "bytes": ("gauge", "Bytes of the local cache."),
    "limit_bytes": ("gauge", "Bytes the local cache may hold (CASS_CACHE_SIZE)."),
    "kernels": ("gauge", "Kernels with a translation."),
    "evidence": ("gauge", "Translations by evidence."),
    "routes": ("gauge", "Translations by translator."),
    "counters": ("counter", "What the daemon did: hits, team hits, translations, failures."),
    "events": ("counter", "Events of the audit log."),
}


def prometheus_text(facts: Mapping[str, Any]) -> str:
    """The numbers of `statistics` in Prometheus's text format 0.0.4."""
    lines = []
    for name, (kind, text) in METRICS.items():
        metric = f"cass_cache_{name}" + ("_total" if kind == "counter" else "")
        lines += [f"# HELP {metric} {text}", f"# TYPE {metric} {kind}"]
        rows = facts[name].items() if isinstance(facts[name], dict) else [("", facts[name])]
        for label, number in rows:
            escaped = label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
            lines.append(f'{metric}{{kind="{escaped}"}} {number}' if label else f"{metric} {number}")
    return "\n".join(lines) + "\n"


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
    elif prometheus:
        print(prometheus_text(facts), end="")
    else:
        for name, value in facts.items():
            for label, number in value.items() if isinstance(value, dict) else [("", value)]:
                print(f"{name + (' ' + label if label else ''):32} {number}")


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
    """Check digests and signatures of everything in the cache; what is bad is removed and named.

    Exit status 1 when something was.
    """
    config = Config.read()
    tier, log = local_tier(config), audit(config)
    result = inspect_tier(tier, TrustSet.load(tier.root))
    for one in result.findings:
        log.add("dropped", path=str(one.path), reason=one.reason)
        print(f"removed {one.path.relative_to(tier.root)}: {one.reason}")
    print(f"{result.sound} translations are sound, {len(result.findings)} files removed")
    sys.exit(1 if result.findings else 0)


for command in (
    export_command, gc_command, import_command, keygen_command, trust_command, push_command, pull_command,
    serve_command, sign_command,
):  # fmt: skip
    cache_command.add_command(command)
