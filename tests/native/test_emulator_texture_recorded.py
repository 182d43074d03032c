"""Samples of the emulated texture unit against what an NVIDIA H200 gave for the same texels and coordinates.

`tests/vectors/texture/recorded.npz` (driver 580.159.04, CUDA 13.0) holds a part of each probe: coordinates, results,
and the texels where they are random. What AMD's texture units give below 8 bits of a weight is not published, so the
emulator follows these recordings; on a card the last bits of a filtered sample may differ.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from tests.native.image_support import Image, Sampler, run

RECORDED = np.load(Path(__file__).parents[1] / "vectors" / "texture" / "recorded.npz")
EIGHT = np.arange(10, 90, 10)
MODES = ("wrap", "clamp", "mirror", "border")


def sample(op: str, image: Image, sampler: Sampler, coordinates: np.ndarray, results: int = 1) -> np.ndarray:
    """[lane, result] of one sampling instruction; coordinates: [lane, address]."""
    addresses = [np.ascontiguousarray(column, np.float32) for column in coordinates.T]
    last = len(addresses) + 31
    given = f"v[32:{last}]" if last > 32 else "v32"
    to = f"v[8:{7 + results}]" if results > 1 else "v8"
    mask = "0x1" if "gather" in op else hex((1 << results) - 1)
    line = f"image_{op} {to}, {given}, s[24:31], s[16:19] dmask:{mask} dim:SQ_RSRC_IMG_{image.type}"
    outcome, out = run(
        line, image.words(), sampler.words(), addresses, [np.zeros(len(coordinates), np.uint32)] * results
    )
    assert outcome.status == "ok", outcome.text
    return out.view(np.float32).T


def line(values: object, kind: str = "float", bits: int = 32) -> Image:
    """A one-dimensional image."""
    texels = np.asarray(values)
    if kind == "float":
        texels = texels.astype(np.float32)
    return Image("1D", kind, bits, [texels.reshape(1, 1, -1, 1)])


def check(name: str, got: np.ndarray, tolerance: float = 0) -> None:
    """Equal to the recording, NaNs too, or within `tolerance` of the largest texel."""
    expected = RECORDED[f"{name}.out"]
    if tolerance:
        assert np.abs(got - expected).max() <= tolerance
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("name", "size", "at", "normalized"),
    [
        ("weight_1d", 2, 1, False),
        ("weight_1d_wide", 2048, 1024, False),
        ("weight_1d_normalized_100", 100, 50, True),
        ("weight_1d_normalized_256", 256, 50, True),
    ],
)
def test_weights_have_eight_bits(name: str, size: int, at: int, normalized: bool) -> None:
    """Of a texel of 1 among zeros, linear samples give the weight."""
    sampler = Sampler(linear=True, unnormalized=not normalized)
    check(name, sample("sample_lz", line(np.arange(size) == at), sampler, RECORDED[f"{name}.in"]))


def test_weights_of_four_texels() -> None:
    texels = np.array([0, 0, 0, 1], np.float32).reshape(1, 2, 2, 1)
    check(
        "weight_2d",
        sample("sample_lz", Image("2D", "float", 32, [texels]), Sampler(linear=True), RECORDED["weight_2d.in"]),
    )


@pytest.mark.parametrize(
    ("name", "type", "shape"), [("filter_2d", "2D", (1, 64, 64, 1)), ("filter_3d", "3D", (8, 16, 16, 1))]
)
def test_filtered_floats(name: str, type: str, shape: tuple[int, ...]) -> None:
    """Weights as recorded; the sum's last bits are the hardware's own."""
    texels = RECORDED[f"{name}.texels"].reshape(shape)
    coordinates = RECORDED[f"{name}.in"][:, : 2 if type == "2D" else 3]
    got = sample("sample_lz", Image(type, "float", 32, [texels]), Sampler(linear=True), coordinates)
    check(name, got, tolerance=float(np.abs(texels).max()) * 2**-23)


@pytest.mark.parametrize(("name", "dtype"), [("unorm8", "u1"), ("snorm8", "i1"), ("unorm16", "u2"), ("snorm16", "i2")])
def test_normalized_integers(name: str, dtype: str) -> None:
    """Every value read as a float; and filtered, with 16 bits."""
    kind, bits = name[:5], int(name[5:])
    texels = np.arange(1 << bits).astype(dtype).reshape(1, -1, 256 if bits == 8 else 1024, 1)
    check(name, sample("sample_lz", Image("2D", kind, bits, [texels]), Sampler(), RECORDED[f"{name}.in"]))
    filtered = line(RECORDED[f"{name}_filter.texels"], kind, bits)
    got = sample("sample_lz", filtered, Sampler(linear=True), RECORDED[f"{name}_filter.in"])
    # Where the H200 puts -128 between -1 and its neighbours is its own business, and so is the 16th bit there.
    check(f"{name}_filter", got, tolerance=0.01 if name == "snorm8" else 0)


@pytest.mark.parametrize("normalized", [False, True])
def test_nearest_texel_at_edges(normalized: bool) -> None:
    name = f"point_edges{'_normalized' * normalized}"
    check(
        name, sample("sample_lz", line(np.arange(1000)), Sampler(unnormalized=not normalized), RECORDED[f"{name}.in"])
    )


@pytest.mark.parametrize("what", ["sweep", "strange"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("filter", ["point", "linear"])
@pytest.mark.parametrize("normalized", [False, True])
def test_address_modes(what: str, mode: str, filter: str, normalized: bool) -> None:
    """Steps of half a texel over three times the width; NaN, infinities and far coordinates."""
    name = f"{what}_{mode}_{filter}{'_normalized' * normalized}"
    clamp = mode if normalized or mode in ("clamp", "border") else "clamp"  # as the driver translates it
    got = sample("sample_lz", line(EIGHT), Sampler(clamp, filter == "linear", not normalized), RECORDED[f"{name}.in"])
    if mode == "border" and filter == "linear":
        got = got / 2  # NVIDIA's one-dimensional texture has a second row of border, which all three modes were set to
    check(name, got)


@pytest.mark.parametrize("normalized", [False, True])
def test_gather(normalized: bool) -> None:
    """Where the four texels change, and their order."""
    name = f"gather{'_normalized' * normalized}"
    image = Image("2D", "float", 32, [np.arange(512, dtype=np.float32).reshape(1, 8, 64, 1)])
    check(name, sample("gather4_lz", image, Sampler(unnormalized=not normalized), RECORDED[f"{name}.in"], 4))


@functools.cache
def pyramid() -> Image:
    """Level k holds k."""
    return Image("2D", "float", 32, [np.full((1, 64 >> k, 64 >> k, 1), k, np.float32) for k in range(7)])


@pytest.mark.parametrize("mode", range(4))
def test_levels(mode: int) -> None:
    """The level of an explicit level of detail and of derivatives, with clamps and a bias in modes 2 and 3."""
    held = {"lods": (1.25, 4.5), "bias": 0.375} if mode & 2 else {"lods": (0.0, 6.0)}
    sampler = Sampler(linear=bool(mode & 1), unnormalized=False, mip=2 if mode & 1 else 1, **held)
    lods = RECORDED[f"lod_{mode}.in"]
    middle = np.full((len(lods), 2), 0.5, np.float32)
    check(f"lod_{mode}", sample("sample_l", pyramid(), sampler, np.hstack([middle, lods])))
    given = RECORDED[f"grad_{mode}.in"]
    got = sample("sample_d", pyramid(), sampler, np.hstack([given, np.full((len(given), 2), 0.5, np.float32)]))
    off = np.abs(got - RECORDED[f"grad_{mode}.out"]).ravel()
    # One or two 256ths where a length lies at the edge of a step, which moves the nearest level of one in a hundred.
    assert (off == 0).mean() >= 0.985
    assert off.max() <= (2 / 256 if mode & 1 else 1)


def cube_coordinates(directions: np.ndarray) -> np.ndarray:
    """x and y of 1 to 2 and the face, as v_cubesc, v_cubetc, v_cubema and v_cubeid lead to."""
    x, y, z = directions[:, :3].T.astype(np.float64)
    ax, ay, az = np.abs([x, y, z])
    on_z, on_y = (az >= ax) & (az >= ay), ay >= ax
    face = np.where(on_z, 4 + (z < 0), np.where(on_y, 2 + (y < 0), x < 0))
    s = np.where(on_z, np.where(z < 0, -x, x), np.where(on_y, x, np.where(x < 0, z, -z)))
    t = np.where(on_z | ~on_y, -y, np.where(y < 0, -z, z))
    major = np.where(on_z, az, np.where(on_y, ay, ax))
    return np.stack([s / (2 * major) + 1.5, t / (2 * major) + 1.5, face], 1).astype(np.float32)


@pytest.mark.parametrize("linear", [False, True])
def test_cube(linear: bool) -> None:
    """Nearest and filtered texels of directions, many of them on edges and corners."""
    name = "cube_linear" if linear else "cube_point"
    image = Image("CUBE", "float", 32, [np.arange(1536, dtype=np.float32).reshape(6, 16, 16, 1)])
    sampler = Sampler(linear=linear, unnormalized=False)
    got = sample("sample_lz", image, sampler, cube_coordinates(RECORDED[f"{name}.in"]))
    off = np.abs(got - RECORDED[f"{name}.out"])
    assert (off == 0).mean() > 0.995 and off.max() <= 16 / 256  # one 256th of a texel row, at a rounding edge


@pytest.mark.parametrize("filter", ["point", "linear"])
def test_border(filter: str) -> None:
    """A clear border around texels of (1, 2, 3, 4): the recording's has a colour of its own, which is subtracted."""
    name = f"border_float_{filter}"
    texels = np.tile(np.array([1, 2, 3, 4], np.float32), (1, 4, 4, 1))
    got = sample(
        "sample_lz",
        Image("2D", "float", 32, [texels]),
        Sampler("border", filter == "linear"),
        RECORDED[f"{name}.in"],
        4,
    )
    colour = np.array([0.25, -2.0, 3.0, 0.5], np.float32)
    share = 1 - got[:, 1:2] / 2
    np.testing.assert_array_equal(got + share * colour, RECORDED[f"{name}.out"])


def test_layers_are_clamped() -> None:
    """A negative layer is a large one: device code converts it as unsigned."""
    layers = RECORDED["layers.in"].astype(np.uint32).astype(np.float32)
    image = Image("1D_ARRAY", "float", 32, [np.arange(4, dtype=np.float32).reshape(4, 1, 1, 1)])
    check(
        "layers", sample("sample_lz", image, Sampler(), np.hstack([np.full((len(layers), 1), 0.5, np.float32), layers]))
    )
