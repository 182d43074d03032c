// The six workloads of `tools/bench emulator`, once for gfx1100 (HIP) and once for this CPU. A kernel is a body over one
// workgroup; ITEMS runs the statement after it for each of its work-items: on the CPU a loop that clang may vectorise.
// What stands between two ITEMS is a barrier where BARRIER says so. PER_ITEM values live across ITEMS.
#pragma once

#if defined(__HIP__)
#define KERNEL(name, ...) extern "C" __attribute__((global)) void name(__VA_ARGS__)
#define GROUP                                                                                      \
    const int group_x = __builtin_amdgcn_workgroup_id_x(), group_y = __builtin_amdgcn_workgroup_id_y(); \
    (void)group_y
#define SHARED __attribute__((shared))
#define ITEMS(count) if (const int item = __builtin_amdgcn_workitem_id_x(); item < (count))
#define BARRIER                                                                                    \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                         \
    __builtin_amdgcn_s_barrier();                                                                  \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#define PER_ITEM(type, name) type name[1] = {}
#define OF(name) name[0]
#define LOCAL_ADD(place, value) __hip_atomic_fetch_add(&(place), value, __ATOMIC_RELAXED, 2)
#define GLOBAL_ADD(place, value) __hip_atomic_fetch_add(&(place), value, __ATOMIC_RELAXED, 4)
#else
#define KERNEL(name, ...) static void name(int group_x, int group_y, __VA_ARGS__)
#define GROUP (void)group_y
#define SHARED
#define ITEMS(count) for (int item = 0; item < (count); item++)
#define BARRIER
#define PER_ITEM(type, name) type name[256] = {}
#define OF(name) name[item]
#define LOCAL_ADD(place, value) ((place) += (value))
#define GLOBAL_ADD(place, value) __atomic_fetch_add(&(place), value, __ATOMIC_RELAXED)
#endif

KERNEL(vadd, const float *a, const float *b, float *c, int n) {
    GROUP;
    ITEMS(256) {
        int i = group_x * 256 + item;
        if (i < n) c[i] = a[i] + b[i];
    }
}

KERNEL(matmul, const float *a, const float *b, float *c, int n) {
    GROUP;
    ITEMS(256) {
        int row = group_y * 16 + item / 16, column = group_x * 16 + item % 16;
        float sum = 0;
        for (int k = 0; k < n; k++) sum = __builtin_fmaf(a[row * n + k], b[k * n + column], sum);
        c[row * n + column] = sum;
    }
}

KERNEL(matmul_tiled, const float *a, const float *b, float *c, int n) {
    GROUP;
    SHARED float left[16][16], right[16][16];
    PER_ITEM(float, sum);
    for (int tile = 0; tile < n; tile += 16) {
        ITEMS(256) {
            left[item / 16][item % 16] = a[(group_y * 16 + item / 16) * n + tile + item % 16];
            right[item / 16][item % 16] = b[(tile + item / 16) * n + group_x * 16 + item % 16];
        }
        BARRIER;
        ITEMS(256) {
            float part = OF(sum);
            for (int k = 0; k < 16; k++) part = __builtin_fmaf(left[item / 16][k], right[k][item % 16], part);
            OF(sum) = part;
        }
        BARRIER;
    }
    ITEMS(256) c[(group_y * 16 + item / 16) * n + group_x * 16 + item % 16] = OF(sum);
}

KERNEL(alu, const float *a, const float *, float *c, int n) {
    GROUP;
    ITEMS(256) {
        float x = a[group_x * 256 + item], y = 0.5f;
        for (int k = 0; k < n; k++) {
            y = __builtin_fmaf(y, x, 0.25f);
            x = __builtin_fmaf(x, 0.999f, y * 0.001f);
        }
        c[group_x * 256 + item] = x + y;
    }
}

KERNEL(reduce, const float *a, const float *, float *c, int n) {
    GROUP;
    SHARED float part[256];
    for (int round = 0; round < n; round++) {
        ITEMS(256) part[item] = a[group_x * 256 + ((item + round) & 255)];
        BARRIER;
        for (int half = 128; half > 0; half /= 2) {
            ITEMS(half) part[item] += part[item + half];
            BARRIER;
        }
    }
    ITEMS(1) c[group_x] = part[0];
}

KERNEL(histogram, const float *a, const float *, float *c, int n) {
    GROUP;
    SHARED unsigned bins[256];
    const unsigned *words = (const unsigned *)a;
    ITEMS(256) bins[item] = 0;
    BARRIER;
    ITEMS(256) {
        for (int k = 0; k < n; k++) LOCAL_ADD(bins[(words[group_x * 256 + item] >> (k & 15)) & 255], 1u);
    }
    BARRIER;
    ITEMS(256) GLOBAL_ADD(((unsigned *)c)[item], bins[item]);
}

// name, groups x, groups y, the last argument
#define WORKLOADS(X)                                                                               \
    X(vadd, 4096, 1, 1 << 20)                                                                      \
    X(matmul, 16, 16, 256)                                                                         \
    X(matmul_tiled, 16, 16, 256)                                                                   \
    X(alu, 256, 1, 1000)                                                                           \
    X(reduce, 256, 1, 16)                                                                          \
    X(histogram, 256, 1, 64)

// Large enough for many threads to have something to do, and bound by no memory: `tools/bench threads`
#define LARGE_WORKLOADS(X)                                                                         \
    X(matmul, 64, 64, 1024)                                                                        \
    X(matmul_tiled, 64, 64, 1024)                                                                  \
    X(alu, 4096, 1, 500)                                                                           \
    X(reduce, 4096, 1, 256)                                                                        \
    X(histogram, 4096, 1, 256)
