// A two-layer perceptron learns XOR-like data by gradient descent in managed memory; float, checked
// against double.
// features: managed, math_float, several_kernels, atomic_float
// not with: fast-math
#include "../common.h"

constexpr int kIn = 4, kHidden = 8, kSamples = 64;
struct Net {
    float w1[kHidden][kIn], b1[kHidden], w2[kHidden], b2;
};
struct Batch {
    float x[kSamples][kIn], y[kSamples], out[kSamples], hidden[kSamples][kHidden];
};

__global__ void forward(const Net *net, Batch *batch, float *loss) {
    int s = threadIdx.x;
    float out = net->b2;
    for (int h = 0; h < kHidden; ++h) {
        float sum = net->b1[h];
        for (int k = 0; k < kIn; ++k) sum += net->w1[h][k] * batch->x[s][k];
        batch->hidden[s][h] = tanhf(sum);
        out += net->w2[h] * batch->hidden[s][h];
    }
    batch->out[s] = out;
    float error = out - batch->y[s];
    atomicAdd(loss, error * error / kSamples);
}

__global__ void backward(Net *net, const Batch *batch, float rate) {
    int h = threadIdx.x;
    float gw2 = 0, gb1 = 0, gb2 = 0, gw1[kIn] = {};
    for (int s = 0; s < kSamples; ++s) {
        float error = 2 * (batch->out[s] - batch->y[s]) / kSamples, value = batch->hidden[s][h];
        float inner = error * net->w2[h] * (1 - value * value);
        gw2 += error * value, gb2 += error, gb1 += inner;
        for (int k = 0; k < kIn; ++k) gw1[k] += inner * batch->x[s][k];
    }
    net->w2[h] -= rate * gw2;
    net->b1[h] -= rate * gb1;
    if (h == 0) net->b2 -= rate * gb2;
    for (int k = 0; k < kIn; ++k) net->w1[h][k] -= rate * gw1[k];
}

struct Reference {
    double w1[kHidden][kIn], b1[kHidden], w2[kHidden], b2;
    double step(const Batch &batch, double rate) {
        Reference next = *this;
        double loss = 0;
        for (int s = 0; s < kSamples; ++s) {
            double hidden[kHidden], out = b2;
            for (int h = 0; h < kHidden; ++h) {
                double sum = b1[h];
                for (int k = 0; k < kIn; ++k) sum += w1[h][k] * batch.x[s][k];
                hidden[h] = std::tanh(sum), out += w2[h] * hidden[h];
            }
            double error = out - batch.y[s], slope = 2 * error / kSamples;
            loss += error * error / kSamples;
            next.b2 -= rate * slope;
            for (int h = 0; h < kHidden; ++h) {
                double inner = slope * w2[h] * (1 - hidden[h] * hidden[h]);
                next.w2[h] -= rate * slope * hidden[h], next.b1[h] -= rate * inner;
                for (int k = 0; k < kIn; ++k) next.w1[h][k] -= rate * inner * batch.x[s][k];
            }
        }
        *this = next;
        return loss;
    }
};

int main() {
    Net *net;
    Batch *batch;
    float *loss;
    CHECK(cudaMallocManaged(&net, sizeof(Net)));
    CHECK(cudaMallocManaged(&batch, sizeof(Batch)));
    CHECK(cudaMallocManaged(&loss, sizeof(float)));
    Random random(70);
    Reference reference = {};
    *net = {};
    for (int h = 0; h < kHidden; ++h) {
        for (float &w : net->w1[h]) w = random.unit() - 0.5f;
        net->w2[h] = random.unit() - 0.5f;
        for (int k = 0; k < kIn; ++k) reference.w1[h][k] = net->w1[h][k];
        reference.w2[h] = net->w2[h];
    }
    for (int s = 0; s < kSamples; ++s) {
        for (int k = 0; k < kIn; ++k) batch->x[s][k] = (s >> k & 1) ? 1.0f : -1.0f;
        batch->y[s] = (float)((s ^ s >> 1) & 1);
    }
    long wrong = 0;
    double first = 0, last = 0;
    for (int step = 0; step < 12; ++step) {
        *loss = 0;
        forward<<<1, kSamples>>>(net, batch, loss);
        backward<<<1, kHidden>>>(net, batch, 0.5f);
        finish();
        last = reference.step(*batch, 0.5);
        if (step == 0) first = last;
        wrong += !close_to(*loss, last, 1e-4);
    }
    for (int h = 0; h < kHidden; ++h) wrong += !close_to(net->w2[h], reference.w2[h], 1e-4);
    std::printf("the loss fell: %s\n", last < first ? "yes" : "no");
    wrong += !(last < first);
    CHECK(cudaFree(net));
    CHECK(cudaFree(batch));
    CHECK(cudaFree(loss));
    return verdict("mlp_training", wrong);
}
