"""Image instructions of the emulated gfx1100: texels of every format, stores, atomics, sizes, short operands, refusals.

Oracles: numpy's numbers, AMD's formats (FORMAT of SQ_IMG_RSRC_WORD1), the bounds rules of the RDNA3 ISA document.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.image_support import FORMATS, NUMPY, Image, Sampler, run

RNG = np.random.default_rng(11)
ONE = {"uint": 1, "sint": 1}


def texels_of(kind: str, bits: int, shape: tuple[int, ...]) -> np.ndarray:
    """Random texels; floats are halves of integers."""
    if kind == "float":
        return (RNG.integers(-200, 200, shape) / 2).astype(f"f{bits // 8}")
    return RNG.integers(0, 1 << bits, shape, np.uint64).astype(f"u{bits // 8}").view(f"{NUMPY[kind]}{bits // 8}")


def meaning(kind: str, bits: int, texels: np.ndarray) -> np.ndarray:
    """What a load gives, as 32-bit words."""
    if kind == "unorm":
        return (texels.astype(np.float32) / np.float32((1 << bits) - 1)).view(np.uint32)
    if kind == "snorm":
        most = np.float32((1 << (bits - 1)) - 1)
        return np.maximum(texels.astype(np.float32) / most, np.float32(-1)).view(np.uint32)
    if kind == "float":
        return texels.astype(np.float32).view(np.uint32)
    return texels.astype(np.int64).astype(np.uint32)


def grid(width: int, height: int, slices: int = 1, margin: int = 0) -> list[np.ndarray]:
    """x, y and z of every texel, and of `margin` texels around."""
    steps = [np.arange(-margin, size + margin) for size in (slices, height, width)]
    z, y, x = np.meshgrid(*steps, indexing="ij")
    return [axis.ravel().astype(np.int32) for axis in (x, y, z)]


def line(name: str, dim: str, addresses: int, data: int, mask: int, more: str = "") -> str:
    """The instruction with v[32:] and v[8:]."""
    given = f"v[32:{31 + addresses}]" if addresses > 1 else "v32"
    to = f"v[8:{7 + data}]" if data > 1 else "v8"
    return f"image_{name} {to}, {given}, s[24:31] dmask:{mask:#x} dim:SQ_RSRC_IMG_{dim} {more}"


@pytest.mark.parametrize("format", list(FORMATS), ids=lambda format: "{}{}x{}".format(*format))
def test_loads_of_every_format(format: tuple[str, int, int]) -> None:
    """All channels, missing ones 0 and alpha 1 as the descriptor selects; 0 outside."""
    kind, bits, channels = format
    texels = texels_of(kind, bits, (1, 5, 7, channels))
    image = Image("2D", kind, bits, [texels])
    x, y, _ = grid(7, 5, margin=2)
    outcome, out = run(line("load", "2D", 2, 4, 15), image.words(), [0] * 4, [x, y], [x] * 4)
    assert outcome.status == "ok", outcome.text
    inside = (x >= 0) & (y >= 0) & (x < 7) & (y < 5)
    expected = np.zeros((len(x), 4), np.uint32)
    expected[:, 3] = ONE.get(kind, 0x3F800000) if channels < 4 else 0
    expected[inside, :channels] = meaning(kind, bits, texels[0, y[inside], x[inside]])
    np.testing.assert_array_equal(out.T, expected)


@pytest.mark.parametrize("format", list(FORMATS), ids=lambda format: "{}{}x{}".format(*format))
def test_stores_of_every_format(format: tuple[str, int, int]) -> None:
    """What a load gave is stored back: the same bytes, nothing written outside."""
    kind, bits, channels = format
    texels = texels_of(kind, bits, (1, 5, 7, channels))
    image = Image("2D", kind, bits, [np.zeros_like(texels)])
    x, y, _ = grid(7, 5, margin=1)
    chosen = texels[0, np.clip(y, 0, 4), np.clip(x, 0, 6)]
    data = [np.ascontiguousarray(column) for column in meaning(kind, bits, chosen).T]
    outcome, _ = run(line("store", "2D", 2, channels, (1 << channels) - 1), image.words(), [0] * 4, [x, y], data)
    assert outcome.status == "ok", outcome.text
    expected = texels.copy()
    if kind == "snorm":
        expected = np.maximum(expected, -(1 << (bits - 1)) + 1)
    np.testing.assert_array_equal(image.stored(), expected)


def test_stores_clamp_integers_and_round_normalized_numbers() -> None:
    x = np.arange(6, dtype=np.int32)
    for kind, given, expected in (
        ("uint", [0, 255, 256, 70000, 0xFFFFFFFF, 7], [0, 255, 255, 255, 255, 7]),
        ("sint", [0, 127, 128, 0xFFFFFF80, 0xFFFFFF00, 0x80000000], [0, 127, 127, -128, -128, -128]),
        ("unorm", [-1.0, 2.0, 0.5, 1 / 255, 0.1, np.nan], [0, 255, 128, 1, 26, 0]),
        ("snorm", [-2.0, 2.0, 0.5, -0.5, -1.0, np.nan], [-127, 127, 64, -64, -127, 0]),
    ):
        image = Image("1D", kind, 8, [np.zeros((1, 1, 6, 1), f"{NUMPY[kind]}1")])
        data = np.array(given, np.uint32 if kind in ONE else np.float32)
        outcome, _ = run(line("store", "1D", 1, 1, 1), image.words(), [0] * 4, [x], [data])
        assert outcome.status == "ok", outcome.text
        assert image.stored().ravel().tolist() == expected, kind


def test_a_store_writes_zero_to_channels_that_dmask_leaves_out() -> None:
    """LLVM drops trailing zeros of stored data on gfx11 (hasDefaultComponentZero)."""
    image = Image("1D", "uint", 32, [np.full((1, 1, 4, 4), 9, np.uint32)])
    x = np.arange(4, dtype=np.int32)
    outcome, _ = run(line("store", "1D", 1, 2, 0b0101), image.words(), [0] * 4, [x], [x + 1, x + 100])
    assert outcome.status == "ok", outcome.text
    np.testing.assert_array_equal(image.stored()[0, 0], np.stack([x + 1, x * 0, x + 100, x * 0], 1))


@pytest.mark.parametrize(
    ("type", "shape"),
    [("1D", (1, 1, 9)), ("3D", (4, 5, 9)), ("2D_ARRAY", (4, 5, 9)), ("1D_ARRAY", (4, 1, 9)), ("CUBE", (6, 5, 5))],
)
def test_dimensions(type: str, shape: tuple[int, int, int]) -> None:
    texels = texels_of("uint", 32, (*shape, 1))
    image = Image(type, "uint", 32, [texels])
    x, y, z = grid(shape[2], shape[1], shape[0], margin=1)
    addresses = {"1D": [x], "1D_ARRAY": [x, z]}.get(type, [x, y, z])
    if type in ("1D", "1D_ARRAY"):
        y = y * 0
    if type == "1D":
        z = z * 0
    outcome, out = run(line("load", type, len(addresses), 1, 1), image.words(), [0] * 4, addresses, [x])
    assert outcome.status == "ok", outcome.text
    inside = (x >= 0) & (x < shape[2]) & (y >= 0) & (y < shape[1]) & (z >= 0) & (z < shape[0])
    expected = np.zeros(len(x), np.uint32)
    expected[inside] = texels[z[inside], y[inside], x[inside], 0]
    np.testing.assert_array_equal(out[0], expected)


def test_levels() -> None:
    """image_load_mip and image_store_mip, in an image of layers; a level that is not there is outside."""
    levels = [texels_of("uint", 16, (3, 8 >> k, 20 >> k, 2)) for k in range(4)]
    image = Image("2D_ARRAY", "uint", 16, levels)
    for k, level in enumerate(levels):
        x, y, z = grid(level.shape[2], level.shape[1], 3)
        which = np.full(len(x), k, np.int32)
        outcome, out = run(line("load_mip", "2D_ARRAY", 4, 2, 3), image.words(), [0] * 4, [x, y, z, which], [x] * 2)
        assert outcome.status == "ok", outcome.text
        np.testing.assert_array_equal(out.T, level.reshape(-1, 2))
        run(line("store_mip", "2D_ARRAY", 4, 2, 3), image.words(), [0] * 4, [x, y, z, which], [out[0] + 1, out[1]])
        row = image.row(k, 2, 0).view(np.uint16).reshape(-1, 2)
        np.testing.assert_array_equal(row[:, 0], np.minimum(level[2, 0, :, 0].astype(np.uint32) + 1, 65535))
    deep = np.full(4, 4, np.int32)
    outcome, out = run(
        line("load_mip", "2D_ARRAY", 4, 2, 3), image.words(), [0] * 4, [deep * 0] * 3 + [deep], [deep] * 2
    )
    assert outcome.status == "ok" and not out.any()
    below = Image("2D_ARRAY", "uint", 16, levels, first_level=2)
    zero = np.zeros(1, np.int32)
    _, out = run(line("load", "2D_ARRAY", 3, 2, 3), below.words(), [0] * 4, [zero] * 3, [zero] * 2)
    np.testing.assert_array_equal(out[:, 0], levels[2][0, 0, 0])


def test_sizes() -> None:
    levels = [np.zeros((6, 12 >> k, 40 >> k, 1), np.float32) for k in range(3)]
    image = Image("2D_ARRAY", "float", 32, levels)
    level = np.arange(4, dtype=np.int32)
    outcome, out = run(line("get_resinfo", "2D_ARRAY", 1, 4, 15), image.words(), [0] * 4, [level], [level] * 4)
    assert outcome.status == "ok", outcome.text
    assert out.T.tolist() == [[40, 12, 6, 3], [20, 6, 6, 3], [10, 3, 6, 3], [0, 0, 0, 3]]


ATOMICS = {
    "swap": lambda a, b: b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "smin": lambda a, b: np.minimum(a.view(np.int32), b.view(np.int32)).view(np.uint32),
    "umin": np.minimum,
    "smax": lambda a, b: np.maximum(a.view(np.int32), b.view(np.int32)).view(np.uint32),
    "umax": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": lambda a, b: np.where(a >= b, 0, a + 1).astype(np.uint32),
    "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - 1).astype(np.uint32),
}


@pytest.mark.parametrize("name", [*ATOMICS, "cmpswap"])
def test_atomics(name: str) -> None:
    """One texel a lane, the old value returned; lanes outside change nothing."""
    old, data = (RNG.integers(0, 1 << 32, 24, np.uint64).astype(np.uint32) for _ in range(2))
    data[::3] = old[::3]
    image = Image("2D", "uint", 32, [old.reshape(1, 4, 6, 1)])
    x, y, _ = grid(6, 4)
    count = 2 if name == "cmpswap" else 1
    given = [data + 5, data] if name == "cmpswap" else [data]
    text = line(f"atomic_{name}", "2D", 2, count, 3 if count == 2 else 1, "glc")
    at = [np.append(x, 6).astype(np.int32), np.append(y, 0).astype(np.int32)]
    data_and_more = [np.append(values, 1).astype(np.uint32) for values in given]
    outcome, out = run(text, image.words(), [0] * 4, at, data_and_more)
    assert outcome.status == "ok", outcome.text
    expected = np.where(old == data, data + 5, old) if name == "cmpswap" else ATOMICS[name](old, data)
    np.testing.assert_array_equal(image.stored().ravel(), expected)
    np.testing.assert_array_equal(out[0][:-1], old)


def test_lanes_add_to_one_texel() -> None:
    image = Image("1D", "uint", 32, [np.zeros((1, 1, 1, 1), np.uint32)])
    x = np.zeros(96, np.int32)
    outcome, _ = run(line("atomic_add", "1D", 1, 1, 1), image.words(), [0] * 4, [x], [x + 3])
    assert outcome.status == "ok" and image.stored().item() == 288


def packed(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Two arrays of 16 bits in one of 32."""
    return first.view(np.uint16).astype(np.uint32) | second.view(np.uint16).astype(np.uint32) << 16


def test_short_results_and_data() -> None:
    """d16: channels in halves, as f16 or as the low bits of integers."""
    floats = Image("1D", "float", 32, [texels_of("float", 32, (1, 1, 8, 4))])
    x = np.arange(8, dtype=np.int32)
    _, out = run(line("load", "1D", 1, 2, 15, "d16"), floats.words(), [0] * 4, [x], [x] * 2)
    halves = floats.stored()[0, 0].astype(np.float16)
    np.testing.assert_array_equal(
        out, [packed(halves[:, 0].copy(), halves[:, 1].copy()), packed(halves[:, 2].copy(), halves[:, 3].copy())]
    )
    target = Image("1D", "sint", 16, [np.zeros((1, 1, 8, 2), np.int16)])
    numbers = texels_of("sint", 16, (8, 2))
    run(
        line("store", "1D", 1, 1, 3, "d16"),
        target.words(),
        [0] * 4,
        [x],
        [packed(numbers[:, 0].copy(), numbers[:, 1].copy())],
    )
    np.testing.assert_array_equal(target.stored()[0, 0], numbers)


def test_short_addresses() -> None:
    """a16: two coordinates a register, in loads and in samples."""
    texels = texels_of("float", 32, (5, 6, 7, 1))
    image = Image("3D", "float", 32, [texels])
    x, y, z = grid(7, 6, 5)
    shorts = [axis.astype(np.uint16) for axis in (x, y, z)]
    pairs = [packed(shorts[0], shorts[1]), shorts[2].astype(np.uint32)]
    _, out = run(line("load", "3D", 2, 1, 1, "a16"), image.words(), [0] * 4, pairs, [x])
    np.testing.assert_array_equal(out[0].view(np.float32), texels[z, y, x, 0])
    halves = [(axis + 0.5).astype(np.float16) for axis in (x, y, z)]
    pairs = [packed(halves[0], halves[1]), halves[2].view(np.uint16).astype(np.uint32)]
    text = "image_sample_lz v8, v[32:33], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_3D a16"
    _, out = run(text, image.words(), Sampler().words(), pairs, [x])
    np.testing.assert_array_equal(out[0].view(np.float32), texels[z, y, x, 0])


def test_offsets_and_apart_addresses() -> None:
    """_o: texel offsets of 6 bits, signed; NSA: addresses that do not follow each other."""
    texels = texels_of("float", 32, (1, 16, 16, 1))
    image = Image("2D", "float", 32, [texels])
    x, y, _ = grid(8, 8)
    packed_offset = np.full(len(x), 3 | (-2 & 63) << 8, np.int32)
    at = [axis.astype(np.float32) + 4.5 for axis in (x, y)]
    text = "image_sample_lz_o v8, [v33, v32, v34], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"
    outcome, out = run(text, image.words(), Sampler().words(), [at[0], packed_offset.view(np.float32), at[1]], [x])
    assert outcome.status == "ok", outcome.text
    np.testing.assert_array_equal(out[0].view(np.float32), texels[0, y + 2, x + 7, 0])


def test_sample_of_integers_is_not_filtered() -> None:
    texels = texels_of("sint", 8, (1, 4, 4, 4))
    image = Image("2D", "sint", 8, [texels])
    x, y, _ = grid(4, 4)
    text = "image_sample_lz v[8:11], v[32:33], s[24:31], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D"
    _, out = run(text, image.words(), Sampler().words(), [(axis + 0.5).astype(np.float32) for axis in (x, y)], [x] * 4)
    np.testing.assert_array_equal(out.T.view(np.int32), texels[0, y, x].astype(np.int32))


def test_seamless_cube_reaches_over_edges() -> None:
    """Between two faces of 10 and 20 the edge gives 15; without seams each face ends in itself."""
    texels = np.full((6, 8, 8, 1), 10, np.float32)
    texels[4] = 20  # +z, beyond the left edge of +x
    image = Image("CUBE", "float", 32, [texels])
    at = [np.array([1.0], np.float32), np.array([1.5], np.float32), np.array([0.0], np.float32)]
    text = "image_sample_lz v8, v[32:34], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_CUBE"
    for seamless, expected in ((False, 10), (True, 15)):
        sampler = Sampler(linear=True, unnormalized=False, seamless=seamless)
        _, out = run(text, image.words(), sampler.words(), at, [at[0]])
        assert out.view(np.float32).item() == expected


@pytest.mark.parametrize(("clamp", "expected"), [("wrap", (10 + 30) / 2), ("border", 10 / 2), ("clamp", 10)])
def test_faces_without_seams_are_addressed_like_images(clamp: str, expected: float) -> None:
    """At its left edge a face of columns 10 … 30 meets its right one, the border, or nothing."""
    texels = np.zeros((6, 8, 8, 1), np.float32)
    texels[0, :, 0], texels[0, :, 7] = 10, 30
    image = Image("CUBE", "float", 32, [texels])
    at = [np.array([1.0], np.float32), np.array([1.5], np.float32), np.array([0.0], np.float32)]
    text = "image_sample_lz v8, v[32:34], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_CUBE"
    sampler = Sampler(clamp=clamp, linear=True, unnormalized=False)
    _, out = run(text, image.words(), sampler.words(), at, [at[0]])
    assert out.view(np.float32).item() == expected


def test_levels_share_the_weight_before_the_axes_do() -> None:
    """Weights are whole 256ths of the sum: with half of each level, 3/256 along x leaves 1 or 2, not 1.5 of each.

    As recorded on an H200 (tests/vectors/ptx/texture_forms.txt.xz, forms `level`).
    """
    texels = [np.zeros((1, 1, 16, 1), np.float32), np.zeros((1, 1, 8, 1), np.float32)]
    texels[0][0, 0, 5] = texels[1][0, 0, 4] = 1
    image = Image("1D", "float", 32, texels)
    text = "image_sample_l v8, v[32:33], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_1D"
    sampler = Sampler(linear=True, unnormalized=False, mip=2)
    x = np.array([(4.5 + 3 / 256) / 16], np.float32)  # 3/256 of texel 5; in the second level halfway before texel 2
    _, out = run(text, image.words(), sampler.words(), [x, np.array([0.5], np.float32)], [x])
    assert out.view(np.float32).item() == 2 / 256


def test_a_texel_clamped_twice_has_no_weights() -> None:
    """Where both neighbours along x are the first texel, y alone is weighed, and its half goes down, not up.

    As recorded on an H200 (tests/vectors/ptx/texture_forms.txt.xz, `level.2d` with sampler 1).
    """
    texels = np.zeros((1, 2, 4, 1), np.float32)
    texels[0, 1] = 1
    image = Image("2D", "float", 32, [texels, texels[:, :1, :2] * 0])
    text = "image_sample_l v8, v[32:34], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"
    sampler = Sampler(linear=True, unnormalized=False, mip=2)
    y = np.array([(0.5 + 3 / 256) / 2], np.float32)  # 3/256 of half a sample: 1.5 goes down
    at = [np.array([0.01], np.float32), y, np.array([0.5], np.float32)]
    _, out = run(text, image.words(), sampler.words(), at, [y])
    assert out.view(np.float32).item() == 1 / 256


def test_empty_descriptor() -> None:
    """Descriptors of zeros read as 0 and take no stores."""
    x = np.arange(4, dtype=np.int32)
    for text in (line("load", "2D", 2, 1, 1), line("store", "2D", 2, 1, 1), line("atomic_add", "2D", 2, 1, 1)):
        outcome, out = run(text, [0] * 8, [0] * 4, [x, x], [x + 7])
        assert outcome.status == "ok", outcome.text
        assert out[0].tolist() == ([0] * 4 if "load" in text else (x + 7).tolist())


REFUSED = {
    "tiled": (Image("2D", "float", 32, [np.zeros((1, 4, 4, 1), np.float32)], swizzle_mode=9), Sampler()),
    "anisotropic": (Image("2D", "float", 32, [np.zeros((1, 4, 4, 1), np.float32)]), Sampler(anisotropy=2)),
    "dimensions": (Image("3D", "float", 32, [np.zeros((2, 4, 4, 1), np.float32)]), Sampler()),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_there_is_refused_by_name(what: str) -> None:
    image, sampler = REFUSED[what]
    x = np.zeros(1, np.float32)
    text = "image_sample_lz v8, v[32:33], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"
    outcome, _ = run(text, image.words(), sampler.words(), [x, x], [x])
    assert outcome.status == "illegal instruction" and what in outcome.text


def test_tfe_is_refused() -> None:
    image = Image("2D", "float", 32, [np.zeros((1, 4, 4, 1), np.float32)])
    x = np.zeros(1, np.int32)
    outcome, _ = run(line("load", "2D", 2, 2, 1, "tfe"), image.words(), [0] * 4, [x, x], [x, x])
    assert outcome.status == "illegal instruction" and "tfe" in outcome.text


def test_levels_by_the_differences_within_a_quad() -> None:
    """image_sample, image_sample_b, image_sample_cl and image_get_lod take lanes 0, 1 and 2 of each quad."""
    image = Image("2D", "float", 32, [np.full((1, 64 >> k, 64 >> k, 1), k, np.float32) for k in range(7)])
    steps = np.repeat(2.0 ** np.arange(8), 4) / 64  # a step of 2^k texels: level k
    lane = np.arange(32)
    u, v = ((0.25 + (lane >> bit & 1) * steps).astype(np.float32) for bit in (0, 1))
    sampler = Sampler(unnormalized=False, mip=1, lods=(0.0, 6.0))
    expected = np.minimum(np.repeat(np.arange(8), 4), 6).astype(np.float32)
    given, tail = "s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D", [u]
    extra = np.full(32, 2, np.float32)
    for text, addresses, wanted in (
        (f"image_sample v8, v[32:33], {given}", [u, v], expected),
        (f"image_get_lod v8, v[32:33], {given}", [u, v], expected),
        (f"image_sample_b v8, v[32:34], {given}", [extra, u, v], np.minimum(np.repeat(np.arange(8), 4) + 2, 6)),
        (f"image_sample_cl v8, v[32:34], {given}", [u, v, extra], np.maximum(expected, 2)),
        (f"image_sample_lz v8, v[32:33], {given}", [u, v], expected * 0),
    ):
        outcome, out = run(text, image.words(), sampler.words(), addresses, tail)
        assert outcome.status == "ok", outcome.text
        np.testing.assert_array_equal(out[0].view(np.float32), wanted, err_msg=text)


def test_gradients_of_half_precision() -> None:
    """_g16: two derivatives a register, each direction in registers of its own."""
    image = Image("2D", "float", 32, [np.full((1, 64 >> k, 64 >> k, 1), k, np.float32) for k in range(7)])
    steps = (2.0 ** np.arange(7) / 64).astype(np.float16)
    none = np.zeros(7, np.float16)
    middle = np.full(7, 0.5, np.float32)
    text = "image_sample_d_g16 v8, v[32:35], s[24:31], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"
    addresses = [packed(steps, none), packed(none, steps), middle, middle]
    outcome, out = run(text, image.words(), Sampler(unnormalized=False, mip=1).words(), addresses, [middle])
    assert outcome.status == "ok", outcome.text
    assert out[0].view(np.float32).tolist() == list(range(7))
