// Raw facts of NVIDIA's texture units: every probe writes NAME.in.bin and NAME.out.bin
// (little-endian float32) below the folder that argv[1] names.
// A part of it is tests/vectors/texture/recorded.npz.
#include "texture_shapes.h"

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
