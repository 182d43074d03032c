// What CUDA answers when texture and surface objects are made, asked about and dropped, rightly and
// wrongly. Prints one line per question: "name code [values]". Recorded on an NVIDIA GPU in
// textures.expected.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

template <typename T> static cudaResourceDesc of_linear(void *memory, size_t bytes) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = bytes;
    return resource;
}

static cudaResourceDesc of_pitched(void *memory, size_t width, size_t height, size_t pitch) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return resource;
}

static void texture(const char *name, const cudaResourceDesc &resource, const cudaTextureDesc &how,
                    const cudaResourceViewDesc *view = nullptr) {
    cudaTextureObject_t object = 0;
    int made = (int)cudaCreateTextureObject(&object, &resource, &how, view);
    printf("%s %d object %d", name, made, object != 0);
    printf(" drop %d\n", object ? (int)cudaDestroyTextureObject(object) : -1);
    cudaGetLastError();
}

static void surface(const char *name, const cudaResourceDesc &resource) {
    cudaSurfaceObject_t object = 0;
    int made = (int)cudaCreateSurfaceObject(&object, &resource);
    printf("%s %d object %d", name, made, object != 0);
    printf(" drop %d\n", object ? (int)cudaDestroySurfaceObject(object) : -1);
    cudaGetLastError();
}

template <typename T>
static cudaArray_t array_of(size_t width, size_t height, size_t depth, unsigned flags = 0) {
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    int made =
        (int)cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags);
    if (made) printf("array %d\n", made);
    cudaGetLastError();
    return array;
}

static cudaTextureDesc plain() {
    cudaTextureDesc how = {};
    for (cudaTextureAddressMode &mode : how.addressMode) mode = cudaAddressModeClamp;
    return how;
}

static void arrays() {
    cudaArray_t floats = array_of<float>(16, 16, 0), bytes = array_of<uchar4>(16, 16, 0),
                words = array_of<int>(16, 16, 0),
                stored = array_of<float>(16, 16, 0, cudaArraySurfaceLoadStore);
    cudaTextureDesc how = plain(), linear = plain(), promoted = plain(), both = plain();
    linear.filterMode = both.filterMode = cudaFilterModeLinear;
    promoted.readMode = both.readMode = cudaReadModeNormalizedFloat;
    texture("float_point", of_array(floats), how);
    texture("float_linear", of_array(floats), linear);
    texture("float_promoted", of_array(floats), promoted);
    texture("uchar4_point", of_array(bytes), how);
    texture("uchar4_linear", of_array(bytes), linear);
    texture("uchar4_promoted", of_array(bytes), promoted);
    texture("uchar4_both", of_array(bytes), both);
    texture("int_linear", of_array(words), linear);
    texture("int_promoted", of_array(words), promoted);
    for (int mode = 0; mode < 4; ++mode) {
        cudaTextureDesc addressed = plain();
        for (cudaTextureAddressMode &m : addressed.addressMode) m = (cudaTextureAddressMode)mode;
        texture("address_mode", of_array(floats), addressed);
        addressed.normalizedCoords = 1;
        texture("address_mode_normalized", of_array(floats), addressed);
    }
    texture("stored", of_array(stored), how);
    surface("surface_stored", of_array(stored));
    surface("surface_not_stored", of_array(floats));
    texture("null_array", of_array(nullptr), how);
    surface("surface_null_array", of_array(nullptr));
    cudaFreeArray(floats), cudaFreeArray(bytes), cudaFreeArray(words), cudaFreeArray(stored);
}

static void memory() {
    char *at = nullptr;
    cudaMalloc(&at, 1 << 20);
    cudaTextureDesc how = plain(), linear = plain(), normalized = plain();
    linear.filterMode = cudaFilterModeLinear;
    normalized.normalizedCoords = 1;
    texture("linear", of_linear<float>(at, 4096), how);
    texture("linear_filtered", of_linear<float>(at, 4096), linear);
    texture("linear_normalized", of_linear<float>(at, 4096), normalized);
    texture("linear_off_16", of_linear<float>(at + 16, 4096), how);
    texture("linear_zero", of_linear<float>(at, 0), how);
    texture("linear_part_of_an_element", of_linear<float4>(at, 100), how);
    texture("linear_null", of_linear<float>(nullptr, 4096), how);
    texture("pitched", of_pitched(at, 100, 50, 512), how);
    texture("pitched_filtered", of_pitched(at, 100, 50, 512), linear);
    texture("pitched_normalized", of_pitched(at, 100, 50, 512), normalized);
    texture("pitched_too_short", of_pitched(at, 200, 50, 512), how);
    texture("pitched_pitch_401", of_pitched(at, 100, 50, 401), how);
    texture("pitched_off_16", of_pitched(at + 16, 100, 50, 512), how);
    texture("pitched_no_rows", of_pitched(at, 100, 0, 512), how);
    texture("pitched_null", of_pitched(nullptr, 100, 50, 512), how);
    surface("surface_linear", of_linear<float>(at, 4096));
    surface("surface_pitched", of_pitched(at, 100, 50, 512));
    cudaFree(at);
}

static void levels_and_views() {
    cudaMipmappedArray_t pyramid = nullptr;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
    printf("mipmapped %d\n",
           (int)cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(32, 32, 0), 4,
                                         cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = pyramid;
    cudaTextureDesc how = plain(), normalized = plain();
    normalized.normalizedCoords = 1;
    texture("pyramid_in_texels", resource, how);
    texture("pyramid", resource, normalized);
    surface("surface_pyramid", resource);
    cudaArray_t level = nullptr;
    printf("level_4 %d\n", (int)cudaGetMipmappedArrayLevel(&level, pyramid, 4));
    cudaGetLastError();
    printf("level_2 %d\n", (int)cudaGetMipmappedArrayLevel(&level, pyramid, 2));
    texture("level", of_array(level), how);
    surface("surface_level", of_array(level));
    cudaResourceViewDesc view = {};
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = 32;
    view.lastMipmapLevel = 3;
    texture("view_as_float", resource, normalized, &view);
    view.format = cudaResViewFormatUnsignedChar4;
    texture("view_as_uchar4", resource, normalized, &view);
    view.format = cudaResViewFormatUnsignedShort4;
    texture("view_wider", resource, normalized, &view);
    view.format = cudaResViewFormatFloat1;
    view.firstMipmapLevel = 1;
    texture("view_level_1", resource, normalized, &view);
    view.width = view.height = 16;
    texture("view_level_1_of_16", resource, normalized, &view);
    cudaFreeMipmappedArray(pyramid);
}

static void questions() {
    cudaArray_t array = array_of<float>(16, 8, 0);
    cudaTextureDesc how = plain(), told = {};
    how.filterMode = cudaFilterModeLinear;
    cudaResourceDesc resource = of_array(array), back = {};
    cudaResourceViewDesc view = {};
    cudaTextureObject_t object = 0;
    printf("null_result %d\n", (int)cudaCreateTextureObject(nullptr, &resource, &how, nullptr));
    printf("null_resource %d\n", (int)cudaCreateTextureObject(&object, nullptr, &how, nullptr));
    printf("null_texture %d\n", (int)cudaCreateTextureObject(&object, &resource, nullptr, nullptr));
    printf("made %d\n", (int)cudaCreateTextureObject(&object, &resource, &how, nullptr));
    int status = (int)cudaGetTextureObjectResourceDesc(&back, object);
    printf("resource %d type %d same %d\n", status, (int)back.resType,
           back.res.array.array == array);
    status = (int)cudaGetTextureObjectTextureDesc(&told, object);
    printf("texture %d filter %d mode %d\n", status, (int)told.filterMode,
           (int)told.addressMode[1]);
    printf("no_view %d\n", (int)cudaGetTextureObjectResourceViewDesc(&view, object));
    printf("drop %d\n", (int)cudaDestroyTextureObject(object));
    printf("drop_zero %d\n", (int)cudaDestroyTextureObject(0));
    cudaFreeArray(array);
}

int main() {
    arrays();
    memory();
    levels_and_views();
    questions();
    return 0;
}
