// Jacobi iteration on pitched memory in one cooperative launch: grid barriers between sweeps, fused
// operations so bits agree.
// features: grid_sync, cooperative_groups, pitched, copy_2d, double, occupancy
#include "../common.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ __host__ inline double relaxed(double left, double right, double up, double down) {
    return 0.25 * ((left + right) + (up + down)); // no product feeds a sum: nothing to contract
}

__global__ void jacobi(char *a, char *b, size_t pitch, int width, int height, int sweeps) {
    cg::grid_group grid = cg::this_grid();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int i = (int)grid.thread_rank(); i < (width - 2) * (height - 2);
             i += (int)grid.size()) {
            int x = 1 + i % (width - 2), y = 1 + i / (width - 2);
            const double *row = (const double *)(a + y * pitch),
                         *up = (const double *)(a + (y - 1) * pitch);
            ((double *)(b + y * pitch))[x] =
                relaxed(row[x - 1], row[x + 1], up[x], ((const double *)(a + (y + 1) * pitch))[x]);
        }
        grid.sync();
        char *held = a;
        a = b, b = held;
    }
}

int main() {
    int width = 33, height = 29, sweeps = 20, resident = 0;
    std::vector<double> field(width * height), next;
    for (int x = 0; x < width; ++x)
        field[x] = x * (width - 1 - x), field[(height - 1) * width + x] = -3.0 * x;
    next = field;
    char *a, *b;
    size_t pitch;
    CHECK(cudaMallocPitch(&a, &pitch, width * sizeof(double), height));
    CHECK(cudaMallocPitch(&b, &pitch, width * sizeof(double), height));
    for (char *m : {a, b})
        CHECK(cudaMemcpy2D(m, pitch, field.data(), width * sizeof(double), width * sizeof(double),
                           height, cudaMemcpyHostToDevice));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, jacobi, 128, 0));
    void *arguments[] = {&a, &b, &pitch, &width, &height, &sweeps};
    CHECK(cudaLaunchCooperativeKernel((const void *)jacobi, dim3(4), dim3(128), arguments, 0,
                                      nullptr));
    finish();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int y = 1; y < height - 1; ++y)
            for (int x = 1; x < width - 1; ++x)
                next[y * width + x] =
                    relaxed(field[y * width + x - 1], field[y * width + x + 1],
                            field[(y - 1) * width + x], field[(y + 1) * width + x]);
        field.swap(next);
    }
    std::vector<double> got(field.size());
    CHECK(cudaMemcpy2D(got.data(), width * sizeof(double), a, pitch, width * sizeof(double), height,
                       cudaMemcpyDeviceToHost));
    std::printf("a block fits: %s, field[5][16]=%.6f\n", resident > 0 ? "yes" : "no",
                got[5 * width + 16]);
    print_digest("field", got);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return verdict("jacobi_grid", count_different(got, field));
}
