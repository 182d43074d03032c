/* Scalar loads. Source: AMD RDNA3 ISA, chapter "Scalar Memory Operations". */
#include "emulator/memory_words.h"

static int scalar_read(const wave_t *w, uint64_t address, unsigned words, uint32_t *out) {
    (void)w;
    if (!range_ok(address, words * 4)) return 0;
    memory_get(out, (const void *)(uintptr_t)address, words * 4);
    return 1;
}

/* The two low address bits are ignored. */
static inline __attribute__((always_inline)) int load(wave_t *w, const op_t *o, unsigned words,
                                                      uint64_t *address) {
    *address = (s64(w, o, 0) + s32(w, o, 1) + o->k[2]) & ~3ull;
    return scalar_read(w, *address, words, &w->s[o->d]);
}
#define LOAD(bits)                                                                                 \
    HANDLER(s_load_b##bits) {                                                                      \
        uint64_t address;                                                                          \
        if (!load(w, o, bits / 32, &address))                                                      \
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, 0, address, "scalar load");                \
        NEXT;                                                                                      \
    }
LOAD(32)
LOAD(64)
LOAD(128)
LOAD(256)
LOAD(512)

/* Buffer form: base 48 bits, stride and record count in the resource; dwords outside read as zero.
 */
static int buffer_load(wave_t *w, const op_t *o, unsigned words, uint64_t *address) {
    const uint32_t *r = &w->s[o->sd];
    uint64_t base = r[0] | (uint64_t)(r[1] & 0xffff) << 32;
    uint32_t stride = r[1] >> 16 & 0x3fff, records = r[2];
    uint64_t size = stride ? (uint64_t)stride * records : records;
    uint64_t offset = ((uint64_t)s32(w, o, 1) + o->k[2]) & ~3ull;
    uint32_t out[16] = {0};
    for (unsigned i = 0; i < words; i++) {
        *address = base + offset + 4 * i;
        if (offset + 4 * i + 4 <= size && !scalar_read(w, *address, 1, &out[i])) return 0;
    }
    memcpy(&w->s[o->d], out, words * 4);
    return 1;
}
#define BUFFER_LOAD(bits)                                                                          \
    HANDLER(s_buffer_load_b##bits) {                                                               \
        uint64_t address = 0;                                                                      \
        if (!buffer_load(w, o, bits / 32, &address))                                               \
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, 0, address, "scalar buffer load");         \
        NEXT;                                                                                      \
    }
BUFFER_LOAD(32)
BUFFER_LOAD(64)
BUFFER_LOAD(128)
BUFFER_LOAD(256)
BUFFER_LOAD(512)
