/* Words of device memory as lanes read and write them. What other lanes do at the same time is the
 * kernel's to order, as on the hardware, so the copies are plain. ThreadSanitizer would take that
 * for a race of ours: built with it, lanes use atomics, which do not race with each other but still
 * with what the host does to the same memory without waiting. They acquire and release, since where
 * the kernel does so it is by instructions of their own (hip_hostcall.c answers waves that wait).
 */
#ifndef CASS_EMU_MEMORY_WORDS_H
#define CASS_EMU_MEMORY_WORDS_H

#include "emulator/interp.h"

#ifdef __SANITIZE_THREAD__
/* As wide a part of the range as is aligned and left. */
#define MEMORY_PARTS(type, apply)                                                                  \
    while (bytes >= sizeof(type) && !((uintptr_t)memory % sizeof(type))) {                         \
        apply;                                                                                     \
        own += sizeof(type), memory += sizeof(type), bytes -= sizeof(type);                        \
        if (sizeof(type) < 8) break;                                                               \
    }
ALWAYS_INLINE void memory_get(void *to, const void *from, size_t bytes) {
    char *own = to;
    const char *memory = from;
    while (bytes) {
#define GET(type)                                                                                  \
    MEMORY_PARTS(type, {                                                                           \
        type x = __atomic_load_n((const type *)(const void *)memory, __ATOMIC_ACQUIRE);            \
        memcpy(own, &x, sizeof x);                                                                 \
    })
        GET(uint64_t) GET(uint32_t) GET(uint16_t) GET(uint8_t)
#undef GET
    }
}
ALWAYS_INLINE void memory_put(void *to, const void *from, size_t bytes) {
    char *memory = to;
    const char *own = from;
    while (bytes) {
#define PUT(type)                                                                                  \
    MEMORY_PARTS(type, {                                                                           \
        type x;                                                                                    \
        memcpy(&x, own, sizeof x);                                                                 \
        __atomic_store_n((type *)(void *)memory, x, __ATOMIC_RELEASE);                             \
    })
        PUT(uint64_t) PUT(uint32_t) PUT(uint16_t) PUT(uint8_t)
#undef PUT
    }
}
#else
ALWAYS_INLINE void memory_get(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
ALWAYS_INLINE void memory_put(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
#endif

/* One narrow element, extended to 32 bits. */
ALWAYS_INLINE uint32_t load_element(const void *p, unsigned bytes, int is_signed) {
    if (bytes == 1) {
        uint8_t x;
        memory_get(&x, p, 1);
        return is_signed ? (uint32_t)(int8_t)x : x;
    }
    if (bytes == 2) {
        uint16_t x;
        memory_get(&x, p, 2);
        return is_signed ? (uint32_t)(int16_t)x : x;
    }
    uint32_t x;
    memory_get(&x, p, 4);
    return x;
}

ALWAYS_INLINE void store_element(void *p, uint32_t x, unsigned bytes) {
    memory_put(p, &x, bytes < 4 ? bytes : 4); /* little-endian host */
}

/* Four words that are one access where they are aligned: processors with AVX do not split it
 * (Intel SDM 3A 9.1.1, AMD APM 2 7.3.2). The volatile word is a vector, so compilers do not either.
 */
typedef uint32_t four_words __attribute__((vector_size(16)));
ALWAYS_INLINE int is_quad(const void *p) { return !((uintptr_t)p & 15); }
#ifdef __SANITIZE_THREAD__ /* which knows no atomic of 16 bytes: it does not look at these */
#define QUAD __attribute__((no_sanitize_thread, noinline, unused)) static
#else
#define QUAD ALWAYS_INLINE
#endif
QUAD void load_quad(uint32_t *x, const void *p) {
    four_words q = *(const volatile four_words *)p;
    memcpy(x, &q, 16);
}
QUAD void store_quad(void *p, const uint32_t *x) {
    four_words q;
    memcpy(&q, x, 16);
    *(volatile four_words *)p = q;
}
#undef QUAD

/* One lane's words. Pairs and fours are one access each: what another thread stores to an aligned
 * one is seen as a whole or not at all, which compilers rely on for 64-bit atomic loads, and CUB
 * for the states of its tiles, a word of 16 bytes. */
ALWAYS_INLINE void load_words(uint32_t *x, const char *p, unsigned bytes, int is_signed) {
    unsigned words = bytes < 4 ? 1 : bytes / 4, k = 0;
    if (bytes == 16 && likely(is_quad(p))) {
        load_quad(x, p);
        return;
    }
    for (; bytes % 8 == 0 && k + 2 <= words; k += 2) memory_get(&x[k], p + 4 * k, 8);
    for (; k < words; k++) x[k] = load_element(p + 4 * k, bytes, is_signed);
}

ALWAYS_INLINE void store_words(char *p, const uint32_t *x, unsigned bytes) {
    unsigned words = bytes < 4 ? 1 : bytes / 4, k = 0;
    if (bytes == 16 && likely(is_quad(p))) {
        store_quad(p, x);
        return;
    }
    for (; bytes % 8 == 0 && k + 2 <= words; k += 2) memory_put(p + 4 * k, &x[k], 8);
    for (; k < words; k++) store_element(p + 4 * k, x[k], bytes);
}

#endif
