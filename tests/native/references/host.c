/* Textures by reference against the same textures by object, which are tested against recordings: in the runtime's
 * way, as nvcc 11.8 registers them, or the driver's. Arguments: runtime, driver, or unbound (what a kernel reads while
 * nothing is bound), and the image of the device code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/cuda_types.h"

enum { COUNT = 600, WIDTH = 32, HEIGHT = 16, DEPTH = 4, LAYERS = 3, SIDE = 8, VALUES = 8 * COUNT };
enum { ALIGNED = 640 }; /* integers: a multiple of 512 bytes, as textures over memory must be */

/* What both runtimes and the driver export under these names. */
cudaError_t cudaMalloc(void **, size_t), cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t, int);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *), cudaDeviceSynchronize(void), cudaFree(void *);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent, unsigned);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t), cudaMemset(void *, int, size_t);
cudaError_t cudaBindTexture(size_t *, const struct textureReference *, const void *,
                            const struct cudaChannelFormatDesc *, size_t);
cudaError_t cudaBindTexture2D(size_t *, const struct textureReference *, const void *,
                              const struct cudaChannelFormatDesc *, size_t, size_t, size_t);
cudaError_t cudaBindTextureToArray(const struct textureReference *, cudaArray_const_t,
                                   const struct cudaChannelFormatDesc *);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *, cudaArray_const_t,
                                   const struct cudaChannelFormatDesc *);
cudaError_t cudaUnbindTexture(const struct textureReference *);
cudaError_t cudaGetTextureAlignmentOffset(size_t *, const struct textureReference *);
cudaError_t cudaGetTextureReference(const struct textureReference **, const void *);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterTexture(void **, const struct textureReference *, const void **, const char *, int, int, int);
void __cudaRegisterSurface(void **, const struct surfaceReference *, const void **, const char *, int, int);
CUresult cuInit(unsigned), cuCtxGetCurrent(CUcontext *), cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuModuleGetTexRef(CUtexref *, CUmodule, const char *), cuModuleGetSurfRef(CUsurfref *, CUmodule, const char *);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *), cuModuleUnload(CUmodule);
CUresult cuTexRefSetArray(CUtexref, CUarray, unsigned), cuTexRefSetFormat(CUtexref, CUarray_format, int);
CUresult cuTexRefSetAddress_v2(size_t *, CUtexref, CUdeviceptr, size_t), cuTexRefSetFlags(CUtexref, unsigned);
CUresult cuTexRefSetAddress2D_v3(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t);
CUresult cuTexRefSetAddressMode(CUtexref, int, CUaddress_mode), cuTexRefSetFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefGetArray(CUarray *, CUtexref), cuTexRefGetFilterMode(CUfilter_mode *, CUtexref);
CUresult cuSurfRefSetArray(CUsurfref, CUarray, unsigned), cuTexRefGetAddress_v2(CUdeviceptr *, CUtexref);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        int checked = (int)(call);                                                                                     \
        if (checked) exit((printf("%s: %d\n", #call, checked), 1));                                                    \
    } while (0)

typedef struct { /* how the pictures are read */
    int normalized, linear, address;
    float scale;
} manner;

static const manner manners[] = {{0, 0, 1, 1.0f}, {1, 0, 0, 0.11f}, {1, 1, 2, 0.13f}, {0, 1, 3, 1.3f}};

static struct textureReference line_ref, picture_ref, bytes_ref, volume_ref, layers_ref;
static struct surfaceReference canvas_ref;
static char by_reference_stub, by_object_stub;
static const struct cudaChannelFormatDesc ints = {32, 0, 0, 0, 0}, floats = {32, 0, 0, 0, 2},
                                          float4s = {32, 32, 32, 32, 2}, uchars = {8, 0, 0, 0, 1};
static int *line, numbers[2][ALIGNED];
static unsigned char *bytes;
static size_t pitch;
static cudaArray_t picture, volume, layers, canvas;
static CUfunction kernels[2]; /* of the driver: by reference, by object */

static cudaArray_t array(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags,
                         const void *content, size_t texel) {
    cudaArray_t made;
    struct cudaMemcpy3DParms copy = {.kind = 1};
    CHECK(cudaMalloc3DArray(&made, desc, extent, flags));
    if (!content) return made;
    copy.srcPtr.ptr = (void *)(size_t)content;
    copy.srcPtr.pitch = extent.width * texel;
    copy.srcPtr.xsize = extent.width;
    copy.srcPtr.ysize = extent.height;
    copy.dstArray = made;
    copy.extent = extent;
    if (!copy.extent.depth) copy.extent.depth = 1;
    CHECK(cudaMemcpy3D(&copy));
    return made;
}

static void make_contents(void) {
    static float plain[4 * WIDTH * HEIGHT * DEPTH];
    static unsigned char grey[WIDTH * HEIGHT];
    for (int i = 0; i < 4 * WIDTH * HEIGHT * DEPTH; i++) plain[i] = (float)(i * 7919 % 1009) / 16.0f;
    for (int i = 0; i < WIDTH * HEIGHT; i++) grey[i] = (unsigned char)(i * 37);
    for (int i = 0; i < COUNT; i++) numbers[0][i] = i * 13, numbers[1][i] = -i;
    CHECK(cudaMalloc((void **)&line, sizeof numbers));
    CHECK(cudaMemcpy(line, numbers, sizeof numbers, 1));
    CHECK(cudaMallocPitch((void **)&bytes, &pitch, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2D(bytes, pitch, grey, WIDTH, WIDTH, HEIGHT, 1));
    picture = array(&float4s, (struct cudaExtent){WIDTH, HEIGHT, 0}, 0, plain, 16);
    volume = array(&floats, (struct cudaExtent){WIDTH, HEIGHT, DEPTH}, 0, plain, 4);
    layers = array(&floats, (struct cudaExtent){WIDTH, HEIGHT, LAYERS}, 1, plain, 4);
    canvas = array(&ints, (struct cudaExtent){SIDE, SIDE, 0}, 2, NULL, 0);
}

static cudaTextureObject_t object(struct cudaResourceDesc what, manner how, int as_float) {
    struct cudaTextureDesc read = {.normalizedCoords = how.normalized, .readMode = as_float};
    cudaTextureObject_t made;
    for (int i = 0; i < 3; i++) read.addressMode[i] = how.address;
    read.filterMode = how.linear;
    CHECK(cudaCreateTextureObject(&made, &what, &read, NULL));
    return made;
}

static struct cudaResourceDesc of_array(cudaArray_t one) {
    struct cudaResourceDesc what = {.resType = cudaResourceTypeArray};
    what.res.array.array = one;
    return what;
}

static void launch(int driver, int by_object, void **arguments) {
    const void *stub = by_object ? &by_object_stub : &by_reference_stub;
    if (driver) CHECK(cuLaunchKernel(kernels[by_object], 5, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    else CHECK(cudaLaunchKernel(stub, (dim3){5, 1, 1}, (dim3){128, 1, 1}, arguments, 0, NULL));
}

static void set(struct textureReference *reference, manner how) {
    reference->normalized = how.normalized;
    reference->filterMode = how.linear;
    for (int i = 0; i < 3; i++) reference->addressMode[i] = how.address;
}

static void bind_runtime(const int *numbers_at, manner how) {
    size_t offset = 99;
    set(&picture_ref, how), set(&bytes_ref, how), set(&volume_ref, how), set(&layers_ref, how);
    CHECK(cudaBindTexture(&offset, &line_ref, numbers_at, &ints, COUNT * sizeof(int)));
    CHECK(offset);
    CHECK(cudaBindTextureToArray(&picture_ref, picture, &float4s));
    CHECK(cudaBindTexture2D(&offset, &bytes_ref, bytes, &uchars, WIDTH, HEIGHT, pitch));
    CHECK(cudaBindTextureToArray(&volume_ref, volume, &floats));
    CHECK(cudaBindTextureToArray(&layers_ref, layers, &floats));
    CHECK(cudaBindSurfaceToArray(&canvas_ref, canvas, &ints));
}

static void set_driver(CUtexref reference, manner how) {
    for (int i = 0; i < 3; i++) CHECK(cuTexRefSetAddressMode(reference, i, how.address));
    CHECK(cuTexRefSetFilterMode(reference, how.linear));
    CHECK(cuTexRefSetFlags(reference, how.normalized ? 2 : 0));
}

static void bind_driver(CUmodule module, const int *numbers_at, manner how) {
    CUtexref reference;
    CUsurfref surface;
    CUarray back;
    const cudaArray_t arrays[] = {picture, volume, layers};
    static const char *const names[] = {"picture", "volume", "layers"};
    for (int i = 0; i < 3; i++) {
        CHECK(cuModuleGetTexRef(&reference, module, names[i]));
        CHECK(cuTexRefSetArray(reference, (CUarray)arrays[i], 1));
        set_driver(reference, how);
        CHECK(cuTexRefGetArray(&back, reference));
        CHECK(back != (CUarray)arrays[i]);
    }
    CUDA_ARRAY_DESCRIPTOR flat = {WIDTH, HEIGHT, 1, 1};
    CHECK(cuModuleGetTexRef(&reference, module, "bytes"));
    CHECK(cuTexRefSetAddress2D_v3(reference, &flat, (CUdeviceptr)(size_t)bytes, pitch));
    set_driver(reference, how);
    CHECK(cuModuleGetTexRef(&reference, module, "line"));
    CHECK(cuTexRefSetFormat(reference, 10, 1));
    CHECK(cuTexRefSetFlags(reference, 1));
    CHECK(cuTexRefSetAddress_v2(NULL, reference, (CUdeviceptr)(size_t)numbers_at, COUNT * sizeof(int)));
    CHECK(cuModuleGetSurfRef(&surface, module, "canvas"));
    CHECK(cuSurfRefSetArray(surface, (CUarray)canvas, 0));
}

static int compare(int driver, CUmodule module, manner how, int which, float *out) {
    static float got[2][VALUES];
    const int *numbers_at = line + which * ALIGNED;
    int n = COUNT, wrong = 0;
    void *arguments[9] = {&out, &n, &how.scale};
    struct cudaResourceDesc linear = {.resType = cudaResourceTypeLinear}, flat = {.resType = cudaResourceTypePitch2D};
    linear.res.linear.devPtr = line;
    linear.res.linear.desc = ints;
    linear.res.linear.sizeInBytes = sizeof numbers;
    flat.res.pitch2D.devPtr = bytes;
    flat.res.pitch2D.desc = uchars;
    flat.res.pitch2D.width = WIDTH, flat.res.pitch2D.height = HEIGHT, flat.res.pitch2D.pitchInBytes = pitch;
    manner plain = {0, 0, 1, 1.0f};
    cudaTextureObject_t made[] = {object(linear, plain, 0), object(of_array(picture), how, 0), object(flat, how, 1),
                                  object(of_array(volume), how, 0), object(of_array(layers), how, 0), 0};
    struct cudaResourceDesc target = of_array(canvas);
    CHECK(cudaCreateSurfaceObject((cudaSurfaceObject_t *)&made[5], &target));
    for (int i = 0; i < 6; i++) arguments[3 + i] = &made[i];
    if (driver) bind_driver(module, numbers_at, how);
    else bind_runtime(numbers_at, how);
    launch(driver, 0, arguments);
    CHECK(cudaMemcpy(got[0], out, sizeof got[0], 2));
    CHECK(cudaMemset(out, 0xff, sizeof got[0]));
    launch(driver, 1, arguments);
    CHECK(cudaMemcpy(got[1], out, sizeof got[1], 2));
    for (int i = 0; i < COUNT; i++) {
        wrong += got[0][8 * i] != (float)numbers[which][i];
        for (int k = 1; k < 7; k++) wrong += memcmp(&got[0][8 * i + k], &got[1][8 * i + k], 4) != 0;
        wrong += (int)got[1][8 * i + 7] % (SIDE * SIDE) != i % (SIDE * SIDE);
    }
    return wrong;
}

static void *read_file(const char *path) {
    static char content[1 << 20];
    FILE *from = fopen(path, "rb");
    if (!from || !fread(content, 1, sizeof content - 1, from)) exit(2);
    fclose(from);
    return content;
}

static void register_all(const void *image) {
    static struct {
        int magic, version;
        const void *data, *list;
    } wrapper = {0x466243B1, 1, NULL, NULL};
    wrapper.data = image;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &by_reference_stub, NULL, "by_reference", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &by_object_stub, NULL, "by_object", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterTexture(handle, &line_ref, NULL, "line", 1, 0, 0);
    __cudaRegisterTexture(handle, &picture_ref, NULL, "picture", 2, 0, 0);
    __cudaRegisterTexture(handle, &bytes_ref, NULL, "bytes", 2, 1, 0);
    __cudaRegisterTexture(handle, &volume_ref, NULL, "volume", 3, 0, 0);
    __cudaRegisterTexture(handle, &layers_ref, NULL, "layers", 0xF2, 0, 0);
    __cudaRegisterSurface(handle, &canvas_ref, NULL, "canvas", 2, 0);
}

/* What is refused, and what is told of a reference. */
static void answers(void) {
    size_t offset = 99;
    const struct textureReference *found = NULL;
    struct textureReference unknown = {0};
    printf("unbound %d", (int)cudaGetTextureAlignmentOffset(&offset, &line_ref));
    printf(" unknown %d", (int)cudaBindTextureToArray(&unknown, picture, &float4s));
    printf(" null %d", (int)cudaBindTexture(NULL, &line_ref, NULL, &ints, 4));
    printf(" symbol %d", (int)cudaMemcpyFromSymbol(&offset, &line_ref, 4, 0, 2));
    printf(" format %d", (int)cudaBindTextureToArray(&picture_ref, picture, &uchars));
    printf(" reference %d", (int)cudaGetTextureReference(&found, &line_ref));
    printf(" same %d\n", found == &line_ref);
}

static void driver_answers(CUmodule module) {
    CUtexref reference;
    CUdeviceptr address;
    size_t bytes_of;
    CUfilter_mode filter = 9;
    printf("missing %d", (int)cuModuleGetTexRef(&reference, module, "nothing"));
    printf(" kind %d", (int)cuModuleGetTexRef(&reference, module, "canvas"));
    printf(" global %d", (int)cuModuleGetGlobal_v2(&address, &bytes_of, module, "line"));
    CHECK(cuModuleGetTexRef(&reference, module, "picture"));
    printf(" address %d", (int)cuTexRefGetAddress_v2(&address, reference));
    printf(" filter %d", (int)cuTexRefGetFilterMode(&filter, reference));
    printf(" %d mode %d", (int)filter, (int)cuTexRefSetAddressMode(reference, 3, 0));
    printf(" handle %d\n", (int)cuTexRefSetFlags((CUtexref)&address, 0));
}

static void unbound(float *out) {
    float got[8];
    int n = COUNT;
    float scale = 1;
    void *arguments[] = {&out, &n, &scale};
    launch(1, 0, arguments);
    printf("synchronize %d copy %d", (int)cudaDeviceSynchronize(), (int)cudaMemcpy(got, out, sizeof got, 2));
    for (int i = 0; i < 8; i++) printf(" %g", got[i]);
    printf("\n");
}

int main(int count, char **argument) {
    if (count < 3) return 2;
    int driver = strcmp(argument[1], "runtime") != 0, wrong = 0;
    void *image = read_file(argument[2]);
    CUmodule module = NULL;
    float *out;
    CHECK(cuInit(0));
    CHECK(cudaMalloc((void **)&out, VALUES * sizeof(float)));
    make_contents();
    if (driver) {
        CHECK(cuModuleLoadData(&module, image));
        CHECK(cuModuleGetFunction(&kernels[0], module, "by_reference"));
        CHECK(cuModuleGetFunction(&kernels[1], module, "by_object"));
        if (!strcmp(argument[1], "unbound")) return unbound(out), 0;
        driver_answers(module);
    } else {
        register_all(image);
        answers();
    }
    for (int i = 0; i < 4; i++) wrong += compare(driver, module, manners[i], i % 2, out);
    printf("%d wrong\n", wrong);
    if (driver) CHECK(cuModuleUnload(module));
    else CHECK(cudaUnbindTexture(&line_ref));
    CHECK(cudaDeviceSynchronize());
    return wrong != 0;
}
