/* Kernels whose results do not depend on the order in which waves and workgroups run, though they hand values to each
 * other in every way that programs do: barriers and two buffers of LDS, flags between waves, flags between workgroups,
 * tickets, locks, the barrier of a cooperative grid. Integers only. */
#define KERNEL extern "C" __attribute__((global)) void
#define SHARED __attribute__((shared)) static
#define TX __builtin_amdgcn_workitem_id_x()
#define BX __builtin_amdgcn_workgroup_id_x()
typedef unsigned u32;
enum { AGENT = 4, GROUP = 3 }; /* __HIP_MEMORY_SCOPE_* */

__attribute__((device)) static void meet(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__attribute__((device)) static u32 mix(u32 x) {
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

/* Two buffers by turns: a turn's tile is stored while the one before is read, by lanes of other waves. */
KERNEL tiles(const u32 *in, u32 *out, u32 turns) {
    SHARED u32 tile[2][256];
    u32 sum = TX;
    tile[0][TX] = in[BX * 256 + TX];
    for (u32 t = 0; t < turns; t++) {
        u32 next = in[(BX * 256 + TX + t * 61) & 4095];
        meet();
        tile[~t & 1][TX] = next + t;
        for (u32 k = 1; k < 200; k += 33) sum = sum * 5 + tile[t & 1][(TX + k) & 255];
    }
    out[BX * 256 + TX] = sum;
}

/* Waves of one group take turns of unequal length between barriers, some of them asleep. */
KERNEL uneven(const u32 *in, u32 *out, u32 turns) {
    SHARED u32 cell[8];
    u32 wave = __builtin_amdgcn_readfirstlane(TX >> 5), value = in[BX * 256 + TX];
    for (u32 t = 0; t < turns; t++) {
        for (u32 k = (wave * 7 + t) % 23; k; k--) value = mix(value + k);
        if ((wave + t) % 11 == 3) __builtin_amdgcn_s_sleep(1);
        u32 told = __builtin_amdgcn_readfirstlane(value);
        if ((TX & 31) == 0) cell[wave] = told;
        meet();
        value += cell[(wave + t) & 7];
        meet();
    }
    out[BX * 256 + TX] = value;
}

/* A token goes round the waves of a group by flags, without a barrier. */
KERNEL ring(const u32 *in, u32 *out, u32 turns) {
    SHARED u32 token, turn;
    u32 wave = __builtin_amdgcn_readfirstlane(TX >> 5), value = in[BX * 256 + TX];
    if (TX == 0) token = BX, turn = 0;
    meet();
    for (u32 t = wave; t < turns * 8; t += 8) {
        while (__hip_atomic_load(&turn, __ATOMIC_ACQUIRE, GROUP) != t) value = value * 1;
        u32 seen = token;
        value = mix(value + seen);
        u32 told = __builtin_amdgcn_readfirstlane(value);
        if ((TX & 31) == 0) {
            token = told;
            __hip_atomic_store(&turn, t + 1, __ATOMIC_RELEASE, GROUP);
        }
    }
    out[BX * 256 + TX] = value;
}

/* Groups by tickets; each waits for what the one before has published. */
KERNEL chain(const u32 *in, u32 *out, u32 *flags, u32 turns) {
    SHARED u32 mine, before;
    for (u32 t = 0; t < turns; t++) {
        if (TX == 0) mine = __hip_atomic_fetch_add(&flags[0], 1u, __ATOMIC_RELAXED, AGENT);
        meet();
        u32 id = mine, value = in[(id * 64 + TX) & 4095];
        if (TX == 0) {
            if (id) while (!__hip_atomic_load(&flags[id], __ATOMIC_ACQUIRE, AGENT));
            before = id ? out[id * 64 - 1] : 17;
        }
        meet();
        out[id * 64 + TX] = mix(value + before * (TX + 1));
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
        meet();
        if (TX == 0) __hip_atomic_store(&flags[id + 1], 1u, __ATOMIC_RELEASE, AGENT);
    }
}

/* Sums behind a lock, and tickets: how many lanes drew each is the result. */
KERNEL lock(const u32 *in, u32 *out, u32 *words, u32 turns) {
    for (u32 t = 0; t < turns; t++) {
        u32 drawn = __hip_atomic_fetch_add(&words[1], 1u, __ATOMIC_RELAXED, AGENT);
        __hip_atomic_fetch_add(&out[drawn & 1023], 1u, __ATOMIC_RELAXED, AGENT);
        if (TX) continue;
        u32 open = 0;
        while (!__hip_atomic_compare_exchange_strong(&words[0], &open, 1u, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, AGENT))
            open = 0;
        for (u32 k = 0; k < 8; k++) out[1024 + k] += in[(BX + k) & 4095] + t;
        __hip_atomic_store(&words[0], 0u, __ATOMIC_RELEASE, AGENT);
    }
}

/* A stencil in device memory, a barrier of the whole grid between its steps. */
KERNEL grid(const u32 *in, u32 *out, u32 *words, u32 turns, u32 groups) {
    u32 all = groups * 64, at = BX * 64 + TX;
    out[at] = in[at & 4095];
    for (u32 t = 0; t < turns; t++) {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
        meet();
        if (TX == 0) {
            __hip_atomic_fetch_add(&words[0], 1u, __ATOMIC_ACQ_REL, AGENT);
            while (__hip_atomic_load(&words[0], __ATOMIC_ACQUIRE, AGENT) < (t + 1) * groups);
        }
        meet();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
        const u32 *from = out + (t & 1) * all;
        u32 left = from[(at + all - 1) % all], right = from[(at + 97) % all];
        out[(~t & 1) * all + at] = mix(from[at] + left * 3 + right);
    }
}
