"""Images for the emulator's tests: descriptors laid out by AMD's register list, and single MIMG instructions on them.

The field positions and numbers here are written down a second time, from ROCR's resource_gfx11.h and Mesa's gfx11
registers, so that a field misplaced in our C code is noticed.
"""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.native.emulator_core_support import Outcome, assemble, launch_code

MODE = 63 | 0xF << 16 | 1 << 21
TYPES = {"1D": 8, "2D": 9, "3D": 10, "CUBE": 11, "1D_ARRAY": 12, "2D_ARRAY": 13}
FORMATS = {
    ("unorm", 8, 1): 1, ("snorm", 8, 1): 2, ("uint", 8, 1): 5, ("sint", 8, 1): 6,
    ("unorm", 16, 1): 7, ("snorm", 16, 1): 8, ("uint", 16, 1): 11, ("sint", 16, 1): 12, ("float", 16, 1): 13,
    ("unorm", 8, 2): 14, ("snorm", 8, 2): 15, ("uint", 8, 2): 18, ("sint", 8, 2): 19,
    ("uint", 32, 1): 20, ("sint", 32, 1): 21, ("float", 32, 1): 22,
    ("unorm", 16, 2): 23, ("snorm", 16, 2): 24, ("uint", 16, 2): 27, ("sint", 16, 2): 28, ("float", 16, 2): 29,
    ("unorm", 8, 4): 42, ("snorm", 8, 4): 43, ("uint", 8, 4): 46, ("sint", 8, 4): 47,
    ("uint", 32, 2): 48, ("sint", 32, 2): 49, ("float", 32, 2): 50,
    ("unorm", 16, 4): 51, ("snorm", 16, 4): 52, ("uint", 16, 4): 55, ("sint", 16, 4): 56, ("float", 16, 4): 57,
    ("uint", 32, 4): 61, ("sint", 32, 4): 62, ("float", 32, 4): 63,
}  # fmt: skip
CLAMPS = {"wrap": 0, "mirror": 1, "clamp": 2, "border": 6}
NUMPY = {"unorm": "u", "uint": "u", "snorm": "i", "sint": "i", "float": "f"}


def pack(words: list[int], dword: int, low: int, bits: int, value: int) -> None:
    """One field; AssertionError when the value does not fit."""
    assert 0 <= value < 1 << bits, (dword, low, bits, value)
    words[dword] |= value << low


@dataclass
class Image:
    """An image in host memory: rows of whole 256 bytes, of a chain of levels the smallest first.

    kind, bits: of a channel; texels: one array [slice, row, column, channel] per level.
    """

    type: str
    kind: str
    bits: int
    texels: list[np.ndarray]
    first_level: int = 0
    swizzle_mode: int = 0
    memory: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        slices = self.texels[0].shape[0]
        rows = [(level, -(-level.shape[2] * self.texel_bytes // 256) * 256) for level in self.texels]
        slice_bytes = sum(pitch * level.shape[1] for level, pitch in rows)
        raw = np.zeros(slice_bytes * slices + 256, np.uint8)
        self.memory = raw[-raw.ctypes.data % 256 :][: slice_bytes * slices]
        self.places = []
        at = 0
        for level, pitch in reversed(rows):
            self.places.append((at, pitch, level.shape))
            at += pitch * level.shape[1]
        self.places.reverse()
        self.slice_bytes = slice_bytes
        for index, level in enumerate(self.texels):
            for z, y in np.ndindex(level.shape[:2]):
                self.row(index, z, y)[:] = np.ascontiguousarray(level[z, y]).view(np.uint8).ravel()

    @property
    def channels(self) -> int:
        return self.texels[0].shape[3]

    @property
    def texel_bytes(self) -> int:
        return self.bits // 8 * self.channels

    def row(self, level: int, z: int, y: int) -> np.ndarray:
        """The bytes of one row in memory."""
        offset, pitch, shape = self.places[level]
        start = z * self.slice_bytes + offset + y * pitch
        return self.memory[start : start + shape[2] * self.texel_bytes]

    def stored(self) -> np.ndarray:
        """The first level as it is in memory now."""
        shape, dtype = self.texels[0].shape, self.texels[0].dtype
        rows = [self.row(0, z, y) for z in range(shape[0]) for y in range(shape[1])]
        return np.concatenate(rows).view(dtype).reshape(shape)

    def words(self) -> list[int]:
        """The eight dwords of the resource."""
        words = [0] * 8
        slices, height, width, channels = self.texels[0].shape
        base = self.memory.ctypes.data >> 8
        pack(words, 0, 0, 32, base & 0xFFFFFFFF)
        pack(words, 1, 0, 8, base >> 32)
        pack(words, 1, 16, 4, len(self.texels) - 1)
        pack(words, 1, 20, 8, FORMATS[self.kind, self.bits, channels])
        pack(words, 1, 30, 2, (width - 1) & 3)
        pack(words, 2, 0, 12, (width - 1) >> 2)
        pack(words, 2, 14, 14, height - 1)
        for i, select in enumerate([4, 5, 6, 7][:channels] + [0, 0, 0, 1][channels:]):
            pack(words, 3, 3 * i, 3, select)
        pack(words, 3, 12, 4, self.first_level)
        pack(words, 3, 16, 4, len(self.texels) - 1)
        pack(words, 3, 20, 5, self.swizzle_mode)
        pack(words, 3, 28, 4, TYPES[self.type])
        if self.type not in ("1D", "2D"):
            pack(words, 4, 0, 13, slices - 1)
        elif len(self.texels) == 1:
            pack(words, 4, 0, 14, self.places[0][1] // self.texel_bytes - 1)
        return words


@dataclass(frozen=True)
class Sampler:
    """border: 0 clear, 1 opaque black, 2 white; mip: 0 none, 1 nearest, 2 linear."""

    clamp: str = "clamp"
    linear: bool = False
    unnormalized: bool = True
    mip: int = 0
    border: int = 0
    seamless: bool = False
    anisotropy: int = 0
    lods: tuple[float, float] = (0.0, 15.0)
    bias: float = 0.0

    def words(self) -> list[int]:
        """The four dwords of the sampler."""
        words = [0] * 4
        for i in range(3):
            pack(words, 0, 3 * i, 3, CLAMPS[self.clamp])
        pack(words, 0, 9, 3, self.anisotropy)
        pack(words, 0, 15, 1, self.unnormalized)
        pack(words, 0, 27, 1, not self.linear)
        pack(words, 0, 28, 1, not self.seamless)
        pack(words, 1, 0, 12, int(self.lods[0] * 256))
        pack(words, 1, 12, 12, int(self.lods[1] * 256))
        pack(words, 2, 0, 14, int(self.bias * 256) & 0x3FFF)
        pack(words, 2, 20, 2, self.linear)
        pack(words, 2, 22, 2, self.linear)
        pack(words, 2, 26, 2, self.mip)
        pack(words, 3, 30, 2, self.border)
        return words


@functools.cache
def code_of(instruction: str, inputs: int, outputs: int) -> bytes:
    """v[32:] from `inputs` planes of dwords, the instruction, v[8:] to `outputs` planes.

    s[24:31] and s[16:19] hold the image and the sampler; v[8:] start as the planes behind the addresses (data).
    """
    lines = ["s_load_b256 s[24:31], s[0:1], 32", "s_load_b128 s[16:19], s[0:1], 64", "s_load_b128 s[4:7], s[0:1], 0"]
    lines += ["s_load_b128 s[8:11], s[0:1], 16", "s_lshl_b32 s12, s2, 5", "v_add_nc_u32 v1, s12, v0"]
    lines += ["s_waitcnt lgkmcnt(0)", "v_cmpx_gt_u32 s10, v1"]
    lines += ["v_lshlrev_b32 v1, 2, v1", "v_mov_b32 v2, v1", "v_mov_b32 v3, v1"]
    for i in range(inputs):
        lines += [f"global_load_b32 v{32 + i}, v2, s[4:5]", "v_add_nc_u32 v2, s8, v2"]
    for i in range(outputs):
        lines += [f"global_load_b32 v{8 + i}, v3, s[6:7]", "v_add_nc_u32 v3, s8, v3"]
    lines += ["s_waitcnt vmcnt(0)", instruction, "s_waitcnt vmcnt(0)", "s_waitcnt_vscnt null, 0"]
    for i in range(outputs):
        lines += [f"global_store_b32 v1, v{8 + i}, s[6:7]", "v_add_nc_u32 v1, s8, v1"]
    with tempfile.TemporaryDirectory() as folder:
        return assemble("\n".join([*lines, "s_endpgm\n"]), Path(folder))


def run(
    instruction: str,
    image: list[int],
    sampler: list[int],
    addresses: list[np.ndarray],
    data: list[np.ndarray],
) -> tuple[Outcome, np.ndarray]:
    """One instruction in every lane. addresses, data: arrays of 32-bit numbers; out: v[8:8 + len(data)] afterwards."""
    count = -(-len(addresses[0]) // 32) * 32
    planes = [np.zeros((len(group), count), np.uint32) for group in (addresses, data)]
    for plane, group in zip(planes, (addresses, data), strict=True):
        for row, values in zip(plane, group, strict=True):
            row[: len(values)] = np.ascontiguousarray(values).view(np.uint32)
    arguments = np.zeros(10, np.uint64)
    arguments[:4] = [planes[0].ctypes.data, planes[1].ctypes.data, count * 4, len(addresses[0])]
    arguments[4:8] = np.array(image, np.uint32).view(np.uint64)
    arguments[8:10] = np.array(sampler, np.uint32).view(np.uint64)
    code = code_of(instruction, len(addresses), len(data))
    outcome = launch_code(code, arguments.ctypes.data, MODE, count // 32, 32)
    return outcome, planes[1][:, : len(addresses[0])]
