// The FHP lattice gas: collisions by a look-up table in constant memory that the device computed,
// bits move on a hexagonal grid.
// features: constant, bit_intrinsics, switch, device_variable, to_symbol, from_symbol
#include "../common.h"

constexpr int kWidth = 64, kHeight = 40;
__constant__ unsigned char collide[64];
__device__ unsigned char made[64];

__host__ __device__ inline unsigned char collision(unsigned s) {
    switch (s) {
    case 0b001001:
        return 0b010010;
    case 0b010010:
        return 0b100100;
    case 0b100100:
        return 0b001001;
    case 0b010101:
        return 0b101010;
    case 0b101010:
        return 0b010101;
    case 0b011011:
        return 0b110110;
    case 0b110110:
        return 0b101101;
    case 0b101101:
        return 0b011011;
    default:
        return (unsigned char)s;
    }
}

__global__ void make_table() { made[threadIdx.x] = collision(threadIdx.x); }

__host__ __device__ inline unsigned char step(const unsigned char *cells,
                                              const unsigned char *table, int x, int y) {
    const int dx_even[6] = {1, 0, -1, -1, -1, 0}, dx_odd[6] = {1, 1, 0, -1, 0, 1},
              dy[6] = {0, 1, 1, 0, -1, -1};
    unsigned in = 0;
    for (int k = 0; k < 6; ++k) {
        int from_y = (y - dy[k] + kHeight) % kHeight;
        int from_x = (x - (from_y % 2 ? dx_odd[k] : dx_even[k]) + kWidth) % kWidth;
        in |= cells[from_y * kWidth + from_x] & (1u << k);
    }
    return table[in];
}

__global__ void advance(const unsigned char *in, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kWidth * kHeight) out[i] = step(in, collide, i % kWidth, i / kWidth);
}

__global__ void mass(const unsigned char *cells, int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kWidth * kHeight) atomicAdd(total, __popc(cells[i]));
}

int main() {
    unsigned char table[64];
    make_table<<<1, 64>>>();
    CHECK(cudaMemcpyFromSymbol(table, made, sizeof table));
    CHECK(cudaMemcpyToSymbol(collide, table, sizeof table));
    std::vector<unsigned char> cells(kWidth * kHeight), next(cells.size());
    Random random(58);
    int before = 0;
    for (unsigned char &c : cells)
        c = (unsigned char)(random.below(64) & random.below(64)), before += __builtin_popcount(c);
    Device<unsigned char> a(cells), b(cells.size());
    Device<int> total(1);
    for (int k = 0; k < 10; ++k) {
        advance<<<20, 128>>>(k % 2 ? b : a, k % 2 ? a : b);
        for (int i = 0; i < kWidth * kHeight; ++i)
            next[i] = step(cells.data(), table, i % kWidth, i / kWidth);
        cells.swap(next);
    }
    mass<<<20, 128>>>(a, total);
    finish();
    std::printf("mass before %d, after %d\n", before, total.get()[0]);
    print_digest("cells", a.get());
    return verdict("lattice_gas", count_different(a.get(), cells) + (total.get()[0] != before));
}
