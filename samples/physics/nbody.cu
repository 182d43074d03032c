// Gravity between bodies in shared tiles, leap-frog steps; compared with a double-precision host
// within tolerance.
// features: shared_static, math_float, vector_load, launch_bounds
#include "../common.h"

constexpr int kTile = 64;
constexpr float kSoftening = 0.05f, kStep = 0.01f;

__global__ void __launch_bounds__(kTile) accelerate(const float4 *bodies, float3 *pull, int n) {
    __shared__ float4 tile[kTile];
    int i = blockIdx.x * kTile + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += kTile) {
        tile[threadIdx.x] =
            base + threadIdx.x < n ? bodies[base + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < kTile; ++j) {
            float x = tile[j].x - me.x, y = tile[j].y - me.y, z = tile[j].z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + kSoftening),
                  force = tile[j].w * inverse * inverse * inverse;
            sum.x += force * x, sum.y += force * y, sum.z += force * z;
        }
        __syncthreads();
    }
    if (i < n) pull[i] = sum;
}

__global__ void move(float4 *bodies, float3 *speed, const float3 *pull, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    speed[i].x += kStep * pull[i].x, speed[i].y += kStep * pull[i].y,
        speed[i].z += kStep * pull[i].z;
    bodies[i].x += kStep * speed[i].x, bodies[i].y += kStep * speed[i].y,
        bodies[i].z += kStep * speed[i].z;
}

int main() {
    const int n = 200, steps = 4;
    Random random(54);
    std::vector<float4> bodies(n);
    for (float4 &b : bodies)
        b = make_float4(random.unit(), random.unit(), random.unit(), 0.01f + random.unit() * 0.01f);
    std::vector<double> at(3 * n), speed(3 * n), pull(3 * n);
    for (int i = 0; i < n; ++i)
        at[3 * i] = bodies[i].x, at[3 * i + 1] = bodies[i].y, at[3 * i + 2] = bodies[i].z;
    Device<float4> dbodies(bodies);
    Device<float3> dspeed(n), dpull(n);
    for (int step = 0; step < steps; ++step) {
        accelerate<<<(n + kTile - 1) / kTile, kTile>>>(dbodies, dpull, n);
        move<<<2, 128>>>(dbodies, dspeed, dpull, n);
        std::fill(pull.begin(), pull.end(), 0.0);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double d[3], square = kSoftening;
                for (int k = 0; k < 3; ++k)
                    d[k] = at[3 * j + k] - at[3 * i + k], square += d[k] * d[k];
                for (int k = 0; k < 3; ++k)
                    pull[3 * i + k] += bodies[j].w * d[k] / (square * std::sqrt(square));
            }
        for (int i = 0; i < 3 * n; ++i) speed[i] += kStep * pull[i], at[i] += kStep * speed[i];
    }
    finish();
    std::vector<float4> got = dbodies.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += !close_to(got[i].x, at[3 * i], 1e-5) + !close_to(got[i].y, at[3 * i + 1], 1e-5) +
                 !close_to(got[i].z, at[3 * i + 2], 1e-5);
    std::printf("%d bodies, %d steps, first at %.2f %.2f %.2f\n", n, steps, got[0].x, got[0].y,
                got[0].z);
    return verdict("nbody", wrong);
}
