/* Read-modify-write operations, one list for LDS, device memory and buffers. Source: AMD RDNA3 ISA
 * pseudocode. */
#ifndef CASS_EMU_ATOMIC_OPS_H
#define CASS_EMU_ATOMIC_OPS_H

#include <stdint.h>

enum {
    RMW_SWAP,
    RMW_ADD,
    RMW_SUB,
    RMW_RSUB,
    RMW_CSUB,
    RMW_MIN_I,
    RMW_MIN_U,
    RMW_MAX_I,
    RMW_MAX_U,
    RMW_AND,
    RMW_OR,
    RMW_XOR,
    RMW_INC,
    RMW_DEC,
    RMW_CMPSWAP,
    RMW_CMPSWAP_F,
    RMW_MIN_F,
    RMW_MAX_F,
    RMW_ADD_F, /* the next three flush denormals: of the addends, of the sum, of both */
    RMW_ADD_F_INPUTS,
    RMW_ADD_F_RESULT,
    RMW_ADD_F_ALL,
    RMW_MSKOR,
    RMW_WRAP
};

/* X(name, operation, bytes) for every operation that memory instructions offer. */
#define MEMORY_ATOMICS(X)                                                                          \
    X(swap_b32, RMW_SWAP, 4)                                                                       \
    X(cmpswap_b32, RMW_CMPSWAP, 4)                                                                 \
    X(add_u32, RMW_ADD, 4)                                                                         \
    X(sub_u32, RMW_SUB, 4)                                                                         \
    X(min_i32, RMW_MIN_I, 4)                                                                       \
    X(min_u32, RMW_MIN_U, 4)                                                                       \
    X(max_i32, RMW_MAX_I, 4)                                                                       \
    X(max_u32, RMW_MAX_U, 4)                                                                       \
    X(and_b32, RMW_AND, 4)                                                                         \
    X(or_b32, RMW_OR, 4)                                                                           \
    X(xor_b32, RMW_XOR, 4)                                                                         \
    X(inc_u32, RMW_INC, 4)                                                                         \
    X(dec_u32, RMW_DEC, 4)                                                                         \
    X(swap_b64, RMW_SWAP, 8)                                                                       \
    X(cmpswap_b64, RMW_CMPSWAP, 8)                                                                 \
    X(add_u64, RMW_ADD, 8)                                                                         \
    X(sub_u64, RMW_SUB, 8)                                                                         \
    X(min_i64, RMW_MIN_I, 8)                                                                       \
    X(min_u64, RMW_MIN_U, 8)                                                                       \
    X(max_i64, RMW_MAX_I, 8)                                                                       \
    X(max_u64, RMW_MAX_U, 8)                                                                       \
    X(and_b64, RMW_AND, 8)                                                                         \
    X(or_b64, RMW_OR, 8)                                                                           \
    X(xor_b64, RMW_XOR, 8)                                                                         \
    X(inc_u64, RMW_INC, 8)                                                                         \
    X(dec_u64, RMW_DEC, 8)                                                                         \
    X(cmpswap_f32, RMW_CMPSWAP_F, 4)                                                               \
    X(min_f32, RMW_MIN_F, 4)                                                                       \
    X(max_f32, RMW_MAX_F, 4)                                                                       \
    X(add_f32, RMW_ADD_F_ALL, 4)

/* What LDS does for `operation`: memory flushes denormals of float sums, LDS does as MODE says,
 * whose bits 4 and 5 let those of addends and sums through. Source: AMD RDNA3 ISA, 13.2. */
static inline unsigned emu_rmw_in_lds(unsigned operation, uint32_t mode) {
    return operation == RMW_ADD_F_ALL ? RMW_ADD_F + (~mode >> 4 & 3) : operation;
}

/* The new value. a: first data operand; b: second (the comparand of cmpswap, the OR bits of mskor).
 */
uint64_t emu_rmw_value(unsigned operation, unsigned bytes, uint64_t old, uint64_t a, uint64_t b);

/* Host-atomic on naturally aligned `p`; returns the old value. */
uint64_t emu_rmw_atomic(unsigned operation, unsigned bytes, void *p, uint64_t a, uint64_t b);

/* Not atomic: for LDS and scratch, which only one host thread touches. */
uint64_t emu_rmw_plain(unsigned operation, unsigned bytes, void *p, uint64_t a, uint64_t b);

#endif
