// Objects with virtual functions: one kernel builds them in device memory, another calls through their tables.
#include "common.h"
#include <new>
#include <vector>

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area(int k) const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int s) : side(s) {}
    __device__ int area(int k) const override { return side * side + k; }
    __device__ int corners() const override { return 4; }
};
struct Box : Shape {
    int width, height;
    __device__ Box(int w, int h) : width(w), height(h) {}
    __device__ int area(int k) const override { return width * height - k; }
    __device__ int corners() const override { return 4 + (width == height); }
};
struct Disc : Shape {
    int radius;
    __device__ explicit Disc(int r) : radius(r) {}
    __device__ int area(int k) const override { return 355 * radius * radius / 113 + 2 * k; }
};

constexpr int kSlotBytes = 32;

__global__ void build(char *slots, Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char *slot = slots + i * kSlotBytes;
    if (i % 3 == 0) shapes[i] = new (slot) Square(i % 50);
    if (i % 3 == 1) shapes[i] = new (slot) Box(i % 20, i % 30);
    if (i % 3 == 2) shapes[i] = new (slot) Disc(i % 10);
}

__global__ void measure(Shape *const *shapes, int *areas, int *corners, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Shape *shape = shapes[(i * 7) % n];
    areas[i] = shape->area(i);
    corners[i] = shape->corners();
}

int main() {
    const int n = 300;
    char *slots;
    Shape **shapes;
    int *dareas, *dcorners;
    std::vector<int> areas(n), corners(n);
    CHECK(cudaMalloc(&slots, n * kSlotBytes));
    CHECK(cudaMalloc(&shapes, n * sizeof(Shape *)));
    CHECK(cudaMalloc(&dareas, n * sizeof(int)));
    CHECK(cudaMalloc(&dcorners, n * sizeof(int)));
    build<<<3, 128>>>(slots, shapes, n);
    measure<<<5, 64>>>(shapes, dareas, dcorners, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(areas.data(), dareas, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(corners.data(), dcorners, n * sizeof(int), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        int j = (i * 7) % n, w = j % 20, h = j % 30, r = j % 10, s = j % 50;
        int area = j % 3 == 0 ? s * s + i : j % 3 == 1 ? w * h - i : 355 * r * r / 113 + 2 * i;
        int corner = j % 3 == 0 ? 4 : j % 3 == 1 ? 4 + (w == h) : 0;
        wrong += areas[i] != area || corners[i] != corner;
    }
    std::printf("areas[10]=%d corners[10]=%d digest=%016llx\n", areas[10], corners[10],
                (unsigned long long)digest(areas.data(), n * sizeof(int)));
    return verdict("virtual_call", wrong);
}
