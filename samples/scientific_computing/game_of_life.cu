// Life on packed words, 32 cells at once by carry-save addition; generations in mapped host memory,
// three-dimensional copies.
// features: mapped, bit_intrinsics, copy_3d
#include "../common.h"

constexpr int kWords = 3, kHeight = 60, kSteps = 12; // 96 cells wide, a torus

__host__ __device__ inline unsigned next_word(const unsigned *cells, int w, int y) {
    unsigned ones = 0, twos = 0, fours = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned *row = cells + (y + dy + kHeight) % kHeight * kWords;
        unsigned self = row[w], left = row[(w + kWords - 1) % kWords],
                 right = row[(w + 1) % kWords];
        unsigned around[3] = {self << 1 | left >> 31, self >> 1 | right << 31, self};
        for (int k = 0; k < (dy ? 3 : 2); ++k) {
            unsigned carry = ones & around[k];
            ones ^= around[k];
            unsigned high = twos & carry;
            twos ^= carry;
            fours |= high;
        }
    }
    return twos & ~fours & (ones | cells[y * kWords + w]);
}

__global__ void generation(const unsigned *in, unsigned *out, unsigned *population) {
    int w = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    unsigned word = next_word(in, w, y);
    out[y * kWords + w] = word;
    atomicAdd(population, (unsigned)__popc(word));
}

int main() {
    unsigned *host, *view;
    CHECK(cudaHostAlloc(&host, (kSteps + 1) * sizeof(unsigned), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&view, host, 0));
    std::memset(host, 0, (kSteps + 1) * sizeof(unsigned));
    Random random(77);
    std::vector<unsigned> cells(kWords * kHeight), next(cells.size());
    for (unsigned &c : cells) c = (unsigned)random.next() & (unsigned)random.next();
    Device<unsigned> a(cells), b(cells.size()), history(cells.size() * kSteps);
    long wrong = 0;
    for (int step = 0; step < kSteps; ++step) {
        unsigned *from = step % 2 ? b : a, *to = step % 2 ? a : b, population = 0;
        generation<<<kHeight / 4, dim3(kWords, 4)>>>(from, to, view + step);
        cudaMemcpy3DParms keep = {}; // one plane of the history
        keep.srcPtr = make_cudaPitchedPtr(to, kWords * sizeof(unsigned), kWords, kHeight);
        keep.dstPtr = make_cudaPitchedPtr(history, kWords * sizeof(unsigned), kWords, kHeight);
        keep.dstPos = make_cudaPos(0, 0, step);
        keep.extent = make_cudaExtent(kWords * sizeof(unsigned), kHeight, 1);
        keep.kind = cudaMemcpyDeviceToDevice;
        CHECK(cudaMemcpy3D(&keep));
        finish();
        for (int y = 0; y < kHeight; ++y)
            for (int w = 0; w < kWords; ++w) {
                next[y * kWords + w] = next_word(cells.data(), w, y);
                population += __builtin_popcount(next[y * kWords + w]);
            }
        cells.swap(next);
        wrong += host[step] != population;
    }
    std::printf("population %u, then %u\n", host[0], host[kSteps - 1]);
    std::vector<unsigned> all = history.get(), last(all.end() - (long)cells.size(), all.end());
    print_digest("history", all);
    CHECK(cudaFreeHost(host));
    return verdict("game_of_life", wrong + count_different(last, cells));
}
