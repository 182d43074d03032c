"""The conformance programs: how each is built, and how its output is compared with what an NVIDIA H200 gave (driver
580.159.04, CUDA 13.0; `conformance/*.expected`), those from `runtime_rest` on and `halves` two H100 (same driver),
`behind` an H200 again."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.native.runtime_support import CONFORMANCE

LINKED = CONFORMANCE.parent / "linked"  # what the program `machine_links` joins

DEVICE_CODE = ("-rdc=true", "-lcudadevrt")
# name → flags beside libcuda's; each prints "[section]" before each part
CHAPTERS: dict[str, tuple[str, ...]] = {
    "green": (),
    "virtual": (),
    "narrow": (),
    "settings": (),
    "external": (),
    "imported": (),
    "external_own": (),
    "graphics": (),
    "graph_nodes": (),
    "conditional_device": DEVICE_CODE,
    "streams": (),
    "execution": (),
    "contexts": (),
    "links": (),
    "processes": (),
    "faults": (),
    "device_heap": (),
    "graph_updates": (),
    "copies": (),
    "driver_calls": (),
    "runtime_rest": (),
    "driver_rest": (),
    "driver_objects": (),
    "older": (),
    "newer": (),
    "wrong": (),
    "peers": (),
    "peers_alone": (),
    "two_devices": (),
    "behind": (),
}
SOURCES = {"peers_alone": "peers"}  # where the program has another name
SETTINGS = {"peers": {"CASS_EMU_DEVICES": "2"}, "two_devices": {"CASS_EMU_DEVICES": "2"}}
WAITING = ("oldest",)  # for an NVIDIA machine that has libcudart.so.11.0: no `.expected` yet
LINKED_CHAPTERS = ("machine_links", "halves")  # that need build_parts() beside them
# Recorded lines that are properties of the H200, and what the emulated device has instead; by section.
OF_THE_DEVICE = {
    # groups of multiprocessors follow the H200's clusters of them; compute capability 8.9 has parts of 4 and 2
    "resources": {
        "groups of 8: 0": "groups of 8: 1",
        "groups 1 first 16": "groups 1 first 10",
        "groups 1 first 8": "groups 1 first 4",
    },
    "mapped": {"unmap_again 0": "unmap_again 1"},  # HIP's answer
    "pools": {"handles 9": "handles 1"},  # file descriptors, no fabric
    "sparse": {"sparse 1": "sparse 0"},
    "functions": {"4": "3"},  # blocks of 512 threads on a multiprocessor of 2,048, or of 1,536
    "multicast": {"multicast 0 fabric 1": "multicast 0 fabric 0", "fabric 800": "fabric 801"},
    # of an unlinked cubin alone: CUDA takes one with undefined references and fails at the launch
    "unresolved": {"module 0": "module 200"},
    # elements of 4 bytes in a texture over linear memory
    "devices": {"1073741824": "268435456"},
    "others": {"1073741824": "268435456", "1 1024": "1 768"},  # the second: the largest block that fills it
    "flushes": {
        "options 1 order 100": "options 0 order 0",
        "owner 0": "owner 801",
        "all 0": "all 801",
        "runtime 0": "runtime 801",
        "runtime_all 0": "runtime_all 801",
        "dmabuf 1": "dmabuf 0",
        "range_handle 0": "range_handle 801",
    },
}
# Recorded lines that are not imitated, and what we answer instead; by section.
DECIDED = {
    "copies": {"memset_there 1": "memset_there 0"},  # another device's memory without peer access
    "nodes": {"calls 0": "calls 1"},  # the destructor of a user object: here at once
    "twice": {"apart.cubin 300": "apart.cubin 0"},  # cubins are looked at when the link is completed
    "images": {
        # types of operands are checked when a kernel is first launched; PTX for newer GPUs than ours runs
        "wrong_type: module 218 library 0 kernel 218 runtime 0 add 218": "wrong_type: module 0 library 0 kernel 0 "
        "runtime 0 add 0 complete 0",
        "target_120: module 218 library 0 kernel 218 runtime 0 add 218": "target_120: module 0 library 0 kernel 0 "
        "runtime 0 add 0 complete 0",
        # a function without parameters, declared and not defined; elsewhere 300 is recorded for that
        "undefined_function: module 218 library 0 kernel 218 runtime 0 add 0 complete 999": "undefined_function: "
        "module 218 library 0 kernel 218 runtime 0 add 0 complete 300",
        "elf_cuda 999": "elf_cuda 200",  # a header and nothing behind it
    },
}
# Lines that no two runs share, by section: the recorded one, and what ours must be like.
VARYING = {"logs": {"164": r"[1-9]\d+"}}  # bytes of an error's lines, whose words are the driver's; thread number
BY_ARGUMENT = ("wide",)  # `links wide`: minutes on the emulated device
CRASH = "signal 11"  # of the GPU's driver, for a null argument: what came before it counts


def build_parts(folder: Path, sm: int = 80) -> None:
    """Relocatable cubins, fatbinaries, objects, libraries and PTX, as `machine_links` looks for them."""

    def nvcc(*arguments: str) -> None:
        subprocess.run(["nvcc", *arguments], check=True, cwd=folder)

    code, text = f"-arch=sm_{sm}", f"-arch=compute_{sm}"
    for name in ("a", "b", "v1", "v2", "v3", "apart"):
        nvcc(code, "-rdc=true", "-cubin", str(LINKED / f"{name}.cu"), "-o", f"{name}.cubin")
    nvcc(code, "-cubin", str(LINKED / "plain.cu"), "-o", "plain.cubin")
    for name in ("a", "b"):
        nvcc(code, "-rdc=true", "-fatbin", str(LINKED / f"{name}.cu"), "-o", f"{name}.fatbin")
        nvcc(code, "-dc", str(LINKED / f"{name}.cu"), "-o", f"{name}.o")
    for name in ("a", "b", "c", "apart"):
        nvcc(text, "-rdc=true", "-ptx", str(LINKED / f"{name}.cu"), "-o", f"{name}.ptx")
    subprocess.run(["ar", "rcs", "libb.a", "b.o"], check=True, cwd=folder)
    subprocess.run(["ar", "rcs", "liball.a", "a.o", "b.o"], check=True, cwd=folder)


def sections(text: str) -> dict[str, list[str]]:
    """The lines below each "[name]"."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            found[line[1:-1]] = []
        else:
            next(reversed(found.values())).append(line)
    return found


def differences(name: str, output: str) -> list[str]:
    """Sections of a chapter's output that are not as recorded, each with its first different lines."""
    recorded = sections((CONFORMANCE / f"{name}.expected").read_text())
    ours, wrong = sections(output), []
    for section, lines in recorded.items():
        if section in BY_ARGUMENT and section not in ours:
            continue
        changed = {**OF_THE_DEVICE.get(section, {}), **DECIDED.get(section, {})}
        wanted = [changed.get(line, line) for line in lines]
        found = ours.get(section, [])
        if wanted[-1:] == [CRASH]:
            wanted = wanted[:-1]
            found = found[: len(wanted)]
        alike = VARYING.get(section, {})
        pairs = [(a, b) for a, b in zip(wanted, found, strict=False) if not re.fullmatch(alike.get(a, re.escape(a)), b)]
        if pairs or len(found) != len(wanted):
            wrong.append(f"[{section}] {pairs[:3] or f'{len(found)} lines, recorded {len(wanted)}'}")
    return wrong
