/* Loads and stores of lanes for translated code, which does inline only what is quick to compile:
 * the same functions as in the interpreter's bodies. */
#include "emulator/memory_ops.h"
#include "emulator/native_services.h"

/* WORD(bytes, is_signed) for every kind of load. */
#define LOAD_KINDS(WORD)                                                                           \
    WORD(1, 0) WORD(1, 1) WORD(2, 0) WORD(2, 1) WORD(4, 0) WORD(8, 0) WORD(12, 0) WORD(16, 0)

static int global_read(native_lanes *r, const native_lanes *low, const native_lanes *upper,
                       uint64_t base, uint32_t exec, unsigned kind) {
    lane_addresses at;
    if (!exec) return 1;
    find_addresses(&at, (const V *)low, (const V *)upper, base, exec);
    switch (kind) {
#define READ(bytes, is_signed)                                                                     \
    case ACCESS(bytes, is_signed):                                                                 \
        return read_lanes(r, &at, bytes, is_signed);
        LOAD_KINDS(READ)
#undef READ
    default:
        return 0;
    }
}

static int global_write(const native_lanes *x, const native_lanes *low, const native_lanes *upper,
                        uint64_t base, uint32_t exec, unsigned bytes, unsigned shift) {
    lane_addresses at;
    if (!exec) return 1;
    find_addresses(&at, (const V *)low, (const V *)upper, base, exec);
    switch (bytes) {
#define WRITE(bytes, is_signed)                                                                    \
    case ACCESS(bytes, is_signed):                                                                 \
        return store_lanes(x, &at, exec, bytes, shift);
        LOAD_KINDS(WRITE)
#undef WRITE
    default:
        return 0;
    }
}

/* Where each lane's bytes are; 0: some active lane's lie outside. */
static int lds_at(uint32_t *at, native_lds lds, const native_lanes *address, uint32_t exec,
                  unsigned bytes) {
    V x;
    memcpy(&x, *address, 128);
    return lds_places(x + lds.offset, lds.bytes, exec, bytes, at);
}

static int lds_read(native_lanes *r, native_lds lds, const native_lanes *address, uint32_t exec,
                    unsigned kind) {
    native_lanes at;
    if (!lds_at(at, lds, address, exec, kind & 255)) return 0;
    lane_shape shape = shape_of(at);
    switch (kind) {
#define READ(bytes, is_signed)                                                                     \
    case ACCESS(bytes, is_signed):                                                                 \
        for (unsigned k = 0; k < (bytes + 3) / 4; k++)                                             \
            gather_word(r[k], (const char *)lds.base + 4 * k, at, bytes, is_signed, shape);        \
        return 1;
        LOAD_KINDS(READ)
#undef READ
    default:
        return 0;
    }
}

static int lds_write(const native_lanes *x, native_lds lds, const native_lanes *address,
                     uint32_t exec, unsigned bytes, unsigned shift) {
    native_lanes at;
    if (!lds_at(at, lds, address, exec, bytes)) return 0;
    switch (bytes) {
#define WRITE(bytes, is_signed)                                                                    \
    case ACCESS(bytes, is_signed):                                                                 \
        scatter(x, (char *)lds.base, at, exec, bytes, shift);                                      \
        return 1;
        LOAD_KINDS(WRITE)
#undef WRITE
    default:
        return 0;
    }
}

static int lds_add(const native_lanes *x, native_lds lds, const native_lanes *address,
                   uint32_t exec) {
    native_lanes at;
    if (!lds_at(at, lds, address, exec, 4)) return 0;
    if (v_bits((VI)((*(const V *)at & 3u) != 0)) & exec) return 0;
    add_words(*x, lds.base, at, exec);
    return 1;
}

extern const native_access EMU_CAT(emu_access_, EMU_VARIANT);
const native_access EMU_CAT(emu_access_, EMU_VARIANT) = {global_read, global_write, lds_read,
                                                         lds_write, lds_add};
