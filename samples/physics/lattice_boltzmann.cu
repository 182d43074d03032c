// Flow of air past a cylinder in a channel, by the lattice Boltzmann method (D2Q9, BGK): populations
// in a structure of arrays that each cell pulls from its neighbours, walls and cylinder by bounce-
// back, an inlet that pushes, an outlet that copies. The device also gives mass, the drag and lift
// on the cylinder by momentum exchange, the fastest cell and a picture of the vorticity. The
// reference pushes populations of an array of structures; both round the same sums in the same
// order, so that every population agrees in every bit.
// features: several_kernels, constant, to_symbol, launch_2d, shared_static, streams, events,
//     shuffle, atomic_ull, atomic_uint, float_bits, int64, struct_param, template, division
#include "../common.h"
#include "../exact.h"

constexpr int kWidth = 80, kHeight = 40, kCells = kWidth * kHeight, kDirections = 9;
constexpr int kSteps = 48, kReportEvery = 16, kBlockX = 16, kBlockY = 8;
enum Kind : unsigned char { kFluid, kWall, kCylinder, kInlet, kOutlet };

// Directions: at rest, the four sides, the four corners.
static const int kStepX[kDirections] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int kStepY[kDirections] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int kBack[kDirections] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const float kShare[kDirections] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                                          1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
__constant__ int step_x[kDirections], step_y[kDirections], back[kDirections];
__constant__ float share[kDirections];

struct Flow {
    float relaxation; // 1 / tau
    float inlet;      // speed at the inlet
};

struct Moments {
    Real density, x, y;
};

// Fixed point, 2^-32: sums of it do not depend on the order of the addends.
__host__ __device__ inline long long fixed(Real value) {
    return (long long)((double)value.v * 4294967296.0);
}

// The density and velocity of a cell; the sums in the order of the directions.
__host__ __device__ inline Moments moments(const Real (&f)[kDirections]) {
    Real density = ((f[0] + f[1]) + (f[2] + f[3])) + ((f[4] + f[5]) + (f[6] + f[7])) + f[8];
    Real x = (f[1] - f[3]) + (f[5] - f[6]) + (f[8] - f[7]);
    Real y = (f[2] - f[4]) + (f[5] - f[8]) + (f[6] - f[7]);
    return {density, x / density, y / density};
}

__host__ __device__ inline Real equilibrium(Real weight, Real density, int dx, int dy, Real x,
                                            Real y) {
    Real along = Real((float)dx) * x + Real((float)dy) * y;
    Real square = x * x + y * y;
    Real bracket = Real(1.0f) + Real(3.0f) * along + Real(4.5f) * along * along;
    return weight * density * (bracket - Real(1.5f) * square);
}

template <typename Steps, typename Weights>
__host__ __device__ inline void collide(Real (&f)[kDirections], const Flow &flow, bool inlet,
                                        const Steps &dx, const Steps &dy, const Weights &weight) {
    Moments now = moments(f);
    if (inlet) now.x = flow.inlet, now.y = 0.0f;
    for (int d = 0; d < kDirections; ++d) {
        Real wanted = equilibrium(weight[d], now.density, dx[d], dy[d], now.x, now.y);
        f[d] = inlet ? wanted : f[d] + Real(flow.relaxation) * (wanted - f[d]);
    }
}

__global__ void start(float *f, Flow flow) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= kCells) return;
    for (int d = 0; d < kDirections; ++d)
        f[d * kCells + at] =
            equilibrium(share[d], 1.0f, step_x[d], step_y[d], Real(flow.inlet), 0.0f).v;
}

// One step: every cell pulls what flows into it, or gets back what it sent against something solid,
// and lets it collide. `force` sums the momentum that the cylinder takes, in fixed point.
__global__ void step(const float *in, float *out, const unsigned char *kind, Flow flow,
                     unsigned long long *force) {
    __shared__ long long given[2][kBlockX * kBlockY / 32];
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    int at = y * kWidth + x, own = kind[at];
    long long push_x = 0, push_y = 0;
    if (own == kOutlet) {
        for (int d = 0; d < kDirections; ++d) out[d * kCells + at] = in[d * kCells + at - 1];
    } else if (own == kFluid || own == kInlet) {
        Real f[kDirections];
        for (int d = 0; d < kDirections; ++d) {
            int from_x = x - step_x[d], from_y = y - step_y[d];
            bool outside = from_x < 0 || from_x >= kWidth;
            int from = outside ? at : from_y * kWidth + from_x, there = kind[from];
            bool solid = there == kWall || there == kCylinder;
            f[d] = in[(solid ? back[d] : d) * kCells + (solid ? at : from)];
            if (there == kCylinder) { // what comes back takes twice its momentum from the cylinder
                push_x += -2 * step_x[d] * fixed(f[d]);
                push_y += -2 * step_y[d] * fixed(f[d]);
            }
        }
        collide(f, flow, own == kInlet, step_x, step_y, share);
        for (int d = 0; d < kDirections; ++d) out[d * kCells + at] = f[d].v;
    }
    int lane = threadIdx.y * kBlockX + threadIdx.x;
    for (int reach = 16; reach > 0; reach /= 2) {
        push_x += __shfl_down_sync(0xffffffffu, push_x, reach);
        push_y += __shfl_down_sync(0xffffffffu, push_y, reach);
    }
    if (lane % 32 == 0) given[0][lane / 32] = push_x, given[1][lane / 32] = push_y;
    __syncthreads();
    if (lane < 2) {
        long long sum = 0;
        for (long long one : given[lane]) sum += one;
        if (sum != 0) atomicAdd(force + lane, (unsigned long long)sum);
    }
}

// Mass in fixed point, and the fastest fluid cell: squared speeds are positive, so that their bits
// are in their order.
__global__ void survey(const float *f, const unsigned char *kind, unsigned long long *mass,
                       unsigned int *fastest, float *speed_x, float *speed_y) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    long long own = 0;
    unsigned int fast = 0;
    if (at < kCells) {
        bool fluid = kind[at] == kFluid || kind[at] == kInlet;
        Real g[kDirections];
        for (int d = 0; d < kDirections; ++d) g[d] = f[d * kCells + at];
        Moments now = moments(g);
        if (!fluid) now.x = now.y = 0.0f;
        if (fluid) own = fixed(now.density);
        fast = __float_as_uint((now.x * now.x + now.y * now.y).v);
        speed_x[at] = now.x.v, speed_y[at] = now.y.v;
    }
    for (int reach = 16; reach > 0; reach /= 2) {
        own += __shfl_down_sync(0xffffffffu, own, reach);
        fast = max(fast, __shfl_down_sync(0xffffffffu, fast, reach));
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(mass, (unsigned long long)own);
        atomicMax(fastest, fast);
    }
}

__host__ __device__ inline unsigned char shade(Real vorticity) {
    Real grey = Real(128.0f) + vorticity * Real(1500.0f);
    return (unsigned char)smaller(larger(grey, 0.0f), 255.0f).v;
}

// The vorticity as grey, from a tile of velocities with a rim of one cell.
__global__ void paint(const float *speed_x, const float *speed_y, unsigned char *picture) {
    __shared__ float vx[kBlockY + 2][kBlockX + 2], vy[kBlockY + 2][kBlockX + 2];
    int left = blockIdx.x * kBlockX - 1, top = blockIdx.y * kBlockY - 1;
    int lane = threadIdx.y * kBlockX + threadIdx.x;
    for (int i = lane; i < (kBlockX + 2) * (kBlockY + 2); i += kBlockX * kBlockY) {
        int x = min(max(left + i % (kBlockX + 2), 0), kWidth - 1);
        int y = min(max(top + i / (kBlockX + 2), 0), kHeight - 1);
        vx[i / (kBlockX + 2)][i % (kBlockX + 2)] = speed_x[y * kWidth + x];
        vy[i / (kBlockX + 2)][i % (kBlockX + 2)] = speed_y[y * kWidth + x];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    Real turn =
        (Real(vy[y][x + 1]) - Real(vy[y][x - 1])) - (Real(vx[y + 1][x]) - Real(vx[y - 1][x]));
    picture[(top + y) * kWidth + left + x] = shade(turn);
}

// ---- the same on the host, cell by cell
// -----------------------------------------------------------

struct Cell {
    Real f[kDirections];
};

struct Reference {
    Flow flow;
    std::vector<unsigned char> kind;
    std::vector<Cell> cells;
    long long force_x = 0, force_y = 0;

    Reference(const Flow &given, const std::vector<unsigned char> &kinds)
        : flow(given), kind(kinds), cells(kCells) {
        for (Cell &cell : cells)
            for (int d = 0; d < kDirections; ++d)
                cell.f[d] =
                    equilibrium(kShare[d], 1.0f, kStepX[d], kStepY[d], Real(flow.inlet), 0.0f);
    }

    bool solid(int at) const { return kind[at] == kWall || kind[at] == kCylinder; }

    void move() {
        std::vector<Cell> next(cells);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) push(x, y, next);
        for (int at = 0; at < kCells; ++at) {
            if (kind[at] == kOutlet) next[at] = cells[at - 1];
            else if (!solid(at))
                collide(next[at].f, flow, kind[at] == kInlet, kStepX, kStepY, kShare);
        }
        cells.swap(next);
    }

    // A cell sends every population on; against something solid it comes back.
    void push(int x, int y, std::vector<Cell> &next) {
        int at = y * kWidth + x;
        if (solid(at)) return;
        for (int d = 0; d < kDirections; ++d) {
            int to_x = x + kStepX[d], to_y = y + kStepY[d];
            if (to_x < 0 || to_x >= kWidth) continue;
            int to = to_y * kWidth + to_x;
            if (!solid(to)) {
                next[to].f[d] = cells[at].f[d];
                continue;
            }
            next[at].f[kBack[d]] = cells[at].f[d];
            if (kind[to] != kCylinder || kind[at] == kOutlet) continue;
            force_x += 2 * kStepX[d] * fixed(cells[at].f[d]);
            force_y += 2 * kStepY[d] * fixed(cells[at].f[d]);
        }
    }

    Moments at(int x, int y) const {
        int cell = y * kWidth + x;
        if (kind[cell] != kFluid && kind[cell] != kInlet) return {1.0f, 0.0f, 0.0f};
        return moments(cells[cell].f);
    }

    std::vector<unsigned char> picture() const {
        std::vector<unsigned char> made(kCells);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                int west = std::max(x - 1, 0), east = std::min(x + 1, kWidth - 1);
                int north = std::max(y - 1, 0), south = std::min(y + 1, kHeight - 1);
                Real turn = (at(east, y).y - at(west, y).y) - (at(x, south).x - at(x, north).x);
                made[y * kWidth + x] = shade(turn);
            }
        return made;
    }
};

// Walls above and below, an inlet on the left, an outlet on the right, a cylinder a little off the
// middle, so that the flow behind it is not symmetric.
static std::vector<unsigned char> channel() {
    std::vector<unsigned char> kind(kCells, kFluid);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            int dx = x - 20, dy = 2 * y - kHeight - 3;
            unsigned char &own = kind[y * kWidth + x];
            if (x == 0) own = kInlet;
            if (x == kWidth - 1) own = kOutlet;
            if (4 * dx * dx + dy * dy <= 4 * 25) own = kCylinder;
            if (y == 0 || y == kHeight - 1) own = kWall;
        }
    return kind;
}

struct Report {
    unsigned long long mass = 0, force[2] = {0, 0};
    unsigned int fastest = 0;
};

static long check_report(const Report &got, const Reference &reference, int done) {
    long long mass = 0;
    float fastest = 0;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            unsigned char kind = reference.kind[y * kWidth + x];
            if (kind != kFluid && kind != kInlet) continue;
            Moments now = reference.at(x, y);
            mass += fixed(now.density);
            fastest = std::max(fastest, (now.x * now.x + now.y * now.y).v);
        }
    float seen;
    std::memcpy(&seen, &got.fastest, sizeof seen);
    std::printf("step %d: mass %.6f, drag %.6f, lift %.6f, fastest %.6f\n", done,
                (double)(long long)got.mass / 4294967296.0,
                (double)(long long)got.force[0] / 4294967296.0,
                (double)(long long)got.force[1] / 4294967296.0, std::sqrt((double)seen));
    return ((long long)got.mass != mass) + ((long long)got.force[0] != reference.force_x) +
           ((long long)got.force[1] != reference.force_y) + (seen != fastest);
}

int main() {
    const Flow flow = {1.0f / 0.58f, 0.09f};
    const std::vector<unsigned char> kind = channel();
    CHECK(cudaMemcpyToSymbol(step_x, kStepX, sizeof kStepX));
    CHECK(cudaMemcpyToSymbol(step_y, kStepY, sizeof kStepY));
    CHECK(cudaMemcpyToSymbol(back, kBack, sizeof kBack));
    CHECK(cudaMemcpyToSymbol(share, kShare, sizeof kShare));
    Device<unsigned char> kinds(kind), picture(kCells);
    Device<float> a(kDirections * kCells), b(kDirections * kCells), speed_x(kCells),
        speed_y(kCells);
    Device<unsigned long long> sums(3); // drag, lift, mass
    Device<unsigned int> fastest(1);
    Reference reference(flow, kind);
    cudaStream_t stream;
    cudaEvent_t begun, ended;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&begun));
    CHECK(cudaEventCreate(&ended));

    const dim3 grid(kWidth / kBlockX, kHeight / kBlockY), block(kBlockX, kBlockY);
    const int blocks = (kCells + 127) / 128;
    long wrong = 0;
    start<<<blocks, 128, 0, stream>>>(a, flow);
    CHECK(cudaMemcpyAsync(b, a, kDirections * kCells * sizeof(float), cudaMemcpyDeviceToDevice,
                          stream));
    CHECK(cudaEventRecord(begun, stream));
    for (int done = 2; done <= kSteps; done += 2) {
        step<<<grid, block, 0, stream>>>(a, b, kinds, flow, sums);
        step<<<grid, block, 0, stream>>>(b, a, kinds, flow, sums);
        reference.move(), reference.move();
        if (done % kReportEvery != 0) continue;
        CHECK(cudaMemsetAsync(sums + 2, 0, sizeof(unsigned long long), stream));
        CHECK(cudaMemsetAsync(fastest, 0, sizeof(unsigned int), stream));
        survey<<<blocks, 128, 0, stream>>>(a, kinds, sums + 2, fastest, speed_x, speed_y);
        CHECK(cudaStreamSynchronize(stream));
        const std::vector<unsigned long long> totals = sums.get();
        Report report;
        report.mass = totals[2], report.force[0] = totals[0], report.force[1] = totals[1];
        report.fastest = fastest.get()[0];
        wrong += check_report(report, reference, done);
    }
    CHECK(cudaEventRecord(ended, stream));
    paint<<<grid, block, 0, stream>>>(speed_x, speed_y, picture);
    CHECK(cudaEventSynchronize(ended));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begun, ended));
    finish();

    const std::vector<float> got = a.get();
    std::vector<float> expected(got.size());
    for (int d = 0; d < kDirections; ++d)
        for (int at = 0; at < kCells; ++at) expected[d * kCells + at] = reference.cells[at].f[d].v;
    print_digest("populations", got);
    print_digest("picture", picture.get());
    wrong += count_different(got, expected);
    wrong += count_different(picture.get(), reference.picture());
    wrong += !(milliseconds >= 0);
    CHECK(cudaEventDestroy(begun));
    CHECK(cudaEventDestroy(ended));
    CHECK(cudaStreamDestroy(stream));
    return verdict("lattice_boltzmann", wrong);
}
