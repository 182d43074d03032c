// A ray tracer whose bounding volume hierarchy is built on the device: Morton codes, a bitonic sort,
// the binary radix tree of Karras (2012), boxes from the leaves up, then rays that walk the tree
// with a stack, cast shadows and are mirrored. The reference asks every triangle and has no tree;
// both round alike, so that every pixel agrees in every bit.
// features: several_kernels, bit_intrinsics, atomic_int, atomic_uint, threadfence, constant,
//     to_symbol, launch_2d, local_array, struct_param, int64, shared_static, vote, volatile,
//     restrict, division
#include "../common.h"
#include "../exact.h"

constexpr int kWidth = 64, kHeight = 48, kPixels = kWidth * kHeight;
constexpr int kTriangles = 256, kInner = kTriangles - 1, kBounces = 2, kStack = 32;
constexpr float kFar = 1e30f, kNear = 1e-3f;

struct Vector {
    Real x, y, z;
};
__host__ __device__ inline Vector operator+(Vector a, Vector b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__host__ __device__ inline Vector operator-(Vector a, Vector b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__host__ __device__ inline Vector operator*(Vector a, Real s) {
    return {a.x * s, a.y * s, a.z * s};
}
__host__ __device__ inline Real dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__host__ __device__ inline Vector cross(Vector a, Vector b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__host__ __device__ inline Vector unit(Vector a) { return a * (Real(1.0f) / root(dot(a, a))); }
__host__ __device__ inline Vector least(Vector a, Vector b) {
    return {smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z)};
}
__host__ __device__ inline Vector most(Vector a, Vector b) {
    return {larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)};
}

struct Triangle {
    Vector a, b, c, colour;
    Real mirror; // how much of the light it throws back as a mirror
};
struct Box {
    Vector low, high;
};
struct Ray {
    Vector from, along;
};
struct Hit {
    Real distance;
    int triangle; // -1: nothing
};
struct Camera {
    Vector eye, light;
    Real width, height; // of the picture, one unit before the eye
};
// Children below kInner are inner nodes, the others are leaves: kInner + a place in the order.
struct Node {
    int left, right, parent;
    Box box;
};
__constant__ Camera camera;

// Moeller and Trumbore (1997). The nearer hit counts, of two equally near ones the first triangle.
__host__ __device__ inline void intersect(const Triangle &one, int number, const Ray &ray,
                                          Hit &hit) {
    Vector side = one.b - one.a, other = one.c - one.a, across = cross(ray.along, other);
    Real scale = dot(side, across);
    if (larger(scale, -scale) < 1e-7f) return;
    Real inverse = Real(1.0f) / scale;
    Vector offset = ray.from - one.a;
    Real u = dot(offset, across) * inverse;
    if (u < 0.0f || u > 1.0f) return;
    Vector turned = cross(offset, side);
    Real v = dot(ray.along, turned) * inverse;
    if (v < 0.0f || u + v > 1.0f) return;
    Real distance = dot(other, turned) * inverse;
    if (distance < kNear || distance > hit.distance) return;
    if (distance == hit.distance && number > hit.triangle) return;
    hit = {distance, number};
}

// Light that arrives at the eye along a ray; `nearest` finds what it meets first.
template <typename Nearest>
__host__ __device__ inline Vector trace(Ray ray, const Camera &view, const Triangle *triangles,
                                        const Nearest &nearest) {
    Vector light = {0.0f, 0.0f, 0.0f};
    Real left = 1.0f;
    for (int bounce = 0; bounce <= kBounces; ++bounce) {
        Hit hit = nearest(ray, kFar);
        if (hit.triangle < 0) {
            Real height = Real(0.5f) * (ray.along.y + Real(1.0f));
            return light + Vector{height * Real(0.4f), height * Real(0.6f), height} * left;
        }
        const Triangle &met = triangles[hit.triangle];
        Vector at = ray.from + ray.along * hit.distance;
        Vector normal = unit(cross(met.b - met.a, met.c - met.a));
        if (dot(normal, ray.along) > 0.0f) normal = normal * Real(-1.0f);
        Vector to_light = view.light - at;
        Real far = root(dot(to_light, to_light));
        Ray shadow = {at + normal * Real(2e-3f), to_light * (Real(1.0f) / far)};
        Real bright = larger(dot(normal, shadow.along), 0.0f);
        if (bright > 0.0f && nearest(shadow, far).triangle >= 0) bright = 0.0f;
        Real own = (Real(0.15f) + Real(0.85f) * bright) * (Real(1.0f) - met.mirror) * left;
        light = light + met.colour * own;
        left = left * met.mirror;
        if (left < 0.01f) break;
        ray = {shadow.from, unit(ray.along - normal * (Real(2.0f) * dot(normal, ray.along)))};
    }
    return light;
}

__host__ __device__ inline Ray eye_ray(const Camera &view, int x, int y) {
    Real right = (Real(x + 0.5f) / Real((float)kWidth) - Real(0.5f)) * view.width;
    Real up = (Real(0.5f) - Real(y + 0.5f) / Real((float)kHeight)) * view.height;
    return {view.eye, unit({right, up, 1.0f})};
}

__host__ __device__ inline unsigned int pixel(Vector light) {
    unsigned int packed = 0;
    for (Real part : {light.x, light.y, light.z})
        packed = packed << 8 | (unsigned int)(smaller(larger(part, 0.0f), 1.0f) * Real(255.0f)).v;
    return packed;
}

// ---- the tree
// ------------------------------------------------------------------------------------

__host__ __device__ inline Box box_of(const Triangle &one) {
    const Vector rim = {1e-4f, 1e-4f, 1e-4f}; // a ray that grazes a corner must not miss the box
    return {least(one.a, least(one.b, one.c)) - rim, most(one.a, most(one.b, one.c)) + rim};
}

// Every third bit of ten.
__host__ __device__ inline unsigned int spread(unsigned int v) {
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

// The Morton code of the box's middle in a cube of side 32 around the scene, then the number, so
// that no two keys are equal.
__global__ void keys_of(const Triangle *__restrict__ triangles, unsigned long long *keys) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    Box box = box_of(triangles[at]);
    Vector middle = (box.low + box.high) * Real(0.5f) + Vector{16.0f, 16.0f, 16.0f};
    unsigned int code = 0;
    int shift = 0;
    for (Real part : {middle.x, middle.y, middle.z})
        code |= spread((unsigned int)smaller(larger(part * Real(32.0f), 0.0f), 1023.0f).v)
                << shift++;
    keys[at] = (unsigned long long)code << 32 | (unsigned int)at;
}

// Bitonic, one block.
__global__ void sort_keys(unsigned long long *keys) {
    __shared__ unsigned long long shared[kTriangles];
    int at = threadIdx.x;
    shared[at] = keys[at];
    for (int size = 2; size <= kTriangles; size *= 2)
        for (int reach = size / 2; reach > 0; reach /= 2) {
            __syncthreads();
            int other = at ^ reach;
            unsigned long long a = shared[at], b = shared[other];
            __syncthreads();
            bool up = (at & size) == 0, low = at < other;
            shared[at] = (a < b) == (up == low) ? a : b;
        }
    keys[at] = shared[at];
}

// Length of the common prefix of two keys; -1 outside.
__device__ inline int common(const unsigned long long *keys, int i, int j) {
    return j < 0 || j >= kTriangles ? -1 : __clzll((long long)(keys[i] ^ keys[j]));
}

// Inner node `i` covers a range of keys that begins or ends at i; where their highest bit that
// differs changes, it is split.
__global__ void build_tree(const unsigned long long *keys, Node *nodes, int *leaf_parents) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kInner) return;
    int way = common(keys, i, i + 1) > common(keys, i, i - 1) ? 1 : -1;
    int floor = common(keys, i, i - way), reach = 2;
    while (common(keys, i, i + reach * way) > floor) reach *= 2;
    int length = 0;
    for (int step = reach / 2; step > 0; step /= 2)
        if (common(keys, i, i + (length + step) * way) > floor) length += step;
    int last = i + length * way, shared = common(keys, i, last), split = 0;
    for (int step = (length + 1) / 2, left = length; left > 0; step = (step + 1) / 2) {
        if (split + step <= length && common(keys, i, i + (split + step) * way) > shared)
            split += step;
        if (step == 1) break;
    }
    int middle = i + split * way + (way < 0 ? -1 : 0);
    Node &own = nodes[i];
    own.left = min(i, last) == middle ? kInner + middle : middle;
    own.right = max(i, last) == middle + 1 ? kInner + middle + 1 : middle + 1;
    if (i == 0) own.parent = -1;
    if (own.left >= kInner) leaf_parents[middle] = i;
    else nodes[own.left].parent = i;
    if (own.right >= kInner) leaf_parents[middle + 1] = i;
    else nodes[own.right].parent = i;
}

// From every leaf towards the root; of two children the one that comes second joins the boxes.
__global__ void fit_boxes(const Triangle *triangles, const unsigned long long *keys,
                          const int *leaf_parents, Node *nodes, volatile Box *leaf_boxes,
                          int *arrived) {
    int leaf = blockIdx.x * blockDim.x + threadIdx.x;
    Box own = box_of(triangles[(unsigned int)keys[leaf]]);
    const volatile float *from;
    volatile float *to = (volatile float *)(leaf_boxes + leaf);
    for (int k = 0; k < 6; ++k) to[k] = ((const float *)&own)[k];
    __threadfence();
    for (int at = leaf_parents[leaf]; at >= 0; at = nodes[at].parent) {
        if (atomicAdd(arrived + at, 1) == 0) return;
        __threadfence();
        float box[2][6];
        for (int side = 0; side < 2; ++side) {
            int child = side ? nodes[at].right : nodes[at].left;
            from = child >= kInner ? (const volatile float *)(leaf_boxes + (child - kInner))
                                   : (const volatile float *)&nodes[child].box;
            for (int k = 0; k < 6; ++k) box[side][k] = from[k];
        }
        to = (volatile float *)&nodes[at].box;
        for (int k = 0; k < 6; ++k)
            to[k] = k < 3 ? fminf(box[0][k], box[1][k]) : fmaxf(box[0][k], box[1][k]);
        __threadfence();
    }
}

// ---- the picture
// ---------------------------------------------------------------------------------

struct Scene {
    const Triangle *triangles;
    const unsigned long long *keys;
    const Node *nodes;
    const Box *leaf_boxes;
};

// Whether a ray meets a box before `far`; a side it runs along divides by zero to infinities.
__device__ inline bool meets(const Box &box, const Ray &ray, Real far) {
    float enter = 0, leave = far.v;
    const Real low[3] = {box.low.x, box.low.y, box.low.z},
               high[3] = {box.high.x, box.high.y, box.high.z};
    const Real from[3] = {ray.from.x, ray.from.y, ray.from.z};
    const Real along[3] = {ray.along.x, ray.along.y, ray.along.z};
    for (int k = 0; k < 3; ++k) {
        if (along[k] == 0.0f) {
            if (from[k] < low[k] || from[k] > high[k]) return false;
            continue;
        }
        float a = ((low[k] - from[k]) / along[k]).v, b = ((high[k] - from[k]) / along[k]).v;
        enter = fmaxf(enter, fminf(a, b));
        leave = fminf(leave, fmaxf(a, b));
    }
    return enter <= leave;
}

struct Walk {
    Scene scene;
    unsigned int *visits; // of this thread

    __device__ Hit operator()(const Ray &ray, Real far) const {
        Hit hit = {far, -1};
        int stack[kStack], depth = 0, at = 0;
        while (at >= 0) {
            ++*visits;
            if (at >= kInner) {
                int number = (int)(unsigned int)scene.keys[at - kInner];
                intersect(scene.triangles[number], number, ray, hit);
                at = -1;
            } else {
                int left = scene.nodes[at].left, right = scene.nodes[at].right;
                bool go_left = meets(box(left), ray, hit.distance);
                bool go_right = meets(box(right), ray, hit.distance);
                at = go_left ? left : go_right ? right : -1;
                if (go_left && go_right && depth < kStack) stack[depth++] = right;
            }
            if (at < 0 && depth > 0) at = stack[--depth];
        }
        return hit;
    }
    __device__ const Box &box(int at) const {
        return at >= kInner ? scene.leaf_boxes[at - kInner] : scene.nodes[at].box;
    }
};

// counts: nodes visited, warps in which every ray left the scene at once.
__global__ void render(Scene scene, unsigned int *picture, unsigned int *counts) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int visits = 0;
    Walk walk = {scene, &visits};
    Ray ray = eye_ray(camera, x, y);
    bool sky = walk(ray, kFar).triangle < 0;
    picture[y * kWidth + x] = pixel(trace(ray, camera, scene.triangles, walk));
    atomicAdd(counts, visits);
    bool all = __all_sync(0xffffffffu, sky);
    if (all && (threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) atomicAdd(counts + 1, 1u);
}

// ---- scene and reference
// -------------------------------------------------------------------------

// A floor of 2 triangles that mirrors a little, and tetrahedra of which some are mirrors.
static std::vector<Triangle> make_scene() {
    Random random(2024);
    auto between = [&](double low, double high) {
        return Real((float)(low + (high - low) * random.unit()));
    };
    std::vector<Triangle> made;
    const Vector grey = {0.8f, 0.8f, 0.7f};
    const Vector corner[4] = {
        {-15.0f, -2.0f, 0.5f}, {15.0f, -2.0f, 0.5f}, {15.0f, -2.0f, 15.5f}, {-15.0f, -2.0f, 15.5f}};
    made.push_back({corner[0], corner[1], corner[2], grey, 0.25f});
    made.push_back({corner[0], corner[2], corner[3], grey, 0.25f});
    while ((int)made.size() + 4 <= kTriangles) {
        Vector middle = {between(-5, 5), between(-1.6, 3), between(4, 13)}, tip[4];
        for (Vector &one : tip)
            one = middle + Vector{between(-1, 1), between(-1, 1), between(-1, 1)};
        Vector colour = {between(0.2, 1), between(0.2, 1), between(0.2, 1)};
        Real mirror = random.below(3) == 0 ? 0.7f : 0.0f;
        for (int k = 0; k < 4; ++k)
            made.push_back({tip[k], tip[(k + 1) % 4], tip[(k + 2) % 4], colour, mirror});
    }
    while ((int)made.size() < kTriangles)
        made.push_back({corner[0], corner[1], corner[3], grey, 0.25f});
    return made;
}

// Asks all.
struct Everyone {
    const Triangle *triangles;

    __host__ __device__ Hit operator()(const Ray &ray, Real far) const {
        Hit hit = {far, -1};
        for (int number = 0; number < kTriangles; ++number)
            intersect(triangles[number], number, ray, hit);
        return hit;
    }
};

// Every inner node but the root is one's child, every leaf too, and every box holds what is below.
static long check_tree(const std::vector<Node> &nodes, const std::vector<Box> &leaves) {
    std::vector<int> children(kInner + kTriangles, 0);
    long wrong = nodes[0].parent != -1;
    auto inside = [&](const Box &outer, int child) {
        const Box &inner = child >= kInner ? leaves[child - kInner] : nodes[child].box;
        return !(inner.low.x < outer.low.x) && !(inner.low.y < outer.low.y) &&
               !(inner.low.z < outer.low.z) && !(inner.high.x > outer.high.x) &&
               !(inner.high.y > outer.high.y) && !(inner.high.z > outer.high.z);
    };
    for (const Node &one : nodes)
        for (int child : {one.left, one.right}) {
            if (child < 0 || child >= kInner + kTriangles) return wrong + 1;
            ++children[child];
            wrong += !inside(one.box, child);
        }
    for (int at = 1; at < kInner + kTriangles; ++at) wrong += children[at] != 1;
    return wrong + (children[0] != 0);
}

int main() {
    const std::vector<Triangle> triangles = make_scene();
    const Camera view = {{0.0f, 0.8f, -1.5f}, {-6.0f, 9.0f, -2.0f}, 1.2f, 0.9f};
    CHECK(cudaMemcpyToSymbol(camera, &view, sizeof view));
    Device<Triangle> scene(triangles);
    Device<unsigned long long> keys(kTriangles);
    Device<Node> nodes(kInner);
    Device<Box> leaf_boxes(kTriangles);
    Device<int> leaf_parents(kTriangles), arrived(kInner);
    Device<unsigned int> picture(kPixels), counts(2);

    keys_of<<<kTriangles / 64, 64>>>(scene, keys);
    sort_keys<<<1, kTriangles>>>(keys);
    build_tree<<<kTriangles / 64, 64>>>(keys, nodes, leaf_parents);
    fit_boxes<<<kTriangles / 64, 64>>>(scene, keys, leaf_parents, nodes, leaf_boxes, arrived);
    render<<<dim3(kWidth / 8, kHeight / 8), dim3(8, 8)>>>({scene, keys, nodes, leaf_boxes}, picture,
                                                          counts);
    finish();

    const std::vector<unsigned long long> sorted = keys.get();
    long wrong = !std::is_sorted(sorted.begin(), sorted.end());
    wrong += check_tree(nodes.get(), leaf_boxes.get());
    std::vector<unsigned int> expected(kPixels);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
            expected[y * kWidth + x] = pixel(
                trace(eye_ray(view, x, y), view, triangles.data(), Everyone{triangles.data()}));
    const std::vector<unsigned int> got = picture.get(), counted = counts.get();
    wrong += count_different(got, expected);
    wrong += !(counted[0] > kPixels && counted[0] < (unsigned int)kPixels * kTriangles);
    print_digest("keys", sorted);
    print_digest("picture", got);
    std::printf("%u nodes visited, %u warps saw the sky only\n", counted[0], counted[1]);
    return verdict("ray_tracer", wrong);
}
