// Stores into a surface that are narrower than its texels, each byte by another thread where they are of one byte.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int WIDTH = 70, HEIGHT = 5;

template <class Part> __device__ Part value(int at) {
    Part made;
    unsigned words[4];
    for (int i = 0; i < 4; i++) words[i] = (at * 4 + i) * 0x9e3779b1u;
    memcpy(&made, words, sizeof made);
    return made;
}

template <class Part> __global__ void flat(cudaSurfaceObject_t surface, int parts) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < parts && (x + y) % 3) surf2Dwrite(value<Part>(y * parts + x), surface, x * (int)sizeof(Part), y);
}

template <class Part> __global__ void deep(cudaSurfaceObject_t surface, int parts) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < parts && (x + y) % 3)
        surf3Dwrite(value<Part>(y * parts + x), surface, x * (int)sizeof(Part), y, 1, cudaBoundaryModeZero);
}

template <class Part> static Part on_host(int at) {
    Part made;
    unsigned words[4];
    for (int i = 0; i < 4; i++) words[i] = (at * 4 + i) * 0x9e3779b1u;
    memcpy(&made, words, sizeof made);
    return made;
}

template <class Texel, class Part> static void check(const char *name, bool is_deep) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<Texel>();
    size_t planes = is_deep ? 3 : 0, bytes = WIDTH * sizeof(Texel), whole = bytes * HEIGHT * (is_deep ? 3 : 1);
    int parts = WIDTH * (int)(sizeof(Texel) / sizeof(Part));
    std::vector<unsigned char> content(whole), wanted;
    for (size_t i = 0; i < whole; i++) content[i] = (unsigned char)(i * 31);
    wanted = content;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < parts; x++) {
            Part made = on_host<Part>(y * parts + x);
            if ((x + y) % 3) memcpy(&wanted[(is_deep ? bytes * HEIGHT : 0) + y * bytes + x * sizeof made], &made, sizeof made);
        }
    cudaArray_t array;
    cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, HEIGHT, planes), cudaArraySurfaceLoadStore);
    cudaMemcpy3DParms in = {}, out = {};
    in.srcPtr = out.dstPtr = make_cudaPitchedPtr(content.data(), bytes, WIDTH, HEIGHT);
    in.dstArray = out.srcArray = array;
    in.extent = out.extent = make_cudaExtent(WIDTH, HEIGHT, is_deep ? 3 : 1);
    in.kind = cudaMemcpyHostToDevice, out.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&in);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    dim3 grid((parts + 63) / 64, HEIGHT);
    if (is_deep) deep<Part><<<grid, 64>>>(surface, parts);
    else flat<Part><<<grid, 64>>>(surface, parts);
    cudaError_t code = cudaDeviceSynchronize();
    if (code == cudaSuccess) code = cudaMemcpy3D(&out);
    int wrong = 0;
    for (size_t i = 0; i < whole; i++) wrong += content[i] != wanted[i];
    printf("%s %s wrong %d\n", name, cudaGetErrorName(code), wrong);
}

int main() {
    check<uchar4, unsigned char>("uchar4 1", false);
    check<uchar4, unsigned short>("uchar4 2", false);
    check<uchar2, unsigned char>("uchar2 1", false);
    check<float2, unsigned char>("float2 1", false);
    check<float2, float>("float2 4", false);
    check<float4, unsigned short>("float4 2", false);
    check<float4, float2>("float4 8", false);
    check<uchar4, unsigned char>("uchar4 1 3D", true);
    check<float4, float>("float4 4 3D", true);
    check<float2, float2>("float2 8", false);
    return 0;
}
