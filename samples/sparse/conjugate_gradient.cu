// Conjugate gradients on a 1-D Laplacian in double precision; the whole iteration is one
// cooperative kernel with grid barriers.
// features: grid_sync, cooperative_groups, double, atomic_double, device_properties
#include "../common.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

struct System {
    const double *b;
    double *x, *r, *p, *q, *dots;
    int n, steps;
};

__device__ void add_dot(const double *a, const double *b, int n, double *out) {
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void solve(System s) {
    cg::grid_group grid = cg::this_grid();
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = first; i < s.n; i += stride) s.x[i] = 0, s.r[i] = s.p[i] = s.b[i];
    grid.sync();
    add_dot(s.r, s.r, s.n, &s.dots[0]);
    grid.sync();
    for (int step = 0; step < s.steps; ++step) {
        double *old = &s.dots[2 * step], *curvature = old + 1, *now = old + 2;
        for (int i = first; i < s.n; i += stride)
            s.q[i] = 2.5 * s.p[i] - (i ? s.p[i - 1] : 0.0) - (i + 1 < s.n ? s.p[i + 1] : 0.0);
        grid.sync();
        add_dot(s.p, s.q, s.n, curvature);
        grid.sync();
        double alpha = *old / *curvature;
        for (int i = first; i < s.n; i += stride)
            s.x[i] += alpha * s.p[i], s.r[i] -= alpha * s.q[i];
        grid.sync();
        add_dot(s.r, s.r, s.n, now);
        grid.sync();
        double beta = *now / *old;
        for (int i = first; i < s.n; i += stride) s.p[i] = s.r[i] + beta * s.p[i];
        grid.sync();
    }
}

int main() {
    const int n = 300, steps = 40;
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    std::printf("cooperative launch: %s\n", supported ? "yes" : "no");
    Random random(53);
    std::vector<double> solution(n), b(n);
    for (double &v : solution) v = random.unit() - 0.5;
    for (int i = 0; i < n; ++i)
        b[i] = 2.5 * solution[i] - (i ? solution[i - 1] : 0) - (i + 1 < n ? solution[i + 1] : 0);
    Device<double> db(b), x(n), r(n), p(n), q(n), dots(2 * steps + 2);
    System system{db, x, r, p, q, dots, n, steps};
    void *arguments[] = {&system};
    CHECK(cudaLaunchCooperativeKernel((const void *)solve, dim3(3), dim3(128), arguments, 0,
                                      nullptr));
    finish();
    std::vector<double> got = x.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += !close_to(got[i], solution[i], 1e-9);
    std::printf("x[7]=%.6f, residual below 1e-18: %s\n", got[7],
                dots.get()[2 * steps] < 1e-18 ? "yes" : "no");
    return verdict("conjugate_gradient", wrong);
}
