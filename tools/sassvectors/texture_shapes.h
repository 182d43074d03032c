// Probes of borders, gathers, cubes, levels, layers and missing channels.
#pragma once
#include "texture_probe.h"

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

// Level k holds k.
static cudaMipmappedArray_t pyramid() {
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
    return m;
}

// Levels of detail and derivatives, with and without clamps and a bias.
static void levels() {
    cudaMipmappedArray_t m = pyramid();
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
