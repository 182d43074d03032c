// Loads and stores of 2, 4, 8 and 16 bytes through vector types, unaligned structures, and copies
// between every kind of memory.
// features: vector_load, struct_param, local_array
#include "../common.h"

struct __align__(16) Record {
    double weight;
    short code;
    unsigned char tag[6];
};
struct Packed {
    unsigned char bytes[7];
};

__global__ void widen(const uchar4 *in, int4 *out, float2 *ratios, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 v = in[i];
    out[i] = make_int4(v.x, -v.y, v.z * 256, ~v.w);
    ratios[i] = make_float2(v.x * 0.5f, v.y * 0.25f);
}

__global__ void mix(const Record *in, Record *out, Packed *packed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Record r = in[(i * 5) % n];
    unsigned char turned[6];
    for (int k = 0; k < 6; ++k) turned[k] = r.tag[(k + r.code % 6) % 6];
    for (int k = 0; k < 6; ++k)
        r.tag[k] = turned[k], packed[i].bytes[k] = (unsigned char)(turned[k] + 1);
    packed[i].bytes[6] = (unsigned char)i;
    r.weight *= 2.0;
    out[i] = r;
}

int main() {
    const int n = 333;
    Random random(24);
    std::vector<uchar4> small(n);
    std::vector<Record> records(n), turned(n);
    std::vector<Packed> packed(n);
    for (int i = 0; i < n; ++i) {
        small[i] = make_uchar4((unsigned char)random.below(256), (unsigned char)random.below(256),
                               (unsigned char)i, 9);
        records[i].weight = random.unit();
        records[i].code = (short)random.below(100);
        for (unsigned char &t : records[i].tag) t = (unsigned char)random.below(256);
    }
    Device<uchar4> dsmall(small);
    Device<int4> dwide(n);
    Device<float2> dratio(n);
    Device<Record> din(records), dout(n);
    Device<Packed> dpacked(n);
    widen<<<3, 128>>>(dsmall, dwide, dratio, n);
    mix<<<3, 128>>>(din, dout, dpacked, n);
    finish();
    std::vector<int4> wide = dwide.get();
    std::vector<float2> ratio = dratio.get();
    std::vector<Record> out = dout.get();
    std::vector<Packed> bytes = dpacked.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        uchar4 v = small[i];
        wrong += wide[i].x != v.x || wide[i].y != -v.y || wide[i].z != v.z * 256 ||
                 wide[i].w != ~(int)v.w;
        wrong += ratio[i].x != v.x * 0.5f || ratio[i].y != v.y * 0.25f;
        Record r = records[(i * 5) % n];
        wrong += out[i].weight != 2.0 * r.weight || out[i].code != r.code ||
                 bytes[i].bytes[6] != (unsigned char)i;
        for (int k = 0; k < 6; ++k) {
            unsigned char expected = r.tag[(k + r.code % 6) % 6];
            wrong +=
                out[i].tag[k] != expected || bytes[i].bytes[k] != (unsigned char)(expected + 1);
        }
    }
    print_digest("wide", wide);
    print_digest("packed", bytes);
    return verdict("vector_types", wrong);
}
