"""A hit of each tier: from C on this machine against 200 microseconds, from a store against its own raw GET.

Local: the C client (native/client/probe) opens, maps and checks a kernel's entry, with the files in the page cache.
A store's hit is what a desk does: head, record and code entry, digests and signature; its rival is one GET of the same
code entry with the plainest client there is. Both keep their connection and alternate in one run; lower
quartiles, since what a busy machine adds is not theirs.
"""

from __future__ import annotations

import base64
import http.client
import importlib
import os
import statistics
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cass_shim.cache.local import LocalTier
from cass_shim.cache.places import open_store
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.storage import Entry
from cass_shim.cache.tiers import Guarded, Misses, Signed
from cass_shim.cache.trust import Signer, TrustSet
from cass_shim.cli.programs import find_modules
from cass_shim.model.config import Config
from cass_shim.native.build import build_all
from tools import environment, samples
from tools.bench import Figure
from tools.team_servers import AWS, SERVERS, Missing

RUNS = 101
LIMIT_US = 200.0
SAMPLE = samples.PREBUILT / "matmul_tiled_static_sass"


def measure() -> list[Figure]:
    """Microseconds, local and over every store that this machine has."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = {
            "CASS_CACHE_DIR": str(folder / "cache"),
            "CASS_RUNTIME_DIR": str(folder / "run"),
            "CASS_PYTHON": str(environment.python()),
            "CASS_HIP_LIBRARY": "/nonexistent",
            "CASS_QUIET": "1",
        }
        figures = local(folder, {**os.environ, **settings})
        tier = LocalTier(folder / "cache")
        key = bytes.fromhex(next(tier.records()).key)
        for place in ("directory", *SERVERS):
            try:
                with ExitStack() as stack:
                    (folder / place).mkdir()
                    url = str(folder / place)
                    if place in SERVERS:
                        url = stack.enter_context(SERVERS[place](folder / place, "127.0.0.1"))
                    figures.append(hit(place, url, key, tier.get(key)[0]))
            except Missing as error:
                print(f"cache: {error}")
    return figures


def local(folder: Path, env: dict[str, str]) -> list[Figure]:
    """A manifest and a kernel, from C."""
    (probe,) = build_all(["cass-probe"])
    (found,) = find_modules(SAMPLE, Config.read({}))
    region = folder / "region"
    region.write_bytes(found.region)
    subprocess.run([probe, region], env=env, check=True, stdout=subprocess.DEVNULL, timeout=300)
    times: dict[str, list[float]] = {"module": [], "kernel": []}
    for _ in range(RUNS):
        command = [str(probe), "--time", str(region)]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=60)
        for line in done.stderr.splitlines():
            what, number, _ = line.split()
            times[what].append(float(number))
    return [
        Figure(f"local hit from C, {what}", _quartile(found), LIMIT_US, "us", "limit") for what, found in times.items()
    ]


def hit(place: str, url: str, key: bytes, entry: Entry) -> Figure:
    """A desk's hit against the store's raw GET of the same code entry."""
    os.environ.update(AWS)
    signer = Signer("bench-1", bytes(32))
    trust = TrustSet({"bench-1": _public(signer)})
    Signed(RemoteTier(open_store(url, 10)), trust, signer).put(key, entry)
    store = Guarded(Misses(Signed(RemoteTier(open_store(url, 10)), trust)), place, limit_s=10.0)
    get = raw_get(url, entry.record.entry)
    pairs = []
    for _ in range(RUNS):
        pairs.append((_seconds(lambda: store.get(key)[0].content), _seconds(get)))
    if store.get(key)[0].content != entry.content or get() != entry.content:
        raise RuntimeError(f"{place}: another code entry came back")
    ours, raw = (_quartile(column) * 1e6 for column in zip(*pairs, strict=True))
    return Figure(f"hit, {place}, {len(entry.content)} bytes", ours, raw, "us", "raw GET")


def _public(signer: Signer) -> bytes:
    return base64.b64decode(signer.public.partition(":")[2])


def _quartile(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=4)[0]


def _seconds(work: Callable[[], bytes]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def raw_get(url: str, digest: str) -> Callable[[], bytes]:
    """One GET of an object, without any of ours."""
    parts = urllib.parse.urlsplit(url)
    if not parts.scheme:
        return (Path(url) / "cas" / digest[:2] / digest).read_bytes
    if parts.scheme == "s3":
        return _raw_s3(parts, digest)
    if parts.scheme in ("redis", "valkey"):
        client: Any = importlib.import_module("redis").Redis(host=str(parts.hostname), port=parts.port or 0)
        return lambda: bytes(client.get(f"cass:cas:{digest}"))

    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=10)

    def get() -> bytes:
        connection.request("GET", f"{parts.path}/cas/{digest}")
        return connection.getresponse().read()

    return get


def _raw_s3(parts: urllib.parse.SplitResult, digest: str) -> Callable[[], bytes]:
    library: Any = importlib.import_module("obstore")
    endpoint = urllib.parse.parse_qs(parts.query)["endpoint"][0]
    store = importlib.import_module("obstore.store").S3Store(
        bucket=parts.netloc, endpoint=endpoint, region="us-east-1", client_options={"allow_http": True}
    )
    return lambda: bytes(library.get(store, f"cas/{digest}").bytes())
