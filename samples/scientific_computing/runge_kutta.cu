// Runge-Kutta integration of several systems chosen by a table of device function pointers; double
// precision, tolerance.
// features: function_pointer, device_variable, double, math_double, lambda
#include "../common.h"

struct State {
    double x, y, z;
};
using Slope = State (*)(double, State);

__host__ __device__ inline State lorenz(double, State s) {
    return {10 * (s.y - s.x), s.x * (28 - s.z) - s.y, s.x * s.y - 8.0 / 3.0 * s.z};
}
__host__ __device__ inline State pendulum(double t, State s) {
    return {s.y, -sin(s.x) - 0.1 * s.y + 0.3 * cos(t), 1};
}
__host__ __device__ inline State decay(double, State s) {
    return {-s.x, s.x - 0.5 * s.y, 0.5 * s.y - exp(-s.z)};
}

__device__ Slope systems[3] = {lorenz, pendulum, decay};

template <typename F>
__host__ __device__ inline State integrate(F slope, State s, int steps, double h) {
    auto moved = [](State a, State d, double by) {
        return State{a.x + by * d.x, a.y + by * d.y, a.z + by * d.z};
    };
    for (int k = 0; k < steps; ++k) {
        double t = k * h;
        State a = slope(t, s), b = slope(t + h / 2, moved(s, a, h / 2)),
              c = slope(t + h / 2, moved(s, b, h / 2)), d = slope(t + h, moved(s, c, h));
        s = moved(moved(moved(moved(s, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
    }
    return s;
}

__global__ void run(State *states, int n, int steps, double h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) states[i] = integrate(systems[i % 3], states[i], steps, h);
}

int main() {
    const int n = 96, steps = 50;
    const double h = 0.005;
    Random random(76);
    std::vector<State> states(n);
    for (State &s : states) s = {random.unit() + 0.5, random.unit() - 0.5, random.unit()};
    Device<State> dstates(states);
    run<<<3, 32>>>(dstates, n, steps, h);
    finish();
    std::vector<State> got = dstates.get();
    const Slope host[3] = {lorenz, pendulum, decay};
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        State s = integrate(host[i % 3], states[i], steps, h);
        wrong += !close_to(got[i].x, s.x, 1e-10) || !close_to(got[i].y, s.y, 1e-10) ||
                 !close_to(got[i].z, s.z, 1e-10);
    }
    for (int i = 0; i < 3; ++i)
        std::printf("system %d: %.4f %.4f %.4f\n", i, got[i].x, got[i].y, got[i].z);
    return verdict("runge_kutta", wrong);
}
