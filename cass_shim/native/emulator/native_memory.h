/* Loads and stores of translated code: consecutive dwords inline, the rest by the library. A body
 * that returns 0 leaves the instruction to the interpreter's, which also reports faults. */

/* ---- GLOBAL ---- */
typedef struct {
    native_lanes low, upper;
    uint64_t base;
    int has_upper;
} unit_addresses;

ALWAYS_INLINE void unit_find(const wave_t *w, const op_t *o, unit_addresses *at) {
    at->has_upper = !(o->flags & F_SADDR);
    at->base = (at->has_upper ? 0 : s64(w, o, 1)) + o->k[2];
    *(V *)at->low = v_src(w, o, 0);
    if (at->has_upper) *(V *)at->upper = *(const V *)((const char *)w + o->off[0] + sizeof(vreg_t));
}

/* Where all lanes are active and their addresses follow each other by 4 bytes in device memory: the
 * first one; 0: not so. */
ALWAYS_INLINE char *unit_run(const unit_addresses *at, uint32_t exec) {
    if (exec != ~0u || !consecutive_dwords(at->low)) return 0;
    uint64_t address = at->base + at->low[0];
    if (at->has_upper) {
        V upper = *(const V *)at->upper;
        if (v_bits((VI)(upper == upper[0])) != ~0u) return 0;
        address += (uint64_t)upper[0] << 32;
    }
    uint64_t d = address - (uint64_t)(uintptr_t)emu_space.base;
    return likely(d < emu_space.size && emu_space.size - d >= 128 && emu_space.page_ok[d >> 12] &&
                  emu_space.page_ok[(d + 127) >> 12])
               ? (char *)(uintptr_t)address
               : 0;
}

ALWAYS_INLINE const op_t *unit_load(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                    int half) {
    unit_addresses at;
    native_lanes r[4];
    uint32_t exec = EXEC;
    unit_find(w, o, &at);
    const char *run = bytes == 4 ? unit_run(&at, exec) : 0;
    if (run) {
        memcpy(w->v[o->d], run, 128);
        return o + 1;
    }
    if (unlikely(!services->access.global_read(r, &at.low, at.has_upper ? &at.upper : 0, at.base,
                                               exec, ACCESS(bytes, is_signed))))
        return 0;
    put_narrow(w, o->d, r[0], half);
    for (unsigned k = 1; k < bytes / 4; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}

ALWAYS_INLINE const op_t *unit_store(wave_t *w, const op_t *o, unsigned bytes, unsigned shift) {
    unit_addresses at;
    native_lanes x[4];
    uint32_t exec = EXEC;
    unit_find(w, o, &at);
    char *run = bytes == 4 ? unit_run(&at, exec) : 0;
    if (run) {
        memcpy(run, w->v[o->sd], 128);
        return o + 1;
    }
    for (unsigned k = 0; k < (bytes + 3) / 4; k++) *(V *)x[k] = *(const V *)w->v[o->sd + k];
    return services->access.global_write(x, &at.low, at.has_upper ? &at.upper : 0, at.base, exec,
                                         bytes, shift)
               ? o + 1
               : 0;
}

/* ---- FLAT: what stays in device memory ---- */
ALWAYS_INLINE int leaves_global(const wave_t *w, const op_t *o) {
    V upper = *(const V *)((const char *)w + o->off[0] + sizeof(vreg_t));
    VI special = (VI)(upper == APERTURE_LDS) | (VI)(upper == APERTURE_SCRATCH);
    return (v_bits(special) & EXEC) != 0;
}

#define LOAD(name, bytes, is_signed, half)                                                         \
    HANDLER(global_load_##name) { return unit_load(w, o, bytes, is_signed, half); }                \
    HANDLER(flat_load_##name) {                                                                    \
        return leaves_global(w, o) ? 0 : unit_load(w, o, bytes, is_signed, half);                  \
    }
#define STORE(name, bytes, shift)                                                                  \
    HANDLER(global_store_##name) { return unit_store(w, o, bytes, shift); }                        \
    HANDLER(flat_store_##name) { return leaves_global(w, o) ? 0 : unit_store(w, o, bytes, shift); }
MEMORY_LOADS(LOAD, LOAD)
MEMORY_STORES(STORE, STORE)
#undef LOAD
#undef STORE

/* ---- LDS ---- */
ALWAYS_INLINE int unit_lds_read(const wave_t *w, const op_t *o, uint32_t exec, uint32_t offset,
                                unsigned bytes, int is_signed, native_lanes *r) {
    native_lanes at;
    if (!lds_addresses(w, o, exec, offset, bytes, at)) return 0;
    if (bytes == 4 && ALL_ACTIVE(exec) && consecutive_dwords(at)) {
        memcpy(r[0], w->lds + at[0], 128);
        return 1;
    }
    lane_shape shape = shape_of(at);
    services->access.lds_read(r, w->lds, &at, ACCESS(bytes, is_signed), shape.same, shape.run);
    return 1;
}

ALWAYS_INLINE const op_t *unit_lds_load(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                        int half) {
    native_lanes r[4];
    uint32_t exec = EXEC;
    if (unlikely(!unit_lds_read(w, o, exec, OFFSET, bytes, is_signed, r))) return 0;
    put_narrow(w, o->d, r[0], half);
    for (unsigned k = 1; k < bytes / 4; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}

ALWAYS_INLINE int unit_lds_write(wave_t *w, const op_t *o, uint32_t exec, uint32_t offset,
                                 unsigned s, unsigned bytes, unsigned shift) {
    native_lanes at, x[4];
    if (!lds_addresses(w, o, exec, offset, bytes, at)) return 0;
    if (bytes == 4 && ALL_ACTIVE(exec) && consecutive_dwords(at)) {
        memcpy(w->lds + at[0], w->v[s], 128);
        return 1;
    }
    for (unsigned k = 0; k < (bytes + 3) / 4; k++) *(V *)x[k] = *(const V *)w->v[s + k];
    services->access.lds_write(x, w->lds, &at, exec, bytes, shift);
    return 1;
}

#define LOAD(name, bytes, is_signed, half)                                                         \
    HANDLER(ds_load_##name) { return unit_lds_load(w, o, bytes, is_signed, half); }
#define STORE(name, bytes, shift)                                                                  \
    HANDLER(ds_store_##name) {                                                                     \
        return unit_lds_write(w, o, EXEC, OFFSET, o->sd, bytes, shift) ? o + 1 : 0;                \
    }
#define PAIR(name, bytes, stride)                                                                  \
    HANDLER(ds_load_2addr_##name) {                                                                \
        native_lanes r[4];                                                                         \
        uint32_t exec = EXEC;                                                                      \
        if (!unit_lds_read(w, o, exec, OFFSET0 * stride, bytes, 0, r)) return 0;                   \
        if (!unit_lds_read(w, o, exec, OFFSET1 * stride, bytes, 0, r + bytes / 4)) return 0;       \
        for (unsigned k = 0; k < bytes / 2; k++) put32(w, o->d + k, r[k]);                         \
        return o + 1;                                                                              \
    }                                                                                              \
    HANDLER(ds_store_2addr_##name) {                                                               \
        uint32_t exec = EXEC;                                                                      \
        if (!unit_lds_write(w, o, exec, OFFSET0 * stride, o->sd, bytes, 0)) return 0;              \
        if (!unit_lds_write(w, o, exec, OFFSET1 * stride, o->misc, bytes, 0)) return 0;            \
        return o + 1;                                                                              \
    }
LDS_LOADS(LOAD, LOAD)
LDS_STORES(STORE, STORE)
LDS_PAIRS(PAIR)
#undef LOAD
#undef STORE
#undef PAIR

HANDLER(ds_add_u32) {
    native_lanes at, x;
    uint32_t exec = EXEC;
    if (!lds_addresses(w, o, exec, OFFSET, 4, at)) return 0;
    if (v_bits((VI)((*(const V *)at & 3u) != 0)) & exec) return 0;
    *(V *)x = *(const V *)w->v[o->sd];
    services->access.lds_add(&x, w->lds, &at, exec);
    return o + 1;
}

/* ---- SCRATCH: dwords at an address that all lanes share, which is a row of memory ---- */
ALWAYS_INLINE uint8_t *scratch_row(const wave_t *w, const op_t *o, unsigned bytes) {
    uint32_t address = (o->flags & F_SADDR ? s32(w, o, 1) : 0) + (uint32_t)o->k[2];
    if ((address & 3) || (uint64_t)address + bytes > w->scratch_bytes) return 0;
    return w->scratch + (uint64_t)address * LANES;
}
#define LOAD(bits)                                                                                 \
    HANDLER(scratch_load_b##bits) {                                                                \
        const uint8_t *row = scratch_row(w, o, bits / 8);                                          \
        if (unlikely(!row)) return 0;                                                              \
        for (unsigned k = 0; k < bits / 32; k++) v_put(w, o->d + k, *(const V *)(row + 128 * k));  \
        return o + 1;                                                                              \
    }
#define STORE(bits)                                                                                \
    HANDLER(scratch_store_b##bits) {                                                               \
        uint8_t *row = scratch_row(w, o, bits / 8);                                                \
        if (unlikely(!row)) return 0;                                                              \
        V m = v_exec_mask(EXEC);                                                                   \
        for (unsigned k = 0; k < bits / 32; k++) {                                                 \
            V *to = (V *)(row + 128 * k), x = *(const V *)w->v[o->sd + k];                         \
            *to = (x & m) | (*to & ~m);                                                            \
        }                                                                                          \
        return o + 1;                                                                              \
    }
LOAD(32) LOAD(64) LOAD(96) LOAD(128) STORE(32) STORE(64) STORE(96) STORE(128)
#undef LOAD
#undef STORE
