"""HIP's texture and surface objects of the emulated device, read by kernels through the dwords that HIP's headers use.

The kernels take the descriptors as ROCm's device headers do: dwords 0 to 7 (linear memory: 0 to 3) and 12 to 15.
Structures are ctypes copies of hip_runtime_api.h and texture_types.h.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.native.hip_support import call, compile_hip, library

NATIVE = library().native
NOT_SUPPORTED = 801
SOURCE = """
typedef unsigned u4 __attribute__((ext_vector_type(4)));
typedef unsigned u8v __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
#define CONSTANT __attribute__((address_space(4)))
#define IMAGE(object) (*(const u8v CONSTANT *)(object))
#define BUFFER(object) (*(const u4 CONSTANT *)(object))
#define SAMPLER(object) (*(const u4 CONSTANT *)((object) + 48))
#define WAIT "\\n s_waitcnt vmcnt(0)"
KERNEL sample(unsigned long object, const float *at, f4 *out, int n) {
  int i = BID * 64 + TID;
  if (i >= n) return;
  f4 r;
  asm volatile("image_sample_lz %0, [%1, %2], %3, %4 dmask:0xf dim:SQ_RSRC_IMG_2D" WAIT
               : "=&v"(r) : "v"(at[2 * i]), "v"(at[2 * i + 1]), "s"(IMAGE(object)), "s"(SAMPLER(object)));
  out[i] = r;
}
KERNEL volume(unsigned long object, const float *at, f4 *out, int n) {
  int i = BID * 64 + TID;
  if (i >= n) return;
  f4 r;
  asm volatile("image_sample_lz %0, [%1, %2, %3], %4, %5 dmask:0xf dim:SQ_RSRC_IMG_3D" WAIT
               : "=&v"(r) : "v"(at[3 * i]), "v"(at[3 * i + 1]), "v"(at[3 * i + 2]), "s"(IMAGE(object)),
                 "s"(SAMPLER(object)));
  out[i] = r;
}
KERNEL level(unsigned long object, const float *at, f4 *out, int n) {
  int i = BID * 64 + TID;
  if (i >= n) return;
  f4 r;
  asm volatile("image_sample_l %0, [%1, %2, %3], %4, %5 dmask:0xf dim:SQ_RSRC_IMG_2D" WAIT
               : "=&v"(r) : "v"(at[3 * i]), "v"(at[3 * i + 1]), "v"(at[3 * i + 2]), "s"(IMAGE(object)),
                 "s"(SAMPLER(object)));
  out[i] = r;
}
KERNEL fetch(unsigned long object, const float *at, f4 *out, int n) {
  int i = BID * 64 + TID;
  if (i >= n) return;
  f4 r;
  asm volatile("buffer_load_format_xyzw %0, %1, %2, 0 idxen" WAIT : "=&v"(r) : "v"((int)at[i]), "s"(BUFFER(object)));
  out[i] = r;
}
KERNEL store(unsigned long object, const float *at, f4 *values, int n) {
  int i = BID * 64 + TID;
  if (i >= n) return;
  asm volatile("image_store %0, [%1, %2], %3 dmask:0xf dim:SQ_RSRC_IMG_2D"
               :: "v"(values[i]), "v"((int)at[2 * i]), "v"((int)at[2 * i + 1]), "s"(IMAGE(object)) : "memory");
}
"""


class Format(ctypes.Structure):
    """hipChannelFormatDesc."""

    _fields_ = [("bits", ctypes.c_int * 4), ("kind", ctypes.c_int)]


class Resource(ctypes.Structure):
    """hipResourceDesc; the union as pitch2D, whose beginning linear and array share."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("handle", ctypes.c_void_p),
        ("format", Format),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
        ("pitch", ctypes.c_size_t),
    ]


class Texture(ctypes.Structure):
    """hipTextureDesc."""

    _fields_ = [
        ("address", ctypes.c_int * 3),
        ("filter", ctypes.c_int),
        ("read", ctypes.c_int),
        ("srgb", ctypes.c_int),
        ("border", ctypes.c_float * 4),
        ("normalized", ctypes.c_int),
        ("anisotropy", ctypes.c_uint),
        ("mip_filter", ctypes.c_int),
        ("bias", ctypes.c_float),
        ("least", ctypes.c_float),
        ("most", ctypes.c_float),
    ]


ARRAY, MIPMAPPED, LINEAR, PITCHED = range(4)
CLAMP = (ctypes.c_int * 3)(1, 1, 1)
UNSIGNED, FLOAT = 1, 2


def native(name: str, *arguments: object) -> int:
    return int(getattr(NATIVE, name)(*arguments))


def format_of(dtype: type, channels: int) -> Format:
    bits = np.dtype(dtype).itemsize * 8
    kind = FLOAT if np.dtype(dtype).kind == "f" else UNSIGNED
    return Format((ctypes.c_int * 4)(*([bits] * channels + [0] * (4 - channels))), kind)


def texture_of(resource: Resource, **fields: object) -> int:
    """A texture object; clamped, nearest, in texels unless `fields` say otherwise."""
    wanted, handle = Texture(address=CLAMP, **fields), ctypes.c_void_p()
    assert (
        native("hipCreateTextureObject", ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(wanted), None) == 0
    )
    return int(handle.value or 0)


def run(kernel: str, handle: int, at: np.ndarray, data: np.ndarray) -> np.ndarray:
    """One thread an element of `data` ([n, 4] floats), which it may write."""
    module = call("hipModuleLoadData", compile_hip(SOURCE))
    function = call("hipModuleGetFunction", module, kernel.encode())
    kinds = library().hip.hipMemcpyKind
    places = []
    for values in (np.ascontiguousarray(at, np.float32), np.ascontiguousarray(data, np.float32)):
        places.append(int(call("hipMalloc", values.nbytes)))
        call("hipMemcpy", places[-1], values, values.nbytes, kinds.hipMemcpyHostToDevice)
    arguments = (ctypes.c_void_p(handle), *(ctypes.c_void_p(place) for place in places), ctypes.c_int(len(data)))
    call("hipModuleLaunchKernel", function, -(-len(data) // 64), 1, 1, 64, 1, 1, 0, None, None, arguments)
    call("hipDeviceSynchronize")
    out = np.zeros((len(data), 4), np.float32)
    call("hipMemcpy", out, places[1], out.nbytes, kinds.hipMemcpyDeviceToHost)
    return out


def positions(width: int, height: int, shift: float = 0.5) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    return np.stack([x.ravel(), y.ravel()], 1).astype(np.float32) + np.float32(shift)


def array_of(texels: np.ndarray) -> ctypes.c_void_p:
    """A hipArray with these texels [row, column, channel]."""
    handle, wanted = ctypes.c_void_p(), format_of(texels.dtype.type, texels.shape[2])
    size = (ctypes.c_size_t(texels.shape[1]), ctypes.c_size_t(texels.shape[0]))
    assert native("hipMallocArray", ctypes.byref(handle), ctypes.byref(wanted), *size, 0) == 0
    fill(handle, texels)
    return handle


def fill(handle: ctypes.c_void_p, texels: np.ndarray) -> None:
    zero, row = ctypes.c_size_t(0), ctypes.c_size_t(texels[0].nbytes)
    at = texels.ctypes.data_as(ctypes.c_void_p)
    assert native("hipMemcpy2DToArray", handle, zero, zero, at, row, row, ctypes.c_size_t(len(texels)), 1) == 0


def test_array_nearest_filtered_and_normalized() -> None:
    """Missing channels are 0, alpha 1, as ROCR's descriptors select."""
    texels = np.arange(35 * 20, dtype=np.float32).reshape(20, 35, 1)
    array = array_of(texels)
    resource = Resource(ARRAY, array.value)
    nothing = np.zeros((700, 4), np.float32)
    out = run("sample", texture_of(resource), positions(35, 20), nothing)
    np.testing.assert_array_equal(out, np.hstack([texels.reshape(-1, 1), np.tile([0, 0, 1], (700, 1))]))
    middle = run("sample", texture_of(resource, filter=1), positions(34, 19, 1.0), nothing[: 34 * 19])
    expected = (texels[:-1, :-1] + texels[1:, :-1] + texels[:-1, 1:] + texels[1:, 1:]) / 4
    np.testing.assert_array_equal(middle[:, 0], expected.ravel())
    scaled = positions(35, 20) / np.array([35, 20], np.float32)
    np.testing.assert_array_equal(run("sample", texture_of(resource, normalized=1), scaled, nothing), out)
    assert native("hipFreeArray", array) == 0


def test_bytes_as_normalized_floats() -> None:
    texels = np.random.default_rng(1).integers(0, 256, (9, 7, 4), np.uint8)
    array = array_of(texels)
    out = run("sample", texture_of(Resource(ARRAY, array.value), read=1), positions(7, 9), np.zeros((63, 4)))
    np.testing.assert_array_equal(out, texels.reshape(-1, 4).astype(np.float32) / np.float32(255))


def test_pitched_memory_and_its_alignment() -> None:
    """A pitch must be whole 256 bytes on gfx11."""
    texels = np.arange(6 * 128 * 2, dtype=np.float32).reshape(6, 128, 2)
    place = int(call("hipMalloc", texels.nbytes))
    call("hipMemcpy", place, texels, texels.nbytes, library().hip.hipMemcpyKind.hipMemcpyHostToDevice)
    resource = Resource(PITCHED, place, format_of(np.float32, 2), 100, 6, 1024)
    out = run("sample", texture_of(resource), positions(100, 6), np.zeros((600, 4)))
    np.testing.assert_array_equal(out[:, :2], texels[:, :100].reshape(-1, 2))
    narrow, handle = Resource(PITCHED, place, format_of(np.float32, 2), 4, 6, 96), ctypes.c_void_p()
    wanted = Texture(address=CLAMP)
    status = native("hipCreateTextureObject", ctypes.byref(handle), ctypes.byref(narrow), ctypes.byref(wanted), None)
    assert status == NOT_SUPPORTED and "256" in library().reason()


def test_linear_memory_is_a_buffer() -> None:
    values = np.random.default_rng(2).integers(0, 256, (50, 2), np.uint8)
    place = int(call("hipMalloc", 4096))
    call("hipMemcpy", place, values, values.nbytes, library().hip.hipMemcpyKind.hipMemcpyHostToDevice)
    resource = Resource(LINEAR, place, format_of(np.uint8, 2), values.nbytes)
    index = np.arange(-2, 54, dtype=np.float32)
    out = run("fetch", texture_of(resource, read=1), index, np.zeros((56, 4)))
    expected = np.zeros((56, 4), np.float32)
    expected[2:52] = np.hstack([values.astype(np.float32) / np.float32(255), np.tile([0, 1], (50, 1))])
    np.testing.assert_array_equal(out, expected)


def test_three_dimensions() -> None:
    class Extent(ctypes.Structure):
        _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t)]

    handle, wanted = ctypes.c_void_p(), format_of(np.float32, 1)
    NATIVE.hipMalloc3DArray.argtypes = [ctypes.c_void_p, ctypes.c_void_p, Extent, ctypes.c_uint]
    assert native("hipMalloc3DArray", ctypes.addressof(handle), ctypes.addressof(wanted), Extent(5, 4, 3), 0) == 0
    surface, resource = ctypes.c_void_p(), Resource(ARRAY, handle.value)
    assert native("hipCreateSurfaceObject", ctypes.byref(surface), ctypes.byref(resource)) == 0
    at = np.stack(np.meshgrid([0.5, 4.5], [0.5, 3.5], [0.5, 2.5], indexing="ij"), -1).reshape(-1, 3)
    out = run("volume", texture_of(resource), at, np.ones((8, 4)))
    np.testing.assert_array_equal(out, np.tile(np.float32([0, 0, 0, 1]), (8, 1)))


def test_surface_stores_are_seen_by_a_texture() -> None:
    texels = np.zeros((8, 8, 4), np.float32)
    array = array_of(texels)
    resource, surface = Resource(ARRAY, array.value), ctypes.c_void_p()
    assert native("hipCreateSurfaceObject", ctypes.byref(surface), ctypes.byref(resource)) == 0
    data = np.random.default_rng(3).random((100, 4)).astype(np.float32)
    at = positions(10, 10, 0)
    run("store", int(surface.value or 0), at, data)  # what lies outside is left out
    out = run("sample", texture_of(resource), positions(8, 8), np.zeros((64, 4)))
    inside = (at[:, 0] < 8) & (at[:, 1] < 8)
    np.testing.assert_array_equal(out, data[inside])


@pytest.mark.parametrize("linear", [0, 1])
def test_levels_of_a_mipmapped_array(linear: int) -> None:
    """Levels filled through arrays of their own, chosen by level of detail."""

    class Extent(ctypes.Structure):
        _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t)]

    handle, wanted = ctypes.c_void_p(), format_of(np.float32, 1)
    NATIVE.hipMallocMipmappedArray.argtypes = [ctypes.c_void_p, ctypes.c_void_p, Extent, ctypes.c_uint, ctypes.c_uint]
    size = Extent(16, 12, 0)
    assert native("hipMallocMipmappedArray", ctypes.addressof(handle), ctypes.addressof(wanted), size, 4, 0) == 0
    for k in range(4):
        level = ctypes.c_void_p()
        assert native("hipGetMipmappedArrayLevel", ctypes.byref(level), handle, k) == 0
        fill(level, np.full((12 >> k, 16 >> k, 1), 10 * k, np.float32))
    texture = texture_of(Resource(MIPMAPPED, handle.value), normalized=1, mip_filter=linear, most=3.0)
    lods = np.array([0, 1, 2, 3, 0.5, 1.25, 9], np.float32)
    out = run("level", texture, np.stack([lods * 0 + 0.5, lods * 0 + 0.5, lods], 1), np.zeros((7, 4)))
    expected = [0, 10, 20, 30, 5, 12.5, 30] if linear else [0, 10, 20, 30, 10, 10, 30]
    np.testing.assert_array_equal(out[:, 0], np.float32(expected))
    assert native("hipFreeMipmappedArray", handle) == 0


class DriverResource(ctypes.Structure):
    """HIP_RESOURCE_DESC; the union as pitch2D."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("handle", ctypes.c_void_p),
        ("format", ctypes.c_int),
        ("channels", ctypes.c_uint),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
        ("pitch", ctypes.c_size_t),
        ("rest", ctypes.c_int * 32),
    ]


class DriverTexture(ctypes.Structure):
    """HIP_TEXTURE_DESC."""

    _fields_ = [
        ("address", ctypes.c_int * 3),
        ("filter", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("anisotropy", ctypes.c_uint),
        ("mip_filter", ctypes.c_int),
        ("lods", ctypes.c_float * 3),
        ("border", ctypes.c_float * 4),
        ("reserved", ctypes.c_int * 12),
    ]


def test_objects_by_the_drivers_structures() -> None:
    """Bytes are read as floats unless the flag says otherwise; both descriptions come back."""
    texels = np.random.default_rng(4).integers(0, 256, (6, 256, 4), np.uint8)
    place = int(call("hipMalloc", texels.nbytes))
    call("hipMemcpy", place, texels, texels.nbytes, library().hip.hipMemcpyKind.hipMemcpyHostToDevice)
    resource = DriverResource(PITCHED, place, 1, 4, 256, 6, 1024)  # HIP_AD_FORMAT_UNSIGNED_INT8
    wanted, handle = DriverTexture(address=CLAMP, filter=0, flags=0), ctypes.c_void_p()
    created = ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(wanted), None
    assert native("hipTexObjectCreate", *created) == 0
    out = run("sample", int(handle.value or 0), positions(256, 6), np.zeros((256 * 6, 4)))
    np.testing.assert_array_equal(out, texels.reshape(-1, 4).astype(np.float32) / np.float32(255))
    told, described = DriverResource(), DriverTexture()
    assert native("hipTexObjectGetResourceDesc", ctypes.byref(told), handle) == 0
    assert (told.type, told.handle, told.format, told.channels) == (PITCHED, place, 1, 4)
    assert (told.width, told.height, told.pitch) == (256, 6, 1024)
    assert native("hipTexObjectGetTextureDesc", ctypes.byref(described), handle) == 0
    assert bytes(described) == bytes(wanted)
    assert native("hipTexObjectDestroy", handle) == 0
    assert native("hipTexObjectGetTextureDesc", ctypes.byref(described), handle) == 1
