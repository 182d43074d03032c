// A small decoder-only transformer writes on from a prompt: token and position embeddings, two
// layers of layer norm, attention with several heads over a cache of keys and values, GELU, tied
// output weights, the likeliest token. The device works token by token with its cache, one warp a
// row or a head; the reference computes the whole text anew for each token, in double precision.
// Weights are small random numbers; printed are tokens and rounded values.
// features: several_kernels, shuffle, shared_static, shared_dynamic, math_float, template,
//     restrict, vector_load, struct_param, syncwarp, float_bits, atomic_ull, int64
#include "../common.h"

constexpr int kWords = 64, kWidth = 64, kHeads = 4, kHead = kWidth / kHeads, kHidden = 128;
constexpr int kLayers = 2, kLength = 24, kPrompt = 6;
constexpr float kEpsilon = 1e-5f;

// One layer's weights, each a row-major matrix (outputs x inputs) or a vector.
struct Layer {
    const float *norm1_scale, *norm1_shift, *query_key_value, *attention_out, *norm2_scale,
        *norm2_shift, *hidden, *hidden_bias, *out, *out_bias;
};

// Everything as one array, and where the parts begin.
struct Weights {
    static constexpr int kMatrix = kWidth * kWidth;
    static constexpr int kLayer =
        4 * kWidth + 4 * kMatrix + 2 * kHidden * kWidth + kHidden + kWidth;
    static constexpr int kTotal =
        kWords * kWidth + kLength * kWidth + kLayers * kLayer + 2 * kWidth;
    const float *base;

    __host__ __device__ const float *words() const { return base; }
    __host__ __device__ const float *places() const { return base + kWords * kWidth; }
    __host__ __device__ const float *last_norm() const { return base + kTotal - 2 * kWidth; }
    __host__ __device__ Layer layer(int number) const {
        const float *at = places() + kLength * kWidth + number * kLayer;
        Layer one;
        one.norm1_scale = at, at += kWidth;
        one.norm1_shift = at, at += kWidth;
        one.query_key_value = at, at += 3 * kMatrix;
        one.attention_out = at, at += kMatrix;
        one.norm2_scale = at, at += kWidth;
        one.norm2_shift = at, at += kWidth;
        one.hidden = at, at += kHidden * kWidth;
        one.hidden_bias = at, at += kHidden;
        one.out = at, at += kWidth * kHidden;
        one.out_bias = at;
        return one;
    }
};

// ---- the device
// ----------------------------------------------------------------------------------

template <typename Combine> __device__ inline float across_warp(float own, Combine combine) {
    for (int mask = 16; mask > 0; mask /= 2)
        own = combine(own, __shfl_xor_sync(0xffffffffu, own, mask));
    return own;
}

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Most {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

__global__ void embed(Weights weights, const int *tokens, int place, float *stream) {
    int i = threadIdx.x;
    stream[i] = weights.words()[tokens[place] * kWidth + i] + weights.places()[place * kWidth + i];
}

// One warp, two values a lane.
__global__ void normalise(const float *in, const float *scale, const float *shift, float *out) {
    int lane = threadIdx.x;
    float a = in[lane], b = in[lane + 32];
    float mean = across_warp(a + b, Sum()) / kWidth;
    float spread = across_warp((a - mean) * (a - mean) + (b - mean) * (b - mean), Sum()) / kWidth;
    float factor = rsqrtf(spread + kEpsilon);
    out[lane] = (a - mean) * factor * scale[lane] + shift[lane];
    out[lane + 32] = (b - mean) * factor * scale[lane + 32] + shift[lane + 32];
}

struct Plain {
    __device__ float operator()(float value, float) const { return value; }
};
struct Gelu { // the tanh form of Hendrycks and Gimpel (2016)
    __device__ float operator()(float value, float) const {
        float inner = 0.7978845608f * (value + 0.044715f * value * value * value);
        return 0.5f * value * (1.0f + tanhf(inner));
    }
};
struct AddTo {
    __device__ float operator()(float value, float before) const { return before + value; }
};

// out = finish(matrix * in + bias); a warp takes a row, four values at a time.
template <typename Finish>
__global__ void project(const float *__restrict__ matrix, const float *__restrict__ bias,
                        const float *__restrict__ in, float *out, int rows, int columns,
                        Finish finish) {
    int lane = threadIdx.x % 32, warps = gridDim.x * (blockDim.x / 32);
    for (int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < rows; row += warps) {
        float sum = 0;
        for (int at = lane * 4; at < columns; at += 128) {
            float4 w = *(const float4 *)(matrix + row * columns + at);
            float4 x = *(const float4 *)(in + at);
            sum += w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
        }
        sum = across_warp(sum, Sum());
        if (lane == 0) out[row] = finish(bias ? sum + bias[row] : sum, out[row]);
    }
}

// One head a block, one warp: the new token's query against every key so far. The cache holds, a
// layer, kLength rows of keys and kLength rows of values.
__global__ void attend(const float *query_key_value, float *cache, int place, float *out) {
    extern __shared__ float score[]; // place + 1
    __shared__ float query[kHead];
    int head = blockIdx.x, lane = threadIdx.x;
    float *keys = cache, *values = cache + kLength * kWidth;
    if (lane < kHead) {
        query[lane] = query_key_value[head * kHead + lane];
        keys[place * kWidth + head * kHead + lane] = query_key_value[kWidth + head * kHead + lane];
        values[place * kWidth + head * kHead + lane] =
            query_key_value[2 * kWidth + head * kHead + lane];
    }
    __syncthreads();
    float high = -1e30f, total = 0;
    for (int t = lane; t <= place; t += 32) {
        float sum = 0;
        for (int i = 0; i < kHead; ++i) sum += query[i] * keys[t * kWidth + head * kHead + i];
        score[t] = sum * 0.25f; // 1 / sqrt(kHead)
        high = fmaxf(high, score[t]);
    }
    high = across_warp(high, Most());
    for (int t = lane; t <= place; t += 32) total += score[t] = expf(score[t] - high);
    total = across_warp(total, Sum());
    __syncwarp();
    if (lane < kHead) {
        float mixed = 0;
        for (int t = 0; t <= place; ++t)
            mixed += score[t] * values[t * kWidth + head * kHead + lane];
        out[head * kHead + lane] = mixed / total;
    }
}

// The order of floats as that of unsigned numbers.
__device__ inline unsigned int in_order(float value) {
    unsigned int bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The likeliest token, the first of equal ones: value above, 2^32 - 1 - token below.
__global__ void choose(const float *logits, unsigned long long *best) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < kWords)
        atomicMax(best, (unsigned long long)in_order(logits[at]) << 32 |
                            (0xffffffffu - (unsigned int)at));
}

__global__ void append(const unsigned long long *best, int *tokens, int place) {
    if (place + 1 >= kPrompt) tokens[place + 1] = (int)(0xffffffffu - (unsigned int)*best);
}

struct Model {
    Weights weights;
    Device<float> stream, normed, mixed, query_key_value, hidden, cache, logits;
    Device<unsigned long long> best;
    Device<int> tokens;

    explicit Model(const float *base, const std::vector<int> &prompt)
        : weights{base}, stream(kWidth), normed(kWidth), mixed(kWidth), query_key_value(3 * kWidth),
          hidden(kHidden), cache(kLayers * 2 * kLength * kWidth), logits(kWords), best(1),
          tokens(prompt) {}

    template <typename Finish>
    void multiply(const float *matrix, const float *bias, const float *in, float *out, int rows,
                  int columns, Finish finish) {
        project<<<4, 128>>>(matrix, bias, in, out, rows, columns, finish);
    }

    // The token at `place` goes in; the logits of the next one come out.
    void step(int place) {
        embed<<<1, kWidth>>>(weights, tokens, place, stream);
        for (int number = 0; number < kLayers; ++number) {
            const Layer one = weights.layer(number);
            float *own = cache + number * 2 * kLength * kWidth;
            normalise<<<1, 32>>>(stream, one.norm1_scale, one.norm1_shift, normed);
            multiply(one.query_key_value, nullptr, normed, query_key_value, 3 * kWidth, kWidth,
                     Plain());
            attend<<<kHeads, 32, (place + 1) * sizeof(float)>>>(query_key_value, own, place, mixed);
            multiply(one.attention_out, nullptr, mixed, stream, kWidth, kWidth, AddTo());
            normalise<<<1, 32>>>(stream, one.norm2_scale, one.norm2_shift, normed);
            multiply(one.hidden, one.hidden_bias, normed, hidden, kHidden, kWidth, Gelu());
            multiply(one.out, one.out_bias, hidden, stream, kWidth, kHidden, AddTo());
        }
        normalise<<<1, 32>>>(stream, weights.last_norm(), weights.last_norm() + kWidth, normed);
        multiply(weights.words(), nullptr, normed, logits, kWords, kWidth, Plain());
        CHECK(cudaMemsetAsync(best, 0, sizeof(unsigned long long)));
        choose<<<2, 32>>>(logits, best);
        append<<<1, 1>>>(best, tokens, place);
    }
};

// ---- the reference
// -------------------------------------------------------------------------------

using Row = std::vector<double>;

static Row times(const float *matrix, const Row &in, int rows) {
    Row out((size_t)rows, 0.0);
    for (int r = 0; r < rows; ++r)
        for (size_t c = 0; c < in.size(); ++c)
            out[(size_t)r] += (double)matrix[(size_t)r * in.size() + c] * in[c];
    return out;
}

static Row norm_of(const Row &in, const float *scale, const float *shift) {
    double mean = 0, spread = 0;
    for (double v : in) mean += v / (double)in.size();
    for (double v : in) spread += (v - mean) * (v - mean) / (double)in.size();
    Row out;
    for (size_t i = 0; i < in.size(); ++i)
        out.push_back((in[i] - mean) / std::sqrt(spread + (double)kEpsilon) * scale[i] + shift[i]);
    return out;
}

static void add(Row &to, const Row &what) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

// What the rows of a text become in one layer.
static std::vector<Row> layer_of(const Layer &one, std::vector<Row> rows) {
    std::vector<Row> triples;
    for (const Row &row : rows)
        triples.push_back(
            times(one.query_key_value, norm_of(row, one.norm1_scale, one.norm1_shift), 3 * kWidth));
    for (size_t t = 0; t < rows.size(); ++t) {
        Row mixed((size_t)kWidth, 0.0);
        for (int head = 0; head < kHeads; ++head) {
            Row weight;
            double total = 0;
            for (size_t s = 0; s <= t; ++s) {
                double sum = 0;
                for (int i = head * kHead; i < (head + 1) * kHead; ++i)
                    sum += triples[t][(size_t)i] * triples[s][(size_t)(kWidth + i)];
                weight.push_back(std::exp(sum / std::sqrt((double)kHead)));
                total += weight.back();
            }
            for (size_t s = 0; s <= t; ++s)
                for (int i = head * kHead; i < (head + 1) * kHead; ++i)
                    mixed[(size_t)i] += weight[s] / total * triples[s][(size_t)(2 * kWidth + i)];
        }
        add(rows[t], times(one.attention_out, mixed, kWidth));
        Row inner = times(one.hidden, norm_of(rows[t], one.norm2_scale, one.norm2_shift), kHidden);
        for (size_t i = 0; i < inner.size(); ++i) {
            double v = inner[i] + one.hidden_bias[i];
            inner[i] = 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
        }
        add(rows[t], times(one.out, inner, kWidth));
        for (size_t i = 0; i < rows[t].size(); ++i) rows[t][i] += one.out_bias[i];
    }
    return rows;
}

// The logits behind a whole text.
static Row logits_of(const Weights &weights, const std::vector<int> &text) {
    std::vector<Row> rows;
    for (size_t t = 0; t < text.size(); ++t) {
        Row row;
        for (size_t i = 0; i < (size_t)kWidth; ++i)
            row.push_back((double)weights.words()[(size_t)(text[t] * kWidth) + i] +
                          weights.places()[t * kWidth + i]);
        rows.push_back(row);
    }
    for (int number = 0; number < kLayers; ++number) rows = layer_of(weights.layer(number), rows);
    const float *norm = weights.last_norm();
    return times(weights.words(), norm_of(rows.back(), norm, norm + kWidth), kWords);
}

// Numbers around 0 that keep the values of a row near 1; the scales of norms are near 1.
static std::vector<float> make_weights() {
    Random random(31);
    std::vector<float> made((size_t)Weights::kTotal);
    for (float &v : made) v = (random.unit() - 0.5f) * 0.5f;
    const Weights weights{made.data()};
    auto raise = [&](const float *scale) {
        for (int i = 0; i < kWidth; ++i) made[(size_t)(scale - made.data() + i)] += 1.0f;
    };
    for (int number = 0; number < kLayers; ++number)
        raise(weights.layer(number).norm1_scale), raise(weights.layer(number).norm2_scale);
    raise(weights.last_norm());
    return made;
}

int main() {
    const std::vector<float> values = make_weights();
    const Weights weights{values.data()};
    std::vector<int> text = {7, 21, 3, 60, 42, 11};
    std::vector<int> padded(text);
    padded.resize((size_t)kLength + 1);
    Device<float> on_device(values);
    Model model(on_device, padded);
    long wrong = 0, close_calls = 0;
    for (int place = 0; place + 1 < kLength; ++place) {
        model.step(place);
        finish();
        if (place + 1 < kPrompt) continue;
        const std::vector<float> got = model.logits.get();
        const Row expected = logits_of(weights, text);
        for (size_t i = 0; i < expected.size(); ++i) wrong += !close_to(got[i], expected[i], 2e-4);
        Row sorted(expected);
        std::sort(sorted.begin(), sorted.end());
        close_calls += sorted[kWords - 1] - sorted[kWords - 2] < 1e-3;
        const int likeliest =
            (int)(std::max_element(expected.begin(), expected.end()) - expected.begin());
        text.push_back(likeliest);
        std::printf("token %2d: %2d, logit %.2f\n", place + 1, likeliest,
                    (double)got[(size_t)likeliest]);
    }
    std::vector<int> written = model.tokens.get();
    written.resize(text.size());
    print_digest("text", written);
    wrong += count_different(written, text) + close_calls;
    return verdict("transformer", wrong);
}
