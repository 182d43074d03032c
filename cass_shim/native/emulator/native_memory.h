/* Loads and stores of translated code: dwords that are one, or follow each other, in each half of a
 * wave inline, the rest by the library. A body that returns 0 leaves the instruction to the
 * interpreter's, which also reports faults. */

/* How the lanes' addresses lie to each other is found from the address register alone: compilers do
 * it once for all accesses through one register. */
typedef struct {
    int known; /* every lane is active, each half of them at one place or at consecutive dwords */
    lane_shape shape;
    uint32_t low[2];   /* of the first lane of each half */
    uint32_t bytes[2]; /* that each half touches */
} unit_halves;

ALWAYS_INLINE unit_halves unit_halves_of(V low, uint32_t exec, uint32_t bytes) {
    native_lanes at;
    *(V *)at = low;
    lane_shape shape = shape_of(at);
    int known = bytes == 4 ? (shape.same | shape.run) == 3 : bytes > 4 && shape.same == 3;
    return (unit_halves){.known = known && exec == ~0u,
                         .shape = shape,
                         .low = {low[0], low[16]},
                         .bytes = {shape.same & 1 ? bytes : 64, shape.same & 2 ? bytes : 64}};
}

typedef uint32_t unit_half __attribute__((vector_size(64)));
ALWAYS_INLINE void unit_load_half(uint32_t *r, const uint8_t *from, uint32_t same) {
    unit_half x;
    if (same) {
        uint32_t one;
        memcpy(&one, from, 4);
        x = (unit_half){} + one;
    } else {
        memcpy(&x, from, 64);
    }
    memcpy(r, &x, 64);
}
/* Pairs and fours that are aligned are one access each (load_words says why). */
typedef uint32_t unit_quad __attribute__((vector_size(16)));
ALWAYS_INLINE void unit_load_words(uint32_t *x, const uint8_t *from, unsigned bytes) {
    if (bytes == 16 && !((uintptr_t)from & 15)) {
        unit_quad q = *(const volatile unit_quad *)(const void *)from;
        memcpy(x, &q, 16);
        return;
    }
    for (unsigned k = 0; k + 8 <= bytes; k += 8) {
        typedef uint64_t __attribute__((aligned(1), may_alias)) pair;
        uint64_t q = *(const volatile pair *)(const void *)(from + k);
        memcpy(x + k / 4, &q, 8);
    }
    if (bytes % 8) memcpy(x + bytes / 4 - 1, from + bytes - 4, 4);
}

/* Lanes at one address read it once (load_uniform says why). */
ALWAYS_INLINE void unit_load_halves(native_lanes *r, const uint8_t *first, const uint8_t *second,
                                    lane_shape shape, unsigned bytes) {
    if (bytes > 4) { /* each half at one place */
        uint32_t x[4], y[4];
        unit_load_words(x, first, bytes);
        if (first != second) unit_load_words(y, second, bytes);
        for (unsigned k = 0; k < bytes / 4; k++) {
            unit_half low = (unit_half){} + x[k],
                      high = (unit_half){} + (first == second ? x : y)[k];
            memcpy(r[k], &low, 64);
            memcpy(r[k] + 16, &high, 64);
        }
        return;
    }
    unit_load_half(r[0], first, shape.same & 1);
    if (first == second && shape.same == 3) *(V *)r[0] = v_splat(r[0][0]);
    else unit_load_half(r[0] + 16, second, shape.same & 2);
}

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

/* Where those of half `h` begin, 0: not in device memory. */
ALWAYS_INLINE uint8_t *unit_half_at(const unit_addresses *at, const unit_halves *halves, int h) {
    uint64_t bytes = halves->bytes[h], address = at->base + halves->low[h];
    if (at->has_upper) address += (uint64_t)(*(const V *)at->upper)[0] << 32;
    uint64_t d = address - (uint64_t)(uintptr_t)emu_space.base;
    if (unlikely(halves->low[h] > 0u - 64 || d >= emu_space.size || emu_space.size - d < bytes))
        return 0;
    return likely(emu_space.page_ok[d >> 12] && emu_space.page_ok[(d + bytes - 1) >> 12])
               ? (uint8_t *)(uintptr_t)address
               : 0;
}

ALWAYS_INLINE int unit_one_upper(const unit_addresses *at) {
    if (!at->has_upper) return 1;
    V upper = *(const V *)at->upper;
    return v_bits((VI)(upper == upper[0])) == ~0u;
}

ALWAYS_INLINE const op_t *unit_load(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                    int half) {
    unit_addresses at;
    native_lanes r[4];
    uint32_t exec = EXEC;
    unit_find(w, o, &at);
    unit_halves halves = unit_halves_of(*(const V *)at.low, exec, bytes);
    if (halves.known && unit_one_upper(&at)) {
        const uint8_t *first = unit_half_at(&at, &halves, 0),
                      *second = unit_half_at(&at, &halves, 1);
        if (likely(first && second)) {
            unit_load_halves(r, first, second, halves.shape, bytes);
            for (unsigned k = 0; k < bytes / 4; k++) put32(w, o->d + k, r[k]);
            return o + 1;
        }
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
    unit_halves halves = unit_halves_of(*(const V *)at.low, exec, 4);
    if (bytes == 4 && halves.known && halves.shape.run == 3 && unit_one_upper(&at)) {
        uint8_t *first = unit_half_at(&at, &halves, 0), *second = unit_half_at(&at, &halves, 1);
        if (likely(first && second)) {
            memcpy(first, w->v[o->sd], 64);
            memcpy(second, w->v[o->sd] + 16, 64);
            return o + 1;
        }
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
#define UNIT_LDS(at) ((native_lds){w->lds, w->lds_bytes, (at)})

/* Where those of half `h` begin, 0: not in the allocation. */
ALWAYS_INLINE uint8_t *unit_lds_half(const wave_t *w, const unit_halves *halves, uint32_t offset,
                                     int h) {
    uint32_t at = halves->low[h] + offset, bytes = halves->bytes[h];
    return likely(bytes <= w->lds_bytes && at <= w->lds_bytes - bytes) ? w->lds + at : 0;
}

ALWAYS_INLINE int unit_lds_read(const wave_t *w, const op_t *o, uint32_t exec, uint32_t offset,
                                unsigned bytes, int is_signed, native_lanes *r) {
    native_lanes at;
    *(V *)at = v_src(w, o, 0);
    unit_halves halves = unit_halves_of(*(const V *)at, exec, bytes);
    if (halves.known) {
        const uint8_t *first = unit_lds_half(w, &halves, offset, 0),
                      *second = unit_lds_half(w, &halves, offset, 1);
        if (unlikely(!first || !second)) return 0;
        unit_load_halves(r, first, second, halves.shape, bytes);
        return 1;
    }
    return services->access.lds_read(r, UNIT_LDS(offset), &at, exec, ACCESS(bytes, is_signed));
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
    *(V *)at = v_src(w, o, 0);
    unit_halves halves = unit_halves_of(*(const V *)at, exec, 4);
    if (bytes == 4 && halves.known && halves.shape.run == 3) {
        uint8_t *first = unit_lds_half(w, &halves, offset, 0),
                *second = unit_lds_half(w, &halves, offset, 1);
        if (unlikely(!first || !second)) return 0;
        memcpy(first, w->v[s], 64);
        memcpy(second, w->v[s] + 16, 64);
        return 1;
    }
    for (unsigned k = 0; k < (bytes + 3) / 4; k++) *(V *)x[k] = *(const V *)w->v[s + k];
    return services->access.lds_write(x, UNIT_LDS(offset), &at, exec, bytes, shift);
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
    *(V *)at = v_src(w, o, 0);
    *(V *)x = *(const V *)w->v[o->sd];
    return services->access.lds_add(&x, UNIT_LDS(OFFSET), &at, EXEC) ? o + 1 : 0;
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
