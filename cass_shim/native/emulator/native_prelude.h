/* Definitions behind the interpreter's headers, in translated code. */
emu_space_t emu_space;

#define BIT4(n) 1u << (n), 1u << ((n) + 1), 1u << ((n) + 2), 1u << ((n) + 3)
const uint32_t emu_lane_bit[LANES] __attribute__((aligned(128))) = {
    BIT4(0), BIT4(4), BIT4(8), BIT4(12), BIT4(16), BIT4(20), BIT4(24), BIT4(28)};
#define BYTES4(n) 4 * (n), 4 * ((n) + 1), 4 * ((n) + 2), 4 * ((n) + 3)
const uint32_t emu_lane_bytes[LANES] __attribute__((aligned(128))) = {
    BYTES4(0), BYTES4(4), BYTES4(8), BYTES4(12), BYTES4(16), BYTES4(20), BYTES4(24), BYTES4(28)};
