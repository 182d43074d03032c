// An interpreter of a small stack language: a switch with many cases, a local array as the stack,
// programs in constant memory.
// features: switch, local_array, constant, to_symbol
#include "../common.h"

enum Code : unsigned char {
    PUSH,
    ADD,
    SUB,
    MUL,
    XOR,
    SHL,
    DUP,
    SWAP,
    ROT,
    INPUT,
    JUMP_IF,
    NOT,
    MIN,
    MAX,
    HALT
};
constexpr int kProgram = 64, kDepth = 16;
__constant__ unsigned char program_memory[kProgram];

__host__ __device__ inline unsigned step(const unsigned char *code, unsigned input) {
    unsigned stack[kDepth] = {};
    int top = 0, at = 0;
    for (int steps = 0; steps < 400; ++steps) {
        unsigned a = stack[(top + kDepth - 1) % kDepth], b = stack[(top + kDepth - 2) % kDepth];
        int one = (top + kDepth - 1) % kDepth, two = (top + kDepth - 2) % kDepth,
            three = (top + kDepth - 3) % kDepth;
        switch (code[at++ % kProgram]) {
        case PUSH:
            stack[top++ % kDepth] = code[at++ % kProgram];
            break;
        case ADD:
            stack[two] = b + a;
            --top;
            break;
        case SUB:
            stack[two] = b - a;
            --top;
            break;
        case MUL:
            stack[two] = b * a;
            --top;
            break;
        case XOR:
            stack[two] = b ^ a;
            --top;
            break;
        case SHL:
            stack[two] = b << (a & 31);
            --top;
            break;
        case DUP:
            stack[top++ % kDepth] = a;
            break;
        case SWAP:
            stack[one] = b, stack[two] = a;
            break;
        case ROT:
            stack[one] = stack[three], stack[three] = b, stack[two] = a;
            break;
        case INPUT:
            stack[top++ % kDepth] = input;
            break;
        case JUMP_IF:
            at = a ? code[at % kProgram] : at + 1;
            --top;
            break;
        case NOT:
            stack[one] = ~a;
            break;
        case MIN:
            stack[two] = a < b ? a : b;
            --top;
            break;
        case MAX:
            stack[two] = a > b ? a : b;
            --top;
            break;
        default:
            return a;
        }
        top = (top + kDepth) % kDepth;
    }
    return 0xdead;
}

__global__ void execute(unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = step(program_memory, i);
}

int main() {
    const int n = 200;
    // Collatz-like: count in a loop whose length depends on the input, then mix.
    const unsigned char loop[kProgram] = {PUSH, 1,   INPUT,   PUSH, 1,   ADD,   PUSH, 31,   MIN,
                                          DUP,  ROT, MUL,     PUSH, 3,   ADD,   SWAP, PUSH, 1,
                                          SUB,  DUP, JUMP_IF, 9,    ADD, INPUT, XOR,  HALT};
    const unsigned char straight[kProgram] = {INPUT, DUP, MUL,  PUSH, 7,   SHL, INPUT,
                                              NOT,   XOR, PUSH, 200,  MAX, HALT};
    Device<unsigned> out(n);
    long wrong = 0;
    for (const unsigned char *code : {loop, straight}) {
        CHECK(cudaMemcpyToSymbol(program_memory, code, kProgram));
        execute<<<2, 128>>>(out, n);
        finish();
        std::vector<unsigned> got = out.get(), expected(n);
        for (int i = 0; i < n; ++i) expected[i] = step(code, i);
        wrong += count_different(got, expected);
        std::printf("f(5)=%u f(40)=%u ", got[5], got[40]);
        print_digest("run", got);
    }
    return verdict("bytecode_machine", wrong);
}
