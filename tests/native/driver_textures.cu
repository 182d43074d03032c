// Texture and surface objects made by the driver API, used by kernels. Prints one line per check
// and PASS, exits 1 when a value is wrong.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (int)(call);                                                                 \
        if (status_) {                                                                             \
            printf("%s: %d\n", #call, status_);                                                    \
            return 2;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void read2d(cudaTextureObject_t texture, float4 *out, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] =
        tex2D<float4>(texture, ((float)x + 0.5f) / (float)width, ((float)y + 0.5f) / (float)height);
}
__global__ void fetch(cudaTextureObject_t texture, int *out, int n) {
    if ((int)threadIdx.x < n) out[threadIdx.x] = tex1Dfetch<int>(texture, (int)threadIdx.x);
}
__global__ void negate(cudaSurfaceObject_t surface) {
    int value = surf2Dread<int>(surface, (int)threadIdx.x * 4, (int)blockIdx.x);
    surf2Dwrite(-value, surface, (int)threadIdx.x * 4, (int)blockIdx.x);
}

static int copy(CUarray array, void *host, size_t row, size_t rows, bool in) {
    CUDA_MEMCPY2D copy = {};
    (in ? copy.srcMemoryType : copy.dstMemoryType) = CU_MEMORYTYPE_HOST;
    (in ? copy.dstMemoryType : copy.srcMemoryType) = CU_MEMORYTYPE_ARRAY;
    if (in) copy.srcHost = host, copy.dstArray = array;
    else copy.dstHost = host, copy.srcArray = array;
    copy.WidthInBytes = row;
    copy.Height = rows;
    return (int)cuMemcpy2D(&copy);
}

// Bytes are read as floats of 0 to 1 unless the flag says otherwise.
static int pictures(long *wrong) {
    const int width = 20, height = 12;
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR shape = {width, height, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CHECK(cuArrayCreate(&array, &shape));
    std::vector<unsigned char> texels(width * height * 4);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = (unsigned char)(i * 7);
    CHECK(copy(array, texels.data(), width * 4, height, true));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how = {};
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    CUtexObject texture;
    CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    float4 *out;
    CHECK(cudaMallocManaged(&out, width * height * sizeof(float4)));
    read2d<<<height, width>>>(texture, out, width, height);
    CHECK(cudaDeviceSynchronize());
    const float *got = &out[0].x;
    for (size_t i = 0; i < texels.size(); ++i) *wrong += got[i] != (float)texels[i] / 255.0f;
    CHECK(cuTexObjectDestroy(texture));
    CHECK(cuArrayDestroy(array));
    return 0;
}

static int lines(long *wrong) {
    const int n = 40;
    int *memory, *out;
    CHECK(cudaMallocManaged(&memory, n * sizeof(int)));
    CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
    for (int i = 0; i < n; ++i) memory[i] = i * i - 100;
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = (CUdeviceptr)memory;
    resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = n * sizeof(int);
    CUDA_TEXTURE_DESC how = {};
    how.flags = CU_TRSF_READ_AS_INTEGER;
    CUtexObject texture;
    CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    fetch<<<1, 64>>>(texture, out, 64);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) *wrong += out[i] != (i < n ? i * i - 100 : 0);
    CHECK(cuTexObjectDestroy(texture));
    return 0;
}

static int surfaces(long *wrong) {
    const int width = 16, height = 9;
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        width, height, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CHECK(cuArray3DCreate(&array, &shape));
    std::vector<int> texels(width * height), back(width * height);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = (int)(i * 1001);
    CHECK(copy(array, texels.data(), width * 4, height, true));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUsurfObject surface;
    CHECK(cuSurfObjectCreate(&surface, &resource));
    negate<<<height, width>>>(surface);
    CHECK(cudaDeviceSynchronize());
    CHECK(copy(array, back.data(), width * 4, height, false));
    for (size_t i = 0; i < texels.size(); ++i) *wrong += back[i] != -texels[i];
    CHECK(cuSurfObjectDestroy(surface));
    CHECK(cuArrayDestroy(array));
    return 0;
}

int main() {
    long picture = 0, line = 0, surface = 0;
    CHECK(cudaFree(nullptr));
    CHECK(pictures(&picture));
    CHECK(lines(&line));
    CHECK(surfaces(&surface));
    printf("pictures %ld lines %ld surfaces %ld wrong\n", picture, line, surface);
    printf("%s\n", picture || line || surface ? "FAIL" : "PASS");
    return picture || line || surface;
}
