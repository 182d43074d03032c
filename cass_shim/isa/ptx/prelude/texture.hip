template <class T> using V4 = T __attribute__((ext_vector_type(4)));

template <class T> using V8 = T __attribute__((ext_vector_type(8)));

/* An entry of the descriptor table: the resource's 16 words, then what the object is (docs/abi.md). */
struct PtxTexture {
    const CONSTANT u32 *object;
    u32 texel_bytes, flags, width, height, depth, levels;
};

FN PtxTexture ptx_texture(u64 table, u64 handle) {
    return *(const CONSTANT PtxTexture *)(table + 32 * (handle & 0xfffff));
}

FN u32 ptx_texture_kind(const PtxTexture &t) { return t.flags & 15; }

FN V8<u32> ptx_image(const PtxTexture &t) { return *(const CONSTANT V8<u32> *)t.object; }

FN V4<u32> ptx_sampler(const PtxTexture &t) { return *(const CONSTANT V4<u32> *)(t.object + 12); }

/* A row of texels (kind 1) counts as an image of one row. */
FN V8<u32> ptx_plane(const PtxTexture &t) {
    V8<u32> image = ptx_image(t);
    if (ptx_texture_kind(t) == 1) image[3] = (image[3] & 0x0fffffff) | 9u << 28;
    return image;
}

// A filtered texel as a half: in the middle between two it is the one farther from 0 (recorded on an H100).
FN f16 ptx_texel_half(f32 x) {
    f16 near = (f16)x, far = as<f16>((u16)(as<u16>(near) + 1));
    return (f32)far - x == x - (f32)near ? far : near;
}

FN u32 ptx_texel_halves(f32 low, f32 high) {
    return (u32)as<u16>(ptx_texel_half(high)) << 16 | as<u16>(ptx_texel_half(low));
}

FN f32 ptx_layer(u32 layer) { return layer > 65535 ? 65535.0f : (f32)layer; }

/* Where a direction meets the cube: 1 to 2 on a face, and the face. */
struct PtxCube {
    f32 s, t, face;
};

FN PtxCube ptx_cube(f32 x, f32 y, f32 z) {
    f32 longest = __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y)), __builtin_fabsf(z));
    /* ptxas makes the longest coordinate 1 first, and rounds there: MUFU.RCP, whose denormal results are zeros */
    f32 shrink = ptx_ftz(__builtin_amdgcn_rcpf(longest));
    x *= shrink, y *= shrink, z *= shrink;
    f32 scale = 1.0f / __builtin_fabsf(__builtin_amdgcn_cubema(x, y, z));
    return {__builtin_fmaf(__builtin_amdgcn_cubesc(x, y, z), scale, 1.5f),
            __builtin_fmaf(__builtin_amdgcn_cubetc(x, y, z), scale, 1.5f), __builtin_amdgcn_cubeid(x, y, z)};
}

/* Face plus eight times the layer; a layer that is not there is the last one. */
FN f32 ptx_cube_face(const PtxTexture &t, u32 layer, f32 face) {
    u32 last = t.depth / 6 - 1;
    return __builtin_fmaf((f32)(layer < last ? layer : last), 8.0f, face);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_2d(u32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.2d.v4f32.f32");
FN V4<f32> ptx_tex_2d(u64 table, u64 handle, f32 x, f32 y) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_2d(15, x, y, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_2d(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.2d.v4f32.f32");
FN V4<f32> ptx_tex_level_2d(u64 table, u64 handle, f32 x, f32 y, f32 level) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_2d(15, x, y, level, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_2d(u32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.2d.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_2d(u64 table, u64 handle, f32 x, f32 y, f32 dxdx, f32 dydx, f32 dxdy, f32 dydy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_2d(15, dxdx, dydx, dxdy, dydy, x, y, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_3d(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.3d.v4f32.f32");
FN V4<f32> ptx_tex_3d(u64 table, u64 handle, f32 x, f32 y, f32 z) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_3d(15, x, y, z, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_3d(u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.3d.v4f32.f32");
FN V4<f32> ptx_tex_level_3d(u64 table, u64 handle, f32 x, f32 y, f32 z, f32 level) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_3d(15, x, y, z, level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_3d(u32, f32, f32, f32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.3d.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_3d(u64 table, u64 handle, f32 x, f32 y, f32 z, f32 dxdx, f32 dydx, f32 dzdx, f32 dxdy, f32 dydy, f32 dzdy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_3d(15, dxdx, dydx, dzdx, dxdy, dydy, dzdy, x, y, z, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_a1d(u32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.1darray.v4f32.f32");
FN V4<f32> ptx_tex_a1d(u64 table, u64 handle, u32 layer, f32 x) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_a1d(15, x, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_a1d(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.1darray.v4f32.f32");
FN V4<f32> ptx_tex_level_a1d(u64 table, u64 handle, u32 layer, f32 x, f32 level) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_a1d(15, x, ptx_layer(layer), level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_a1d(u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.1darray.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_a1d(u64 table, u64 handle, u32 layer, f32 x, f32 dxdx, f32 dxdy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_a1d(15, dxdx, dxdy, x, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_a2d(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.2darray.v4f32.f32");
FN V4<f32> ptx_tex_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_a2d(15, x, y, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_a2d(u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.2darray.v4f32.f32");
FN V4<f32> ptx_tex_level_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 level) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_a2d(15, x, y, ptx_layer(layer), level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_a2d(u32, f32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.2darray.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 dxdx, f32 dydx, f32 dxdy, f32 dydy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_a2d(15, dxdx, dydx, dxdy, dydy, x, y, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_cube(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.cube.v4f32.f32");
FN V4<f32> ptx_tex_cube(u64 table, u64 handle, f32 x, f32 y, f32 z) {
    PtxTexture t = ptx_texture(table, handle);
    PtxCube at = ptx_cube(x, y, z);
    return ptx_ir_sample_lz_cube(15, at.s, at.t, at.face, ptx_image(t), ptx_sampler(t), false, 0, 0);
}
FN V4<f32> ptx_tex_acube(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 z) {
    PtxTexture t = ptx_texture(table, handle);
    PtxCube at = ptx_cube(x, y, z);
    f32 face = ptx_cube_face(t, layer, at.face);
    return ptx_ir_sample_lz_cube(15, at.s, at.t, face, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_cube(u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.cube.v4f32.f32");
FN V4<f32> ptx_tex_level_cube(u64 table, u64 handle, f32 x, f32 y, f32 z, f32 level) {
    PtxTexture t = ptx_texture(table, handle);
    PtxCube at = ptx_cube(x, y, z);
    return ptx_ir_sample_l_cube(15, at.s, at.t, at.face, level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}
FN V4<f32> ptx_tex_level_acube(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 z, f32 level) {
    PtxTexture t = ptx_texture(table, handle);
    PtxCube at = ptx_cube(x, y, z);
    f32 face = ptx_cube_face(t, layer, at.face);
    return ptx_ir_sample_l_cube(15, at.s, at.t, face, level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

/* ptxas samples one coordinate as the second being 0, halfway to the border. */
FN V4<f32> ptx_tex_1d(u64 table, u64 handle, f32 x) { return ptx_tex_2d(table, handle, x, 0.0f); }

FN V4<f32> ptx_tex_level_1d(u64 table, u64 handle, f32 x, f32 level) {
    return ptx_tex_level_2d(table, handle, x, 0.0f, level);
}

FN V4<f32> ptx_tex_grad_1d(u64 table, u64 handle, f32 x, f32 dxdx, f32 dxdy) {
    return ptx_tex_grad_2d(table, handle, x, 0.0f, dxdx, 0.0f, dxdy, 0.0f);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_gather_2d(u32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.gather4.lz.2d.v4f32.f32");
template <u32 channel> FN V4<f32> ptx_tld4_2d(u64 table, u64 handle, f32 x, f32 y) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_gather_2d(1u << channel, x, y, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_gather_a2d(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.gather4.lz.2darray.v4f32.f32");
template <u32 channel> FN V4<f32> ptx_tld4_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_gather_a2d(1u << channel, x, y, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_gather_cube(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.gather4.lz.cube.v4f32.f32");
template <u32 channel> FN V4<f32> ptx_tld4_cube(u64 table, u64 handle, f32 x, f32 y, f32 z) {
    PtxTexture t = ptx_texture(table, handle);
    PtxCube at = ptx_cube(x, y, z);
    return ptx_ir_gather_cube(1u << channel, at.s, at.t, at.face, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_gather_acube(u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.gather4.lz.cube.v4f32.f32");
template <u32 channel> FN V4<f32> ptx_tld4_acube(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 z) {
    PtxTexture t = ptx_texture(table, handle);
    PtxCube at = ptx_cube(x, y, z);
    return ptx_ir_gather_acube(1u << channel, at.s, at.t, ptx_cube_face(t, layer, at.face), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

/* A texel of linear memory (kind 8): its address and size in elements stand where an image's resource would. */
FN u32 ptx_linear_channel(const PtxTexture &t, u32 bits, u32 raw) {
    u32 format = t.flags >> 12 & 15, spare = 32 - bits;
    u32 whole = format == 1 ? (u32)((i32)(raw << spare) >> spare) : raw << spare >> spare;
    if (format == 2) return bits == 16 ? as<u32>((f32)as<f16>((u16)raw)) : raw;
    if (!(t.flags & 1u << 16)) return whole;
    f32 most = (f32)(0xffffffffu >> (spare + (format == 1)));
    f32 value = (format == 1 ? (f32)(i32)whole : (f32)whole) / most;
    return as<u32>(value < -1.0f ? -1.0f : value);
}

FN V4<f32> ptx_linear(const PtxTexture &t, u32 x) {
    V4<u32> found = 0;
    if (x < t.object[2]) {
        u64 at = *(const CONSTANT u64 *)t.object + (u64)x * t.texel_bytes;
        u32 channels = t.flags >> 8 & 15, bytes = t.texel_bytes / channels;
        for (u32 k = 0; k < 4; k++) {
            if (k >= channels) continue;
            u64 here = at + k * bytes;
            u32 raw = bytes == 1 ? (u32)ptx_ld_global<u8>(here)
                                 : bytes == 2 ? (u32)ptx_ld_global<u16>(here) : ptx_ld_global<u32>(here);
            found[k] = ptx_linear_channel(t, 8 * bytes, raw);
        }
    }
    return as<V4<f32>>(found);
}

/* An array, which is no linear memory, reads as 0 here (recorded on an H200). */
FN V4<f32> ptx_tex_fetch_1d(u64 table, u64 handle, u32 x) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_texture_kind(t) == 8 ? ptx_linear(t, x) : (V4<f32>)0;
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_load_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.2d.v4f32.i32");
FN V4<f32> ptx_tex_fetch_2d(u64 table, u64 handle, u32 x, u32 y) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_load_2d(15, x, y, ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_load_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.3d.v4f32.i32");
FN V4<f32> ptx_tex_fetch_3d(u64 table, u64 handle, u32 x, u32 y, u32 z) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_load_3d(15, x, y, z, ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_load_a1d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.1darray.v4f32.i32");
FN V4<f32> ptx_tex_fetch_a1d(u64 table, u64 handle, u32 layer, u32 x) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_load_a1d(15, x, layer, ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_load_a2d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.2darray.v4f32.i32");
FN V4<f32> ptx_tex_fetch_a2d(u64 table, u64 handle, u32 layer, u32 x, u32 y) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_load_a2d(15, x, y, layer, ptx_image(t), 0, 0);
}

FN u32 ptx_size_at(u32 size, u32 level) { return level < 32 && size >> level ? size >> level : 1; }

FN u32 ptx_txq_width(u64 table, u64 handle, u32 level) { return ptx_size_at(ptx_texture(table, handle).width, level); }

// What has layers has them as its first missing size; a row has a height of 1, as a surface 0 (recorded on an H100).
FN u32 ptx_txq_height(u64 table, u64 handle, u32 level) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_texture_kind(t) == 5) return t.depth;
    return ptx_texture_kind(t) == 1 && t.flags & 16 ? 0 : ptx_size_at(t.height, level);
}

FN u32 ptx_txq_depth(u64 table, u64 handle, u32 level) {
    PtxTexture t = ptx_texture(table, handle);
    switch (ptx_texture_kind(t)) {
    case 3: return ptx_size_at(t.depth, level);
    case 6: return t.depth;
    case 7: return t.depth / 6;
    default: return 0;
    }
}

FN u32 ptx_txq_array_size(u64 table, u64 handle, u32) { return ptx_texture(table, handle).depth; }

FN u32 ptx_txq_num_mipmap_levels(u64 table, u64 handle, u32) { return ptx_texture(table, handle).levels; }

FN bool ptx_is_texture(u64 table, u64 handle) {
    PtxTexture t = ptx_texture(table, handle);
    return t.object && !(t.flags & 16);
}

FN bool ptx_is_surface(u64 table, u64 handle) {
    PtxTexture t = ptx_texture(table, handle);
    return t.object && t.flags & 16;
}
