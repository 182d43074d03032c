// Raw facts of NVIDIA's texture units: every probe writes NAME.in.bin and NAME.out.bin
// (little-endian float32) below the folder that argv[1] names.
#include "../../samples/textures.h"
#include <string>

static std::string folder;
static void put(const std::string &name, const void *data, size_t bytes) {
    FILE *f = std::fopen((folder + "/" + name).c_str(), "wb");
    if (!f) std::exit(3);
    std::fwrite(data, 1, bytes, f);
    std::fclose(f);
}
template <typename A, typename B>
static void put2(const char *name, const std::vector<A> &in, const std::vector<B> &out) {
    put(std::string(name) + ".in.bin", in.data(), in.size() * sizeof(A));
    put(std::string(name) + ".out.bin", out.data(), out.size() * sizeof(B));
}

__global__ void k1(cudaTextureObject_t t, const float *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1D<float>(t, x[i]);
}
__global__ void k2(cudaTextureObject_t t, const float2 *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2D<float>(t, x[i].x, x[i].y);
}
__global__ void k24(cudaTextureObject_t t, const float2 *x, float4 *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2D<float4>(t, x[i].x, x[i].y);
}
__global__ void ki4(cudaTextureObject_t t, const float2 *x, int4 *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2D<int4>(t, x[i].x, x[i].y);
}
__global__ void k3(cudaTextureObject_t t, const float4 *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex3D<float>(t, x[i].x, x[i].y, x[i].z);
}
__global__ void kc(cudaTextureObject_t t, const float4 *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = texCubemap<float>(t, x[i].x, x[i].y, x[i].z);
}
__global__ void kg(cudaTextureObject_t t, const float2 *x, float4 *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2Dgather<float4>(t, x[i].x, x[i].y);
}
__global__ void kl(cudaTextureObject_t t, const float *l, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2DLod<float>(t, 0.5f, 0.5f, l[i]);
}
__global__ void kgrad(cudaTextureObject_t t, const float4 *d, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(d[i].x, d[i].y),
                                make_float2(d[i].z, d[i].w));
}
__global__ void klayer(cudaTextureObject_t t, const int *l, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1DLayered<float>(t, 0.5f, l[i]);
}
#define GRID(n) (((int)(n) + 127) / 128), 128

static cudaTextureObject_t tex(cudaArray_t a, const Sampling &s, const float *border = nullptr) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = description(s);
    if (border) std::memcpy(d.borderColor, border, 16);
    cudaTextureObject_t o = 0;
    CHECK(cudaCreateTextureObject(&o, &r, &d, nullptr));
    return o;
}
static void run1(const char *name, const std::vector<float> &texels, const Sampling &s,
                 const std::vector<float> &x) {
    Array<float> a(make_cudaExtent(texels.size(), 0, 0), texels);
    cudaTextureObject_t t = tex(a, s);
    Device<float> dx(x), o(x.size());
    k1<<<GRID(x.size())>>>(t, dx, o, (int)x.size());
    finish();
    put2(name, x, o.get());
    CHECK(cudaDestroyTextureObject(t));
}
template <typename T> static void unorm(const char *name, int bits, bool linear) {
    int n = 1 << bits, w = bits == 8 ? 256 : 1024, h = n / w;
    std::vector<T> texels(n);
    for (int i = 0; i < n; ++i) texels[i] = (T)i;
    Array<T> a(make_cudaExtent(w, h, 0), texels);
    Sampling s;
    s.read = cudaReadModeNormalizedFloat;
    s.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t t = tex(a, s);
    std::vector<float2> x(n);
    for (int i = 0; i < n; ++i) x[i] = make_float2((float)(i % w) + 0.5f, (float)(i / w) + 0.5f);
    Device<float2> dx(x);
    Device<float> o(n);
    k2<<<GRID(n)>>>(t, dx, o, n);
    finish();
    put2(name, x, o.get());
    CHECK(cudaDestroyTextureObject(t));
}
template <typename T> static void unorm_filter(const char *name) {
    Random random(5);
    const int w = 64;
    std::vector<T> texels(w);
    for (T &v : texels) v = (T)random.next();
    Array<T> a(make_cudaExtent(w, 0, 0), texels);
    Sampling s;
    s.read = cudaReadModeNormalizedFloat;
    s.filter = cudaFilterModeLinear;
    cudaTextureObject_t t = tex(a, s);
    std::vector<float> x(8192);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.5f + (float)i * (63.0f / 8192.0f);
    Device<float> dx(x), o(x.size());
    k1<<<GRID(x.size())>>>(t, dx, o, (int)x.size());
    finish();
    put2(name, x, o.get());
    put(std::string(name) + ".texels.bin", texels.data(), texels.size() * sizeof(T));
    CHECK(cudaDestroyTextureObject(t));
}
static Random random_numbers(1);
static Sampling with(bool linear, bool normalized) {
    Sampling s;
    s.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    s.normalized = normalized;
    return s;
}
static const Sampling linear = with(true, false), point = with(false, false),
                      norm_linear = with(true, true), norm_point = with(false, true);

// Weights.
static void weights() {
    std::vector<float> x(8193);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.5f + (float)i / 8192.0f;
    run1("weight_1d", {0, 1}, linear, x);
    std::vector<float> big(2048);
    big[1024] = 1;
    for (size_t i = 0; i < x.size(); ++i) x[i] = 1023.5f + (float)i / 8192.0f;
    run1("weight_1d_wide", big, linear, x);
    std::vector<float> hundred(100);
    hundred[50] = 1;
    for (size_t i = 0; i < x.size(); ++i) x[i] = (49.5f + (float)i / 8192.0f) / 100.0f;
    run1("weight_1d_normalized_100", hundred, norm_linear, x);
    std::vector<float> p2(256);
    p2[50] = 1;
    for (size_t i = 0; i < x.size(); ++i) x[i] = (49.5f + (float)i / 8192.0f) / 256.0f;
    run1("weight_1d_normalized_256", p2, norm_linear, x);
}

// 2D weights.
static void weights_2d() {
    std::vector<float> texels = {0, 0, 0, 1};
    Array<float> a(make_cudaExtent(2, 2, 0), texels);
    cudaTextureObject_t t = tex(a, linear);
    std::vector<float2> x(65 * 65 * 4);
    for (int i = 0; i < (int)x.size(); ++i)
        x[i] = make_float2(0.5f + (float)(i % 130) / 129.0f, 0.5f + (float)(i / 130) / 129.0f);
    Device<float2> dx(x);
    Device<float> o(x.size());
    k2<<<GRID(x.size())>>>(t, dx, o, (int)x.size());
    finish();
    put2("weight_2d", x, o.get());
}

// Arithmetic of filtering on random floats: weights are whole 256ths.
static void filtering() {
    const int w = 64, h = 64, d = 8, n = 20000;
    std::vector<float> texels(w * h);
    for (float &v : texels)
        v = std::ldexp(random_numbers.unit() - 0.5f, (int)random_numbers.below(12));
    Array<float> a(make_cudaExtent(w, h, 0), texels);
    cudaTextureObject_t t = tex(a, linear);
    std::vector<float2> x(n);
    for (float2 &p : x)
        p = make_float2((float)random_numbers.below(63 * 256) / 256 + 0.5f,
                        (float)random_numbers.below(63 * 256) / 256 + 0.5f);
    Device<float2> dx(x);
    Device<float> o(n);
    k2<<<GRID(n)>>>(t, dx, o, n);
    finish();
    put2("filter_2d", x, o.get());
    put("filter_2d.texels.bin", texels.data(), texels.size() * 4);
    std::vector<float> volume(16 * 16 * d);
    for (float &v : volume)
        v = std::ldexp(random_numbers.unit() - 0.5f, (int)random_numbers.below(12));
    Array<float> a3(make_cudaExtent(16, 16, d), volume);
    t = tex(a3, linear);
    std::vector<float4> x3(n);
    for (float4 &p : x3)
        p = make_float4((float)random_numbers.below(15 * 256) / 256 + 0.5f,
                        (float)random_numbers.below(15 * 256) / 256 + 0.5f,
                        (float)random_numbers.below(7 * 256) / 256 + 0.5f, 0);
    Device<float4> dx3(x3);
    k3<<<GRID(n)>>>(t, dx3, o, n);
    finish();
    put2("filter_3d", x3, o.get());
    put("filter_3d.texels.bin", volume.data(), volume.size() * 4);
}

// Point sampling near the edges of texels.
static void point_edges() {
    std::vector<float> texels(1000), x;
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = (float)i;
    for (int i = 0; i < 1000; i += 7) {
        float e = (float)i;
        x.push_back(e);
        float up = e, down = e;
        for (int k = 0; k < 8; ++k) {
            up = std::nextafter(up, 1e9f), down = std::nextafter(down, -1e9f);
            x.push_back(up), x.push_back(down);
        }
        for (int k = 4; k < 20; ++k)
            x.push_back(e - std::ldexp(1.0f, -k)), x.push_back(e + std::ldexp(1.0f, -k));
    }
    run1("point_edges", texels, point, x);
    for (float &v : x) v /= 1000.0f;
    run1("point_edges_normalized", texels, norm_point, x);
}

// Strange coordinates, every mode.
static void strange() {
    std::vector<float> texels = {10, 20, 30, 40, 50, 60, 70, 80};
    std::vector<float> x = {
        NAN,           INFINITY,      -INFINITY,      1e30f,     -1e30f,     1e10f,       -1e10f,
        4294967296.0f, 2147483648.0f, -2147483648.0f, 65536.25f, -65536.25f, 16777216.0f, 1e-30f,
        -1e-30f,       0.0f,          -0.0f,          8.0f,      7.9999995f, -8.0f,       16.0f};
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                            cudaAddressModeMirror, cudaAddressModeBorder};
    const char *names[] = {"wrap", "clamp", "mirror", "border"};
    for (int m = 0; m < 4; ++m)
        for (int l = 0; l < 2; ++l)
            for (int nrm = 0; nrm < 2; ++nrm) {
                Sampling s;
                s.address = modes[m];
                s.filter = l ? cudaFilterModeLinear : cudaFilterModePoint;
                s.normalized = nrm;
                run1((std::string("strange_") + names[m] + (l ? "_linear" : "_point") +
                      (nrm ? "_normalized" : ""))
                         .c_str(),
                     texels, s, x);
                std::vector<float> y;
                for (int i = -40; i <= 60; ++i) y.push_back((float)i * 0.5f / (nrm ? 8.0f : 1.0f));
                run1((std::string("sweep_") + names[m] + (l ? "_linear" : "_point") +
                      (nrm ? "_normalized" : ""))
                         .c_str(),
                     texels, s, y);
            }
}

// Border colours.
static void borders() {
    const float border[4] = {0.25f, -2.0f, 3.0f, 0.5f};
    std::vector<float2> x(64);
    for (int i = 0; i < 64; ++i) x[i] = make_float2((float)(i % 8) - 1.75f, (float)(i / 8) - 1.75f);
    Device<float2> dx(x);
    Device<float4> o(64);
    std::vector<float4> f(16, make_float4(1, 2, 3, 4));
    std::vector<uchar4> u(16, make_uchar4(255, 128, 64, 32));
    std::vector<char4> c(16, make_char4(127, -128, 64, -32));
    Array<float4> af(make_cudaExtent(4, 4, 0), f);
    Array<uchar4> au(make_cudaExtent(4, 4, 0), u);
    Array<char4> ac(make_cudaExtent(4, 4, 0), c);
    for (int l = 0; l < 2; ++l) {
        Sampling s;
        s.address = cudaAddressModeBorder;
        s.filter = l ? cudaFilterModeLinear : cudaFilterModePoint;
        k24<<<GRID(64)>>>(tex(af, s, border), dx, o, 64);
        finish();
        put2(l ? "border_float_linear" : "border_float_point", x, o.get());
        s.read = cudaReadModeNormalizedFloat;
        k24<<<GRID(64)>>>(tex(au, s, border), dx, o, 64);
        finish();
        put2(l ? "border_uchar_linear" : "border_uchar_point", x, o.get());
        k24<<<GRID(64)>>>(tex(ac, s, border), dx, o, 64);
        finish();
        put2(l ? "border_char_linear" : "border_char_point", x, o.get());
    }
}

// Gather: where the four texels change.
static void gathers() {
    std::vector<float> texels(64 * 8);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = (float)i;
    Array<float> a(make_cudaExtent(64, 8, 0), texels, cudaArrayTextureGather);
    for (int nrm = 0; nrm < 2; ++nrm) {
        cudaTextureObject_t t = tex(a, nrm ? norm_point : point);
        std::vector<float2> x;
        for (int i = 0; i < 64; i += 3)
            for (int k = -40; k <= 40; ++k)
                x.push_back(
                    make_float2(((float)i + 0.5f + (float)k / 8192.0f) / (nrm ? 64.0f : 1.0f),
                                3.9f / (nrm ? 8.0f : 1.0f)));
        for (int i = -3; i < 12; ++i)
            x.push_back(make_float2(((float)i * 7.25f) / (nrm ? 64.0f : 1.0f),
                                    ((float)i - 0.25f) / (nrm ? 8.0f : 1.0f)));
        Device<float2> dx(x);
        Device<float4> o(x.size());
        kg<<<GRID(x.size())>>>(t, dx, o, (int)x.size());
        finish();
        put2(nrm ? "gather_normalized" : "gather", x, o.get());
    }
}

// Cube maps: directions at random, near edges and corners.
static void cubes() {
    const int side = 16, n = 30000;
    std::vector<float> texels(side * side * 6);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = (float)i;
    Array<float> a(make_cudaExtent(side, side, 6), texels, cudaArrayCubemap);
    std::vector<float4> x(n);
    for (int i = 0; i < n; ++i) {
        x[i] = make_float4(random_numbers.unit() * 2 - 1, random_numbers.unit() * 2 - 1,
                           random_numbers.unit() * 2 - 1, 0);
        if (i % 8 == 1)
            x[i].x = (float)((int)random_numbers.below(17) - 8) / 8.0f, x[i].y = 1,
            x[i].z = (float)((int)random_numbers.below(17) - 8) / 8.0f;
        if (i % 8 == 2) x[i].y = x[i].x;
        if (i % 8 == 3) x[i].z = -x[i].x;
        if (i % 8 == 4) x[i].z = x[i].y = x[i].x;
        if (i % 8 == 5) x[i].z = x[i].y;
    }
    Device<float4> dx(x);
    Device<float> o(n);
    kc<<<GRID(n)>>>(tex(a, norm_point), dx, o, n);
    finish();
    put2("cube_point", x, o.get());
    kc<<<GRID(n)>>>(tex(a, norm_linear), dx, o, n);
    finish();
    put2("cube_linear", x, o.get());
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = description(norm_linear);
    d.seamlessCubemap = 1;
    cudaTextureObject_t t = 0;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    kc<<<GRID(n)>>>(t, dx, o, n);
    finish();
    put2("cube_seamless", x, o.get());
}

// Levels.
static void levels() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    CHECK(cudaMallocMipmappedArray(&m, &format, make_cudaExtent(64, 64, 0), 7));
    for (int level = 0; level < 7; ++level) {
        cudaArray_t a;
        CHECK(cudaGetMipmappedArrayLevel(&a, m, level));
        int s = 64 >> level;
        std::vector<float> v(s * s, (float)level);
        CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), s * 4, s * 4, s, cudaMemcpyHostToDevice));
    }
    std::vector<float> lod;
    for (int i = -300; i < 2100; ++i) lod.push_back((float)i / 300.0f);
    for (int i = 0; i < 2048; ++i) lod.push_back(1.0f + (float)i / 2048.0f);
    std::vector<float4> grads;
    for (int i = 0; i < 4000; ++i) {
        float s = std::exp2(random_numbers.unit() * 8 - 8);
        grads.push_back(
            make_float4((random_numbers.unit() - 0.5f) * s, (random_numbers.unit() - 0.5f) * s,
                        (random_numbers.unit() - 0.5f) * s, (random_numbers.unit() - 0.5f) * s));
        if (i % 4 == 1) grads.back().y = grads.back().z = 0;
        if (i % 4 == 2) grads.back() = make_float4(s, 0, 0, s);
    }
    for (int mode = 0; mode < 4; ++mode) {
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = m;
        cudaTextureDesc d = description(mode & 1 ? norm_linear : norm_point);
        d.mipmapFilterMode = mode & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
        d.maxMipmapLevelClamp = mode & 2 ? 4.5f : 6.0f;
        d.minMipmapLevelClamp = mode & 2 ? 1.25f : 0.0f;
        d.mipmapLevelBias = mode & 2 ? 0.375f : 0.0f;
        cudaTextureObject_t t = 0;
        CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
        Device<float4> dg(grads);
        Device<float> og(grads.size());
        kgrad<<<GRID(grads.size())>>>(t, dg, og, (int)grads.size());
        finish();
        put2((std::string("grad_") + std::to_string(mode)).c_str(), grads, og.get());
        Device<float> dl(lod), ol(lod.size());
        kl<<<GRID(lod.size())>>>(t, dl, ol, (int)lod.size());
        finish();
        put2((std::string("lod_") + std::to_string(mode)).c_str(), lod, ol.get());
    }
}

// Layers out of range.
static void layers() {
    std::vector<float> texels = {0, 1, 2, 3};
    Array<float> a(make_cudaExtent(1, 0, 4), texels, cudaArrayLayered);
    std::vector<int> l = {-5, -1, 0, 1, 2, 3, 4, 5, 1000, 65535, 65536, 65537, 1 << 30, -(1 << 30)};
    Device<int> dl(l);
    Device<float> o(l.size());
    klayer<<<1, 128>>>(tex(a, point), dl, o, (int)l.size());
    finish();
    put2("layers", l, o.get());
}

// Components that the texels do not have, floats and integers.
static void missing() {
    std::vector<float2> x(16);
    for (int i = 0; i < 16; ++i) x[i] = make_float2((float)(i % 4) - 0.5f, (float)(i / 4) - 0.5f);
    Device<float2> dx(x);
    Device<float4> o(16);
    Device<int4> oi(16);
    Array<float> a1(make_cudaExtent(2, 2, 0), std::vector<float>(4, 7.5f));
    Array<float2> a2(make_cudaExtent(2, 2, 0), std::vector<float2>(4, make_float2(7.5f, 8.5f)));
    Array<int> b1(make_cudaExtent(2, 2, 0), std::vector<int>(4, 75));
    Array<uchar2> b2(make_cudaExtent(2, 2, 0), std::vector<uchar2>(4, make_uchar2(75, 85)));
    for (int border = 0; border < 2; ++border) {
        Sampling s;
        s.address = border ? cudaAddressModeBorder : cudaAddressModeClamp;
        k24<<<GRID(16)>>>(tex(a1, s), dx, o, 16);
        finish();
        put2(border ? "missing_float_border" : "missing_float", x, o.get());
        k24<<<GRID(16)>>>(tex(a2, s), dx, o, 16);
        finish();
        put2(border ? "missing_float2_border" : "missing_float2", x, o.get());
        ki4<<<GRID(16)>>>(tex(b1, s), dx, oi, 16);
        finish();
        put2(border ? "missing_int_border" : "missing_int", x, oi.get());
        ki4<<<GRID(16)>>>(tex(b2, s), dx, oi, 16);
        finish();
        put2(border ? "missing_uchar2_border" : "missing_uchar2", x, oi.get());
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        std::printf("usage: texture FOLDER\n");
        return 2;
    }
    folder = argv[1];
    weights();
    weights_2d();
    filtering();
    unorm<unsigned char>("unorm8", 8, false);
    unorm<signed char>("snorm8", 8, false);
    unorm<unsigned short>("unorm16", 16, false);
    unorm<short>("snorm16", 16, false);
    unorm<unsigned char>("unorm8_linear", 8, true);
    unorm<unsigned short>("unorm16_linear", 16, true);
    unorm_filter<unsigned char>("unorm8_filter");
    unorm_filter<signed char>("snorm8_filter");
    unorm_filter<unsigned short>("unorm16_filter");
    unorm_filter<short>("snorm16_filter");
    point_edges();
    strange();
    borders();
    gathers();
    cubes();
    levels();
    layers();
    missing();
    std::printf("done\n");
    return 0;
}
