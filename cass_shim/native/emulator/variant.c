/* Chooses the build variant for this CPU once, and the float environment that MODE asks for. */
#include "emulator/memory_ops.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern const emu_variant emu_variant_v2, emu_variant_v3, emu_variant_v4;

const uint32_t emu_lane_bit[LANES] __attribute__((aligned(128))) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

const uint32_t emu_lane_bytes[LANES] __attribute__((aligned(128))) = {
    0,  4,  8,  12, 16, 20, 24, 28, 32, 36,  40,  44,  48,  52,  56,  60,
    64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};

static const emu_variant *selected;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
#include <cpuid.h>
/* The x86-64 level of the CPU: 2, 3 or 4 (x86-64 psABI). Asked of the CPU itself: zig's runtime
 * does not fill in what __builtin_cpu_supports reads. */
static int cpu_level(void) {
    unsigned a, b, c, d, low, high, extended;
    const unsigned needed = bit_FMA | bit_OSXSAVE | bit_AVX | bit_F16C;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & needed) != needed) return 2;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 2; /* the system saves the upper halves */
    const unsigned more = bit_AVX2 | bit_BMI | bit_BMI2;
    if (!__get_cpuid_count(7, 0, &a, &extended, &c, &d) || (extended & more) != more) return 2;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & 1u << 5)) return 2; /* LZCNT */
    const unsigned wide = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
    return (extended & wide) == wide && (low & 0xe0) == 0xe0 ? 4 : 3;
}
#else
static int cpu_level(void) { return 2; }
#endif

/* CASS_EMU_CPU=v2 or v3 keeps a build for older processors, for tests and measurements. */
static void choose(void) {
    const emu_variant *const builds[] = {&emu_variant_v2, &emu_variant_v3, &emu_variant_v4};
    const char *wanted = getenv("CASS_EMU_CPU");
    int level = cpu_level();
    if (wanted && wanted[0] == 'v' && wanted[1] >= '2' && wanted[1] - '0' < level)
        level = wanted[1] - '0';
    selected = builds[level - 2];
}

const emu_variant *emu_selected_variant(void) {
    pthread_once(&once, choose);
    return selected;
}

/* MODE: bits 0-1 rounding of f32, 2-3 of f64 and f16; bits 4-5 subnormals of f32 (inputs, outputs),
 * 6-7 of the others. Zero rounding and both subnormal bits set is the host's default environment.
 */
void emu_mode_changed(wave_t *w) {
    w->fp_special = 0;
    if ((w->mode & 3) || (w->mode >> 4 & 3) != 3) w->fp_special |= FP_F32;
    if ((w->mode >> 2 & 3) || (w->mode >> 6 & 3) != 3) w->fp_special |= FP_F64;
}

#if defined(__SSE2__)
#include <immintrin.h>
#define CSR_DAZ 0x40u
#define CSR_FTZ 0x8000u
#define CSR_ROUNDING 0x6000u
uint32_t emu_fp_begin(const wave_t *w, uint32_t kind) {
    static const uint32_t rounding[4] = {0, 0x4000, 0x2000, 0x6000}; /* nearest, up, down, zero */
    unsigned shift = kind == FP_F32 ? 0 : 2;
    uint32_t old = _mm_getcsr(), csr = old & ~(CSR_DAZ | CSR_FTZ | CSR_ROUNDING);
    unsigned denormals = w->mode >> (4 + shift) & 3;
    csr |= rounding[w->mode >> shift & 3];
    csr |= (denormals & 1 ? 0 : CSR_DAZ) | (denormals & 2 ? 0 : CSR_FTZ);
    _mm_setcsr(csr);
    return old | 1u << 31;
}
void emu_fp_end(uint32_t saved) { _mm_setcsr(saved & 0xffffu); }
#else
/* Hosts without SSE: rounding only; subnormals are kept. */
uint32_t emu_fp_begin(const wave_t *w, uint32_t kind) {
    static const int rounding[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int old = fegetround();
    fesetround(rounding[w->mode >> (kind == FP_F32 ? 0 : 2) & 3]);
    return (uint32_t)old | 1u << 31;
}
void emu_fp_end(uint32_t saved) { fesetround((int)(saved & 0x7fffffffu)); }
#endif

/* Nonzero while a test entry (run_asm.c) runs code on plain host memory. */
extern atomic_int emu_trust_host;
atomic_int emu_trust_host;

/* The slow half of range_ok: registered host memory, or an access across pages. */
int emu_range_ok_slow(uint64_t address, uint32_t bytes) {
    uint64_t d = address - (uint64_t)(uintptr_t)emu_space.base;
    if (d < emu_space.size && emu_space.size - d >= bytes) {
        uint64_t last = (d + bytes - 1) >> 12;
        uint64_t page = d >> 12;
        while (page <= last && emu_space.page_ok[page]) page++;
        if (page > last) return 1;
    }
    if (atomic_load_explicit(&emu_trust_host, memory_order_relaxed)) return 1;
    return address + bytes >= address && emu_foreign_ok(address, bytes);
}
