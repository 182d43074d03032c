"""The wheels, and a deterministic sample of the functions in their shared objects."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import Cubin, CubinKernel, EntryKind
from cass_shim.model.errors import CassError

# Projects on the package index whose wheels carry CUDA code and have at most 100 MB.
NAMES = (
    "auto-gptq", "autoawq-kernels", "bitsandbytes", "ctranslate2", "cumm-cu120", "faiss-gpu-cu12", "gpu4pyscf-cuda12x",
    "jax-cuda12-plugin", "nvidia-curand-cu12", "nvidia-nvjpeg-cu12", "spconv-cu120", "torchao", "torchaudio",
    "torchvision",
)  # fmt: skip


@dataclass(frozen=True)
class Function:
    """One kernel of a wheel. key: digest of its code, which orders and de-duplicates the sample."""

    key: str
    sm: int
    kernel: CubinKernel
    cubin: Cubin


def download(folder: Path, names: tuple[str, ...], limit_s: int) -> dict[str, str]:
    """Fetch what is not there yet; project → why it could not be had."""
    failed = {}
    for name in names:
        if wheel_of(folder, name) is not None:
            continue
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d"]
        try:
            done = subprocess.run(
                [*command, str(folder), name], capture_output=True, text=True, timeout=limit_s, check=False
            )
        except subprocess.TimeoutExpired:
            failed[name] = f"not downloaded in {limit_s} s"
            continue
        if done.returncode:
            failed[name] = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    return failed


def wheel_of(folder: Path, name: str) -> Path | None:
    """The downloaded wheel of a project."""
    return next(iter(sorted(folder.glob(f"{name.replace('-', '_')}-[0-9]*.whl"))), None)


def cubins(wheel: Path, sms: tuple[int, ...], refused: dict[str, int]) -> Iterator[Cubin]:
    """Every executable cubin of those SMs in a wheel's shared objects; refused: reason → how many images."""
    seen = set()
    with zipfile.ZipFile(wheel) as archive:
        for member in sorted(archive.namelist()):
            if ".so" not in member:
                continue
            try:
                fatbins = read_fatbins(archive.read(member), member)
            except CassError as error:
                reason = str(error).split(" in ")[0].split(":")[0]
                refused[reason] = refused.get(reason, 0) + 1
                continue
            for entry in (entry for fatbin in fatbins for entry in fatbin.entries):
                digest = hashlib.sha256(entry.payload).digest()
                if entry.kind is not EntryKind.ELF or entry.sm not in sms or digest in seen:
                    continue
                seen.add(digest)
                try:
                    yield read_cubin(entry.payload, member)
                except CassError as error:
                    reason = str(error).split(" in ")[0].split(":")[0]
                    refused[reason] = refused.get(reason, 0) + 1


def sample(wheel: Path, sms: tuple[int, ...], most: int, refused: dict[str, int]) -> tuple[int, list[Function]]:
    """How many different kernels a wheel has, and per SM those `most` with the smallest digests of their code."""
    found: dict[tuple[int, str], Function] = {}
    for cubin in cubins(wheel, sms, refused):
        for kernel in cubin.kernels.values():
            key = hashlib.sha256(kernel.code).hexdigest()
            found.setdefault((cubin.sm, key), Function(key, cubin.sm, kernel, cubin))
    chosen = []
    for sm in sms:
        chosen += sorted((f for (own, _), f in found.items() if own == sm), key=lambda f: f.key)[:most]
    return len(found), chosen
