/* The interpreter's shared shapes: decoded records, wave and workgroup state, and how a body reads
 * its operands.
 *
 * An instruction is decoded once into one or more 64-byte records; each names its C body. Bodies
 * run over the 32 lanes of a wave and continue with the next record (clang: guaranteed tail calls;
 * elsewhere a small loop). */
#ifndef CASS_EMU_INTERP_H
#define CASS_EMU_INTERP_H

#include "emulator/core.h"

#include <stdint.h>
#include <string.h>

#define LANES 32
#define VGPRS 256
#define TEMPS 16       /* vector temporaries behind v255, used by decoder-made records */
#define SGPR_SLOTS 336 /* 0..255 by operand number, 256.. junk written through NULL */
#define S_VCC 106
#define S_NULL 124
#define S_M0 125
#define S_EXEC 126
#define S_SHARED_BASE 235
#define S_PRIVATE_BASE 237
#define S_SCC 253
#define S_JUNK 272
#define TEMP0 256u

/* Aperture windows, high words; non-canonical on x86, so they never collide with a host address. */
#define APERTURE_LDS 0x10000000u
#define APERTURE_SCRATCH 0x20000000u

typedef struct wave wave_t;
typedef struct group group_t;
typedef struct op op_t;
typedef const op_t *(*handler_t)(wave_t *w, const op_t *o);

enum { SRC_VGPR = 0, SRC_SGPR = 1, SRC_CONST = 2 };
enum {
    F_CLAMP = 1,
    F_GLC = 2,
    F_CMPX = 4,     /* write EXEC only */
    F_SADDR = 8,    /* scalar base address present */
    F_VADDR = 16,   /* vector address present */
    F_COUNTED = 32, /* first record of its instruction */
    F_OFFEN = 64,
    F_IDXEN = 128
};

struct op {
    handler_t fn;
    uint32_t pc;  /* byte offset in the program text */
    uint32_t seq; /* instructions decoded before this one, for counting */
    uint16_t row; /* index of the opcode row */
    uint16_t d;   /* destination register (VGPR or SGPR number) */
    uint16_t sd;  /* scalar destination, or first data register of a store */
    uint16_t flags;
    uint8_t kinds;   /* SRC_* of source i in bits 2i..2i+1 */
    uint8_t hi;      /* 16-bit operands: source i in the high half (bit i), destination (bit 3) */
    uint16_t misc;   /* per body: modifiers, message, lane selectors */
    uint32_t off[3]; /* byte offset of source i in wave_t, or in this record for constants */
    uint64_t k[3];
};

#define BRANCH_TARGET(o) ((const op_t *)(uintptr_t)(o)->k[0])

enum { WAVE_READY, WAVE_BARRIER, WAVE_YIELD, WAVE_DONE, WAVE_FAULT };

typedef uint32_t vreg_t[LANES] __attribute__((aligned(128)));

struct wave {
    vreg_t v[VGPRS + TEMPS];
    uint32_t s[SGPR_SLOTS];
    uint64_t count_bias; /* instructions executed = count_bias + seq of the next record */
    uint64_t stop_at;    /* yield when the count passes this */
    uint32_t fp_special; /* FP_*: set when MODE is not round-to-nearest with denormals */
    uint32_t mode;
    uint32_t saved_exec; /* EXEC outside a DPP instruction */
    uint8_t *lds;
    uint8_t *lds_written;    /* lds_check.h; NULL outside checking mode */
    struct lds_race *race;   /* lds_race.h; NULL: not looked for */
    struct pending *pending; /* pending.h; NULL: results come at once */
    uint32_t lds_bytes;
    uint32_t scratch_bytes; /* per lane */
    uint8_t *scratch;       /* dword i of lane l at 4 * (32 * i + l) */
    const op_t *next;
    group_t *group;
    struct emu_program *program;
    uint64_t code; /* host address of the program's text */
    uint32_t state;
    uint32_t index;        /* in the workgroup */
    uint64_t executed;     /* instructions, valid outside the interpreter */
    uint32_t resume_pc;    /* where translated code left */
    uint32_t record;       /* of a unit: where translated code goes on; NO_RECORD: nowhere */
    const op_t *record_of; /* the `next` that `record` belongs to */
    const void *record_in; /* and the translated code */
    uint64_t scratch_room;
    wave_t *free_next;
};

enum { FP_F32 = 1, FP_F64 = 2 };
#define NO_RECORD 0xffffffffu

struct native_kernel;
struct group {
    const emu_launch *launch;
    struct native_kernel *kernel; /* for the second back end; NULL: interpreted only */
    uint32_t id[3];
    uint32_t wave_count;
    uint32_t waiting, done;
    uint32_t capacity; /* waves allocated */
    wave_t **waves;
    uint8_t *lds, *lds_written;
    struct lds_race *race;
    struct memory_race *memory; /* memory_race.h; NULL: not looked for */
    uint64_t acquired, met;     /* its ticks: behind everything, behind the group's own */
    struct pending *pending;    /* of all waves */
    emu_fault fault;            /* of the first wave that faulted */
    uint32_t faulted;
    uint32_t slept;      /* a wave yielded on purpose in this round */
    uint32_t one_pass;   /* translated code does not begin again with the first wave */
    uint64_t reported;   /* instructions that the second back end was told of */
    uint64_t translated; /* instructions that it ran */
};

/* ---- continuing ---- */
#if defined(__has_attribute) && !defined(EMU_NATIVE)
#if __has_attribute(musttail)
#define TAIL __attribute__((musttail)) return
#define EMU_MUSTTAIL 1
#endif
#endif
#ifdef EMU_MUSTTAIL
#define GO(next) TAIL(next)->fn(w, (next))
#else
#define GO(next) return (next)
#endif
#define NEXT GO(o + 1)

#define EMU_CAT2(a, b) a##b
#define EMU_CAT(a, b) EMU_CAT2(a, b)
#ifndef EMU_VARIANT
#define EMU_VARIANT v2
#endif
#define BODY_NAME(name) EMU_CAT(EMU_CAT(emu_, EMU_VARIANT), _##name)
/* A body: also declares its prototype, which -Wmissing-prototypes asks for. Files with EMU_SHARED
 * are compiled once and serve every variant under a second name; where their code is SSE
 * (EMU_SHARED_SSE), after vzeroupper: behind the other variants' AVX each change between the two
 * costs some hundred cycles on processors that keep the upper halves. In translated code
 * (native_emit.c) a body is inlined where its record is known, so that everything the record says
 * folds away. */
#if defined(EMU_NATIVE)
#define HANDLER(name) ALWAYS_INLINE const op_t *BODY_NAME(name)(wave_t * w, const op_t *o)
#elif defined(EMU_SHARED_SSE) && defined(__x86_64__)
#ifdef EMU_MUSTTAIL
#define EMU_PASS_ON(call) TAIL call
#else
#define EMU_PASS_ON(call) return call
#endif
#define EMU_BEHIND_AVX(variant, name)                                                              \
    const op_t *emu_##variant##_##name(wave_t *w, const op_t *o);                                  \
    const op_t *emu_##variant##_##name(wave_t *w, const op_t *o) {                                 \
        __asm__ volatile("vzeroupper");                                                            \
        EMU_PASS_ON(emu_v2_##name(w, o));                                                          \
    }
#define HANDLER(name)                                                                              \
    const op_t *emu_v2_##name(wave_t *w, const op_t *o);                                           \
    EMU_BEHIND_AVX(v3, name)                                                                       \
    EMU_BEHIND_AVX(v4, name)                                                                       \
    const op_t *emu_v2_##name(wave_t *w, const op_t *o)
#elif defined(EMU_SHARED) || defined(EMU_SHARED_SSE)
#define EMU_TEXT2(x) #x
#define EMU_TEXT(x) EMU_TEXT2(x)
#define HANDLER(name)                                                                              \
    const op_t *emu_v2_##name(wave_t *w, const op_t *o);                                           \
    const op_t *emu_v3_##name(wave_t *w, const op_t *o)                                            \
        __attribute__((alias(EMU_TEXT(emu_v2_##name))));                                           \
    const op_t *emu_v4_##name(wave_t *w, const op_t *o)                                            \
        __attribute__((alias(EMU_TEXT(emu_v2_##name))));                                           \
    const op_t *emu_v2_##name(wave_t *w, const op_t *o)
#else
#define HANDLER(name)                                                                              \
    const op_t *BODY_NAME(name)(wave_t * w, const op_t *o);                                        \
    const op_t *BODY_NAME(name)(wave_t * w, const op_t *o)
#endif

/* One copy: for bodies whose cost is elsewhere, to keep the build short. */
#if defined(EMU_NATIVE)
#define OUT_OF_LINE ALWAYS_INLINE
#elif defined(__clang__)
#define OUT_OF_LINE __attribute__((noinline)) static
#else
#define OUT_OF_LINE __attribute__((noinline, noclone)) static
#endif

/* Translated code has a copy of each loop for waves of which every lane is active; elsewhere a
 * branch on EXEC would cost more to compile than it saves. */
#ifdef EMU_NATIVE
#define ALL_ACTIVE(exec) (__builtin_constant_p(exec) && (exec) == ~0u)
#else
#define ALL_ACTIVE(exec) likely((exec) == ~0u)
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Records the fault, ends the wave, and returns the null record that leaves the interpreter.
 * Translated code only leaves: the interpreter then repeats the instruction and reports. */
#ifdef EMU_NATIVE
#define emu_raise(w, o, status, lane, address, what) ((const op_t *)0)
#else
const op_t *emu_raise(wave_t *w, const op_t *o, emu_status status, unsigned lane, uint64_t address,
                      const char *what) __attribute__((cold));
/* What it records, without an end of the wave. */
void emu_describe_fault(const wave_t *w, const op_t *o, emu_status status, unsigned lane,
                        uint64_t address, const char *what, emu_fault *fault);
#endif

/* ---- operands ---- */
#define EXEC (w->s[S_EXEC])
#define SCC (w->s[S_SCC])

ALWAYS_INLINE unsigned src_kind(const op_t *o, int i) {
    return (unsigned)(o->kinds >> (2 * i)) & 3u;
}

ALWAYS_INLINE const void *src_scalar(const wave_t *w, const op_t *o, int i) {
    return (src_kind(o, i) == SRC_CONST ? (const char *)o : (const char *)w) + o->off[i];
}

ALWAYS_INLINE uint32_t s32(const wave_t *w, const op_t *o, int i) {
    uint32_t x;
    memcpy(&x, src_scalar(w, o, i), 4);
    return x;
}

ALWAYS_INLINE uint64_t s64(const wave_t *w, const op_t *o, int i) {
    uint64_t x;
    memcpy(&x, src_scalar(w, o, i), 8);
    return x;
}

ALWAYS_INLINE void set_s64(wave_t *w, unsigned index, uint64_t value) {
    memcpy(&w->s[index], &value, 8);
}

/* ---- shared services ---- */
typedef struct {
    const char *name, *body;
    uint8_t encoding, destination, sources[3], source_count, ulp;
    uint8_t refused;
    uint16_t opcode;
} emu_row;
extern const emu_row emu_rows[];
extern const unsigned emu_row_count;

/* Handlers of one build variant, in row order. */
typedef struct {
    const char *name;
    const handler_t *handlers;
    const op_t *(*run)(wave_t *w, const op_t *o);
    const struct native_access *access; /* for translated code */
} emu_variant;
const emu_variant *emu_selected_variant(void);

/* Address checks. A range of up to 4096 bytes. */
int emu_range_ok_slow(uint64_t address, uint32_t bytes);
ALWAYS_INLINE int range_ok(uint64_t address, uint32_t bytes) {
    uint64_t d = address - (uint64_t)(uintptr_t)emu_space.base;
    if (likely(d < emu_space.size && emu_space.size - d >= bytes && emu_space.page_ok[d >> 12] &&
               emu_space.page_ok[(d + bytes - 1) >> 12]))
        return 1;
    return emu_range_ok_slow(address, bytes);
}

/* The record for a code address; decodes when it was never seen. NULL: outside the text or
 * misaligned. */
#ifdef EMU_NATIVE
static const op_t *native_at(uint64_t offset);
#else
const op_t *emu_program_at(struct emu_program *program, uint64_t pc);
#endif
/* The same for a kernel's first instruction; remembers that it is one. */
const op_t *emu_program_entry(struct emu_program *program, uint64_t pc);
uint64_t emu_program_base(const struct emu_program *program);
uint32_t emu_program_word(const struct emu_program *program, uint32_t offset); /* 0 outside */

void emu_mode_changed(wave_t *w);

/* wave.c: prepares group `id` for its first instruction; the group's memory is kept between uses.
 */
group_t *emu_group_create(const emu_launch *launch);
void emu_group_destroy(group_t *group);
void emu_group_start(group_t *group, uint64_t linear_id, const op_t *entry);
/* Runs every runnable wave for up to `quantum` instructions each; 1 when the group has ended (or
 * faulted). */
int emu_group_round(group_t *group, uint64_t quantum);

#endif
