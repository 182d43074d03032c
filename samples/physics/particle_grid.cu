// Particles binned into cells by atomics, then neighbour search in 3x3 cells; positions are
// fixed-point integers.
// features: atomic_int, shared_static, struct_param, local_array, launch_2d
#include "../common.h"

struct Grid {
    int cells, capacity, reach;
};
struct Particle {
    int x, y;
};
constexpr int kCellBits = 8;

__global__ void bin(const Particle *particles, int n, Grid grid, int *counts, int *members) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell = (particles[i].y >> kCellBits) * grid.cells + (particles[i].x >> kCellBits);
    int slot = atomicAdd(&counts[cell], 1);
    if (slot < grid.capacity) members[cell * grid.capacity + slot] = i;
}

__global__ void contacts(const Particle *particles, Grid grid, const int *counts,
                         const int *members, int *touching) {
    int cx = blockIdx.x, cy = blockIdx.y;
    __shared__ int own;
    if (threadIdx.x == 0) own = min(counts[cy * grid.cells + cx], grid.capacity);
    __syncthreads();
    if ((int)threadIdx.x >= own) return;
    int i = members[(cy * grid.cells + cx) * grid.capacity + threadIdx.x], found[4] = {};
    for (int y = max(cy - 1, 0); y <= min(cy + 1, grid.cells - 1); ++y)
        for (int x = max(cx - 1, 0); x <= min(cx + 1, grid.cells - 1); ++x)
            for (int k = 0; k < min(counts[y * grid.cells + x], grid.capacity); ++k) {
                int j = members[(y * grid.cells + x) * grid.capacity + k];
                int dx = particles[j].x - particles[i].x, dy = particles[j].y - particles[i].y;
                if (j != i && dx * dx + dy * dy < grid.reach * grid.reach)
                    ++found[(dx > 0 ? 1 : 0) + (dy > 0 ? 2 : 0)];
            }
    touching[i] = found[0] | found[1] << 8 | found[2] << 16 | found[3] << 24;
}

int main() {
    const int n = 600, cells = 10;
    Grid grid{cells, 32, 180};
    Random random(57);
    std::vector<Particle> particles(n);
    for (Particle &p : particles)
        p = {(int)random.below(cells << kCellBits), (int)random.below(cells << kCellBits)};
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int dx = particles[j].x - particles[i].x, dy = particles[j].y - particles[i].y;
            if (j != i && dx * dx + dy * dy < grid.reach * grid.reach)
                expected[i] += 1 << 8 * ((dx > 0 ? 1 : 0) + (dy > 0 ? 2 : 0));
        }
    Device<Particle> dparticles(particles);
    Device<int> counts(cells * cells), members(cells * cells * grid.capacity), touching(n);
    bin<<<5, 128>>>(dparticles, n, grid, counts, members);
    contacts<<<dim3(cells, cells), grid.capacity>>>(dparticles, grid, counts, members, touching);
    finish();
    std::vector<int> full = counts.get();
    std::printf("fullest cell: %d\n", *std::max_element(full.begin(), full.end()));
    print_digest("contacts", touching.get());
    return verdict("particle_grid", count_different(touching.get(), expected));
}
