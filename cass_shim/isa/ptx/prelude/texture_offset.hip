/* Texel offsets, signed: as ptxas packs them 4 bits each, 6 for a gather; AMD takes 6 bits at 0, 8 and 16. */
template <u32 bits> FN u32 ptx_offsets(u32 x, u32 y = 0, u32 z = 0) {
    u32 spare = 32 - bits;
    u32 fields[3] = {(u32)((i32)(x << spare) >> spare) & 63, (u32)((i32)(y << spare) >> spare) & 63,
                     (u32)((i32)(z << spare) >> spare) & 63};
    return fields[0] | fields[1] << 8 | fields[2] << 16;
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_o_2d(u32, u32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.o.2d.v4f32.f32");
FN V4<f32> ptx_tex_offset_2d(u64 table, u64 handle, f32 x, f32 y, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_o_2d(15, ptx_offsets<4>(ox, oy), x, y, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_o_2d(u32, u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.o.2d.v4f32.f32");
FN V4<f32> ptx_tex_level_offset_2d(u64 table, u64 handle, f32 x, f32 y, f32 level, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_o_2d(15, ptx_offsets<4>(ox, oy), x, y, level, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_o_2d(u32, u32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.o.2d.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_offset_2d(u64 table, u64 handle, f32 x, f32 y, f32 dxdx, f32 dydx, f32 dxdy, f32 dydy, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_o_2d(15, ptx_offsets<4>(ox, oy), dxdx, dydx, dxdy, dydy, x, y, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_o_3d(u32, u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.o.3d.v4f32.f32");
FN V4<f32> ptx_tex_offset_3d(u64 table, u64 handle, f32 x, f32 y, f32 z, u32 ox, u32 oy, u32 oz) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_o_3d(15, ptx_offsets<4>(ox, oy, oz), x, y, z, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_o_3d(u32, u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.o.3d.v4f32.f32");
FN V4<f32> ptx_tex_level_offset_3d(u64 table, u64 handle, f32 x, f32 y, f32 z, f32 level, u32 ox, u32 oy, u32 oz) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_o_3d(15, ptx_offsets<4>(ox, oy, oz), x, y, z, level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_o_3d(u32, u32, f32, f32, f32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.o.3d.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_offset_3d(u64 table, u64 handle, f32 x, f32 y, f32 z, f32 dxdx, f32 dydx, f32 dzdx, f32 dxdy, f32 dydy, f32 dzdy, u32 ox, u32 oy, u32 oz) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_o_3d(15, ptx_offsets<4>(ox, oy, oz), dxdx, dydx, dzdx, dxdy, dydy, dzdy, x, y, z, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_o_a1d(u32, u32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.o.1darray.v4f32.f32");
FN V4<f32> ptx_tex_offset_a1d(u64 table, u64 handle, u32 layer, f32 x, u32 ox) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_o_a1d(15, ptx_offsets<4>(ox), x, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_o_a1d(u32, u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.o.1darray.v4f32.f32");
FN V4<f32> ptx_tex_level_offset_a1d(u64 table, u64 handle, u32 layer, f32 x, f32 level, u32 ox) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_o_a1d(15, ptx_offsets<4>(ox), x, ptx_layer(layer), level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_o_a1d(u32, u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.o.1darray.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_offset_a1d(u64 table, u64 handle, u32 layer, f32 x, f32 dxdx, f32 dxdy, u32 ox) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_o_a1d(15, ptx_offsets<4>(ox), dxdx, dxdy, x, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_lz_o_a2d(u32, u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.lz.o.2darray.v4f32.f32");
FN V4<f32> ptx_tex_offset_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_lz_o_a2d(15, ptx_offsets<4>(ox, oy), x, y, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_l_o_a2d(u32, u32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.l.o.2darray.v4f32.f32");
FN V4<f32> ptx_tex_level_offset_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 level, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_l_o_a2d(15, ptx_offsets<4>(ox, oy), x, y, ptx_layer(layer), level, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_o_a2d(u32, u32, f32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.o.2darray.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_offset_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 dxdx, f32 dydx, f32 dxdy, f32 dydy, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_sample_d_o_a2d(15, ptx_offsets<4>(ox, oy), dxdx, dydx, dxdy, dydy, x, y, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

/* ptxas samples one coordinate as two and does not cut the offset: its next four bits move the other one. */
FN V4<f32> ptx_tex_offset_1d(u64 table, u64 handle, f32 x, u32 ox) {
    return ptx_tex_offset_2d(table, handle, x, 0.0f, ox, ox >> 4);
}

FN V4<f32> ptx_tex_level_offset_1d(u64 table, u64 handle, f32 x, f32 level, u32 ox) {
    return ptx_tex_level_offset_2d(table, handle, x, 0.0f, level, ox, ox >> 4);
}

FN V4<f32> ptx_tex_grad_offset_1d(u64 table, u64 handle, f32 x, f32 dxdx, f32 dxdy, u32 ox) {
    return ptx_tex_grad_offset_2d(table, handle, x, 0.0f, dxdx, 0.0f, dxdy, 0.0f, ox, ox >> 4);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_gather_o_2d(u32, u32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.gather4.lz.o.2d.v4f32.f32");
template <u32 channel> FN V4<f32> ptx_tld4_offset_2d(u64 table, u64 handle, f32 x, f32 y, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_gather_o_2d(1u << channel, ptx_offsets<6>(ox, oy), x, y, ptx_plane(t), ptx_sampler(t), false, 0, 0);
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_gather_o_a2d(u32, u32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.gather4.lz.o.2darray.v4f32.f32");
template <u32 channel> FN V4<f32> ptx_tld4_offset_a2d(u64 table, u64 handle, u32 layer, f32 x, f32 y, u32 ox, u32 oy) {
    PtxTexture t = ptx_texture(table, handle);
    return ptx_ir_gather_o_a2d(1u << channel, ptx_offsets<6>(ox, oy), x, y, ptx_layer(layer), ptx_image(t), ptx_sampler(t), false, 0, 0);
}

/* Texels by number have no offsets on AMD: they are added. */
FN u32 ptx_moved(u32 at, u32 offset) { return at + (u32)((i32)(offset << 28) >> 28); }

FN V4<f32> ptx_tex_fetch_offset_1d(u64 table, u64 handle, u32 x, u32 ox) {
    return ptx_tex_fetch_1d(table, handle, ptx_moved(x, ox));
}

FN V4<f32> ptx_tex_fetch_offset_2d(u64 table, u64 handle, u32 x, u32 y, u32 ox, u32 oy) {
    return ptx_tex_fetch_2d(table, handle, ptx_moved(x, ox), ptx_moved(y, oy));
}

FN V4<f32> ptx_tex_fetch_offset_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 ox, u32 oy, u32 oz) {
    return ptx_tex_fetch_3d(table, handle, ptx_moved(x, ox), ptx_moved(y, oy), ptx_moved(z, oz));
}

FN V4<f32> ptx_tex_fetch_offset_a1d(u64 table, u64 handle, u32 layer, u32 x, u32 ox) {
    return ptx_tex_fetch_a1d(table, handle, layer, ptx_moved(x, ox));
}

FN V4<f32> ptx_tex_fetch_offset_a2d(u64 table, u64 handle, u32 layer, u32 x, u32 y, u32 ox, u32 oy) {
    return ptx_tex_fetch_a2d(table, handle, layer, ptx_moved(x, ox), ptx_moved(y, oy));
}

/* Gradients of a direction are those of its place on the face: a step leads to another direction, and where that leaves
   the face, to a place beyond the edge, the neighbour unfolded into the plane (recorded on an H200: 118 of 120). */
struct PtxCubeStep {
    f32 s, t;
    bool leaves;
};

FN PtxCubeStep ptx_cube_step(u32 face, f32 s, f32 t, f32 x, f32 y, f32 z) {
    f32 along = face < 2 ? z : x, down = face == 2 ? z : face == 3 ? -z : -y, out = face < 2 ? x : face < 4 ? y : z;
    if (face == 0 || face == 5) along = -along;
    if (face & 1) out = -out;
    f32 longest = __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y)), __builtin_fabsf(z));
    bool leaves = (u32)__builtin_amdgcn_cubeid(x, y, z) != face;
    f32 a = along / longest, b = down / longest, beyond = 2.0f - out / longest;
    bool sideways = leaves && __builtin_fabsf(a) >= __builtin_fabsf(b);
    if (sideways) a = __builtin_copysignf(beyond, a);
    if (leaves && !sideways) b = __builtin_copysignf(beyond, b);
    return {(a - s) * 0.5f, (b - t) * 0.5f, leaves};
}

FN f32 ptx_cube_reach(const PtxCubeStep &step) {
    f32 s = __builtin_fabsf(step.s), t = __builtin_fabsf(step.t);
    return __builtin_fmaf(__builtin_fminf(s, t), 0.343975f, __builtin_fmaxf(s, t));
}

extern "C" __attribute__((device)) V4<f32> ptx_ir_sample_d_cube(u32, f32, f32, f32, f32, f32, f32, f32, V8<u32>, V4<u32>, bool, u32, u32)
    __asm("llvm.amdgcn.image.sample.d.cube.v4f32.f32.f32");
FN V4<f32> ptx_tex_grad_face(const PtxTexture &t, f32 x, f32 y, f32 z, f32 dxdx, f32 dydx, f32 dzdx, f32 dxdy, f32 dydy,
                             f32 dzdy, u32 layer, bool layered) {
    PtxCube at = ptx_cube(x, y, z);
    f32 longest = __builtin_fabsf(__builtin_amdgcn_cubema(x, y, z)) * 0.5f;
    f32 u = __builtin_amdgcn_cubesc(x, y, z) / longest, v = __builtin_amdgcn_cubetc(x, y, z) / longest;
    PtxCubeStep across = ptx_cube_step((u32)at.face, u, v, x + dxdx, y + dydx, z + dzdx),
                down = ptx_cube_step((u32)at.face, u, v, x + dxdy, y + dydy, z + dzdy);
    if (across.leaves || down.leaves) { /* then only the longer of the two counts, not their sum or difference */
        if (ptx_cube_reach(across) < ptx_cube_reach(down)) across = down;
        down = {0.0f, 0.0f, false};
    }
    f32 face = layered ? ptx_cube_face(t, layer, at.face) : at.face;
    return ptx_ir_sample_d_cube(15, across.s, across.t, down.s, down.t, at.s, at.t, face, ptx_image(t), ptx_sampler(t), false, 0, 0);
}

FN V4<f32> ptx_tex_grad_cube(u64 table, u64 handle, f32 x, f32 y, f32 z, f32 dxdx, f32 dydx, f32 dzdx, f32 dxdy, f32 dydy, f32 dzdy) {
    return ptx_tex_grad_face(ptx_texture(table, handle), x, y, z, dxdx, dydx, dzdx, dxdy, dydy, dzdy, 0, false);
}

FN V4<f32> ptx_tex_grad_acube(u64 table, u64 handle, u32 layer, f32 x, f32 y, f32 z, f32 dxdx, f32 dydx, f32 dzdx, f32 dxdy, f32 dydy, f32 dzdy) {
    return ptx_tex_grad_face(ptx_texture(table, handle), x, y, z, dxdx, dydx, dzdx, dxdy, dydy, dzdy, layer, true);
}
