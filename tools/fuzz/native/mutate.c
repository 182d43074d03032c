/* Changes to an input: bits, numbers of interest, pieces moved, operands of comparisons swapped in.
 */
#include <string.h>

#include "driver.h"

static uint64_t state = 1;

void chance_seed(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u; }

/* splitmix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators". */
uint64_t chance_next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t limit) { return limit != 0 ? (size_t)(chance_next() % limit) : 0; }

/* Most often near the start, where headers are. */
static size_t position(size_t size) {
    size_t shape = below(4);
    return below(shape == 0 && size > 64 ? 64 : shape == 1 && size > 512 ? 512 : size);
}

static void put_number(uint8_t *bytes, size_t size) {
    static const uint64_t NUMBERS[] = {
        0,          1,          2,          7,           8,         16,         63,        64,
        127,        128,        255,        256,         0x7fff,    0x8000,     0xffff,    0x10000,
        0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX, 1ull << 63, UINT64_MAX};
    size_t width = (size_t)1 << below(4);
    if (size < width) return;
    size_t at = position(size - width + 1);
    uint64_t value = 0;
    memcpy(&value, bytes + at, width);
    switch (below(4)) {
    case 0:
        value = NUMBERS[below(sizeof NUMBERS / sizeof NUMBERS[0])];
        break;
    case 1:
        value += 1 + below(16);
        break;
    case 2:
        value -= 1 + below(16);
        break;
    default:
        value = below(3) ? size - below(9) : -NUMBERS[below(8)];
    }
    memcpy(bytes + at, &value, width);
}

/* One operand of a comparison, where the other is found in the input. */
static void use_pair(uint8_t *bytes, size_t size) {
    uint64_t left, right;
    unsigned width;
    if (!feedback_pair(chance_next(), &left, &right, &width) || size < width) return;
    if (below(2)) {
        uint64_t kept = left;
        left = right, right = kept;
    }
    const uint8_t *found = memmem(bytes, size, &left, width);
    for (const uint8_t *next = found; next != NULL && below(2); found = next)
        if ((next = memmem(next + 1, size - (size_t)(next + 1 - bytes), &left, width)) == NULL)
            break;
    if (found == NULL && width > 4) found = memmem(bytes, size, &left, width = 4);
    size_t at = found != NULL ? (size_t)(found - bytes) : position(size - width + 1);
    memcpy(bytes + at, &right, width);
}

static size_t remove_piece(uint8_t *bytes, size_t size) {
    if (size < 2) return size;
    size_t length = 1 + below(below(2) ? 16 : size / 2), at = position(size);
    if (length > size - at) length = size - at;
    memmove(bytes + at, bytes + at + length, size - at - length);
    return size - length;
}

/* Copies a piece of `from` over or into the input. */
static size_t take_piece(uint8_t *bytes, size_t size, const uint8_t *from, size_t from_size) {
    uint8_t piece[4096];
    if (from_size == 0) return size;
    size_t start = below(from_size), length = 1 + below(below(2) ? 32 : sizeof piece);
    if (length > from_size - start) length = from_size - start;
    memcpy(piece, from + start, length);
    size_t at = below(size + 1);
    if (below(2)) {
        if (length > INPUT_LIMIT - size) return size;
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, piece, length);
        return size + length;
    }
    if (length > size - at) length = size - at;
    memcpy(bytes + at, piece, length);
    return size;
}

static size_t change_once(uint8_t *bytes, size_t size, const input *other) {
    switch (size == 0 ? 7 : below(10)) {
    case 0:
    case 1:
        bytes[position(size)] ^= (uint8_t)(1u << below(8));
        return size;
    case 2:
        bytes[position(size)] = (uint8_t)chance_next();
        return size;
    case 3:
    case 4:
        put_number(bytes, size);
        return size;
    case 5:
        return below(4) ? (put_number(bytes, size), size) : remove_piece(bytes, size);
    case 6:
        return take_piece(bytes, size, bytes, size);
    case 7:
        return take_piece(bytes, size, other->bytes, other->size);
    default:
        use_pair(bytes, size);
        return size;
    }
}

size_t mutate(uint8_t *bytes, size_t size, const input *other) {
    for (size_t steps = (size_t)1 << below(2) * below(5); steps > 0; steps--)
        size = change_once(bytes, size, other);
    return size;
}
