// tex1Dfetch from linear memory: floats, vectors, bytes read as normalized floats, and indices
// outside, which give zero.
// features: texture_fetch, texture_normalized_read, vector_load
#include "../textures.h"

template <typename T>
__global__ void gather(cudaTextureObject_t texture, const int *index, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(texture, index[i]);
}

// A sparse product: the vector is read through the texture.
__global__ void multiply(const int *row_start, const int *column, const float *value,
                         cudaTextureObject_t vector, float *out, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = row_start[row]; k < row_start[row + 1]; ++k)
        sum += value[k] * tex1Dfetch<float>(vector, column[k]);
    out[row] = sum;
}

template <typename T>
cudaTextureObject_t linear_texture(const Device<T> &memory, size_t count,
                                   cudaTextureReadMode read) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (T *)memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = count * sizeof(T);
    Sampling how;
    how.read = read;
    return texture_of(resource, how);
}

template <typename T, typename Out>
long gathered(const char *name, cudaTextureReadMode read, float scale) {
    const int count = 1000, n = 1500;
    std::vector<T> values(count);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(values.data());
    Random random(81);
    for (size_t i = 0; i < count * sizeof(T); ++i) bytes[i] = (unsigned char)(random.next() & 0x7f);
    std::vector<int> index(n);
    for (int i = 0; i < n; ++i) index[i] = (int)random.below(count + 40) - 20;
    Device<T> memory(values);
    Device<int> indices(index);
    Device<Out> out(n);
    cudaTextureObject_t texture = linear_texture(memory, count, read);
    gather<Out><<<(n + 127) / 128, 128>>>(texture, indices, out, n);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<Out> got = out.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        T want = index[i] < 0 || index[i] >= count ? T() : values[index[i]];
        if (scale == 0) {
            wrong += std::memcmp(&got[i], &want, std::min(sizeof want, sizeof got[i])) != 0;
            continue;
        }
        const unsigned char *parts = reinterpret_cast<const unsigned char *>(&want);
        const float *floats = reinterpret_cast<const float *>(&got[i]);
        for (size_t c = 0; c < sizeof(T); ++c)
            wrong += !(std::fabs(floats[c] - parts[c] / scale) < 1e-6f);
    }
    if (scale == 0) print_digest(name, got);
    else std::printf("%s: %ld wrong\n", name, wrong);
    return wrong;
}

static long sparse() {
    const int rows = 300, columns = 500, each = 7;
    Random random(82);
    std::vector<int> start(rows + 1), column(rows * each);
    std::vector<float> value(rows * each), vector(columns);
    for (int i = 0; i <= rows; ++i) start[i] = i * each;
    for (int &c : column) c = (int)random.below(columns);
    for (float &v : value) v = (float)random.below(64);
    for (float &v : vector) v = (float)random.below(64) - 32.0f;
    Device<int> dstart(start), dcolumn(column);
    Device<float> dvalue(value), dvector(vector), out(rows);
    cudaTextureObject_t texture = linear_texture(dvector, columns, cudaReadModeElementType);
    multiply<<<3, 128>>>(dstart, dcolumn, dvalue, texture, out, rows);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<float> got = out.get();
    long wrong = 0;
    for (int row = 0; row < rows; ++row) {
        float sum = 0;
        for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * vector[column[k]];
        wrong += got[row] != sum;
    }
    print_digest("product", got);
    return wrong;
}

int main() {
    const cudaTextureReadMode element = cudaReadModeElementType,
                              as_float = cudaReadModeNormalizedFloat;
    long wrong = gathered<float, float>("float", element, 0) +
                 gathered<float4, float4>("float4", element, 0) +
                 gathered<int, int>("int", element, 0) +
                 gathered<uint2, uint2>("uint2", element, 0) +
                 gathered<unsigned char, unsigned char>("uchar", element, 0) +
                 gathered<short2, short2>("short2", element, 0) +
                 gathered<uchar4, float4>("uchar4 as floats", as_float, 255.0f) +
                 gathered<signed char, float>("schar as floats", as_float, 127.0f);
    wrong += sparse();
    return verdict("linear_textures", wrong);
}
