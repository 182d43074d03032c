/* The read-modify-write operations themselves. */
#include "emulator/atomic_ops.h"

#include <string.h>

static float f32_of(uint64_t x) {
    uint32_t u = (uint32_t)x;
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static double f64_of(uint64_t x) {
    double f;
    memcpy(&f, &x, 8);
    return f;
}
static uint64_t bits_of_f32(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static int less(unsigned bytes, uint64_t x, uint64_t y) {
    return bytes == 8 ? f64_of(x) < f64_of(y) : f32_of(x) < f32_of(y);
}
static int equal(unsigned bytes, uint64_t x, uint64_t y) {
    return bytes == 8 ? f64_of(x) == f64_of(y) : f32_of(x) == f32_of(y);
}
static int64_t widen(unsigned bytes, uint64_t x) { return bytes == 8 ? (int64_t)x : (int32_t)x; }

/* A denormal is the zero of its sign. */
static float flushed(float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}

/* flush: bit 0 for the addends, bit 1 for the sum. */
static uint64_t sum(unsigned flush, float a, float b) {
    float total = flush & 1 ? flushed(a) + flushed(b) : a + b;
    return bits_of_f32(flush & 2 ? flushed(total) : total);
}

/* Those of which a float is read, or two values are needed. */
static uint64_t other_value(unsigned operation, unsigned bytes, uint64_t old, uint64_t a,
                            uint64_t b) {
    switch (operation) {
    case RMW_CMPSWAP:
        return old == b ? a : old;
    case RMW_CMPSWAP_F:
        return equal(bytes, old, b) ? a : old;
    case RMW_MIN_F:
        return less(bytes, a, old) ? a : old;
    case RMW_MAX_F:
        return less(bytes, old, a) ? a : old;
    case RMW_ADD_F:
    case RMW_ADD_F_INPUTS:
    case RMW_ADD_F_RESULT:
    case RMW_ADD_F_ALL:
        return sum(operation - RMW_ADD_F, f32_of(old), f32_of(a));
    case RMW_MSKOR:
        return (old & ~a) | b;
    case RMW_WRAP:
        return old >= a ? old - a : old + b;
    default:
        return old;
    }
}

uint64_t emu_rmw_value(unsigned operation, unsigned bytes, uint64_t old, uint64_t a, uint64_t b) {
    switch (operation) {
    case RMW_SWAP:
        return a;
    case RMW_ADD:
        return old + a;
    case RMW_SUB:
        return old - a;
    case RMW_RSUB:
        return a - old;
    case RMW_CSUB:
        return old < a ? 0 : old - a;
    case RMW_MIN_I:
        return widen(bytes, a) < widen(bytes, old) ? a : old;
    case RMW_MAX_I:
        return widen(bytes, a) >= widen(bytes, old) ? a : old;
    case RMW_MIN_U:
        return a < old ? a : old;
    case RMW_MAX_U:
        return a >= old ? a : old;
    case RMW_AND:
        return old & a;
    case RMW_OR:
        return old | a;
    case RMW_XOR:
        return old ^ a;
    case RMW_INC:
        return old >= a ? 0 : old + 1;
    case RMW_DEC:
        return old == 0 || old > a ? a : old - 1;
    default:
        return other_value(operation, bytes, old, a, b);
    }
}

uint64_t emu_rmw_atomic(unsigned operation, unsigned bytes, void *p, uint64_t a, uint64_t b) {
    if (bytes == 4) {
        uint32_t *at = p;
        if (operation == RMW_ADD) return __atomic_fetch_add(at, (uint32_t)a, __ATOMIC_SEQ_CST);
        uint32_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST), next;
        do next = (uint32_t)emu_rmw_value(operation, 4, old, (uint32_t)a, (uint32_t)b);
        while (!__atomic_compare_exchange_n(at, &old, next, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        return old;
    }
    uint64_t *at = p;
    if (operation == RMW_ADD) return __atomic_fetch_add(at, a, __ATOMIC_SEQ_CST);
    uint64_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST), next;
    do next = emu_rmw_value(operation, 8, old, a, b);
    while (!__atomic_compare_exchange_n(at, &old, next, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}

uint64_t emu_rmw_plain(unsigned operation, unsigned bytes, void *p, uint64_t a, uint64_t b) {
    uint64_t old = 0;
    memcpy(&old, p, bytes);
    if (bytes == 4) a = (uint32_t)a, b = (uint32_t)b;
    uint64_t next = emu_rmw_value(operation, bytes, old, a, b);
    memcpy(p, &next, bytes);
    return old;
}
