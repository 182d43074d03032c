// Memory of the compiled reference: loads, stores and atomic operations, checked as
// verify/memory.py checks them. Arrays are numpy's. A fault is kept as the one that numpy would
// have raised: the first instruction, then the kind of check, then the lowest lane; the code goes
// on with the other lanes to find it.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GLOBAL, SHARED, LOCAL, GENERIC };
enum { BANKS = 16 }; // faults name constant banks with this added
enum { RANGE, MISALIGNED, PHASES = 2 };
enum { RAN, FAULTED, REFUSED };
enum { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC };

struct memory {
    uint8_t *arena, *valid, *touched;
    int32_t *writer;
    uint64_t base;
    int64_t size;
    uint8_t *shared, *written;
    int64_t shared_size;
    uint8_t *local;
    int64_t local_size;
    uint64_t shared_high, local_high;
    const int64_t *block_of;
    uint64_t fault_key, fault_address,
        fault_what; // what: the space, or 16 and more a bank; bytes above
    uint32_t
        *seen; // instruction, window: loads whose first lane read there; NULL where nobody asks
    int64_t windows, window_bytes;
    int64_t *noted, *flagged; // per instruction, when it was last counted
    int64_t stamp, undefined, contended;
    int64_t shuffled; // whether lanes take their turn at atomic operations in another order
    uint64_t turns;
    int32_t *order; // room for the lanes
};

int32_t cass_reference_load(struct memory *m, uint32_t space, uint32_t lane, uint64_t address,
                            uint32_t bytes, uint32_t index, uint32_t *out);
int32_t cass_reference_store(struct memory *m, const int32_t *active, int64_t count,
                             uint64_t *const *values, uint32_t space, uint32_t index,
                             uint32_t bytes, uint32_t parts, int32_t address);
int32_t cass_reference_atomic(struct memory *m, const int32_t *active, int64_t count,
                              uint64_t *const *values, uint32_t space, uint32_t index,
                              uint32_t bytes, uint32_t operation, uint32_t is_signed,
                              int32_t address);
int32_t cass_reference_constant(struct memory *m, uint32_t lane, uint32_t at, uint32_t limit,
                                uint32_t bytes, uint32_t index, uint32_t bank);
int64_t cass_reference_memory_size(void);

static void fault(struct memory *m, uint32_t index, uint32_t phase, uint32_t lane, uint64_t address,
                  uint64_t what) {
    uint64_t key = (uint64_t)index << 40 | (uint64_t)phase << 36 | lane;
    if (key >= m->fault_key) return;
    m->fault_key = key;
    m->fault_address = address;
    m->fault_what = what;
}

static uint32_t space_of(const struct memory *m, uint32_t space, uint64_t address) {
    if (space != GENERIC) return space;
    return address >> 32 == m->shared_high  ? SHARED
           : address >> 32 == m->local_high ? LOCAL
                                            : GLOBAL;
}

// Offset of an access in its storage, or -1 with the fault noted. The space is no longer GENERIC.
static int64_t locate(struct memory *m, uint32_t space, bool generic, uint32_t lane,
                      uint64_t address, uint32_t bytes, uint32_t index) {
    uint32_t first = generic ? PHASES * space : 0;
    int64_t offset;
    bool bad;
    if (space == GLOBAL) {
        offset = (int64_t)(address - m->base);
        bad = offset < 0 || offset > m->size - (int64_t)bytes || !m->valid[offset] ||
              !m->valid[offset + bytes - 1];
    } else {
        int64_t size = space == SHARED ? m->shared_size : m->local_size;
        int64_t row = space == SHARED ? m->block_of[lane] : (int64_t)lane;
        address = (uint32_t)address;
        bad = (int64_t)address > size - (int64_t)bytes;
        offset = row * size + (int64_t)address;
    }
    if (bad || offset & (bytes - 1)) {
        fault(m, index, first + (bad ? RANGE : MISALIGNED), lane, address,
              space | (uint64_t)bytes << 8);
        return -1;
    }
    return offset;
}

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint8_t *storage(const struct memory *m, uint32_t space) {
    return space == GLOBAL ? m->arena : space == SHARED ? m->shared : m->local;
}

static void note_undefined(struct memory *m, uint32_t index) {
    m->undefined += m->flagged[index] != m->stamp;
    m->flagged[index] = m->stamp;
}

static void mark(struct memory *m, uint32_t space, int64_t offset, uint32_t bytes,
                 int32_t address) {
    if (space == LOCAL) return;
    memset((space == GLOBAL ? m->touched : m->written) + offset, 1, bytes);
    for (uint32_t word = 0; space == GLOBAL && word < bytes; word += 4)
        m->writer[(offset + word) >> 2] = address;
}

// One lane's load of 1 to 16 bytes into up to four words.
int32_t cass_reference_load(struct memory *m, uint32_t space, uint32_t lane, uint64_t address,
                            uint32_t bytes, uint32_t index, uint32_t *out) {
    if (m->seen && (space == GLOBAL || space == GENERIC) && m->noted[index] != m->stamp) {
        int64_t window = (int64_t)(address - m->base) / m->window_bytes;
        m->noted[index] = m->stamp;
        if (window >= 0 && address >= m->base && window < m->windows)
            m->seen[index * m->windows + window]++;
    }
    uint32_t real = space_of(m, space, address);
    int64_t offset = locate(m, real, space == GENERIC, lane, address, bytes, index);
    if (offset < 0) return FAULTED;
    if (real == SHARED) // the first byte of each register, as numpy looks
        if (!m->written[offset]) note_undefined(m, index);
    out[0] = 0;
    memcpy(out, storage(m, real) + offset, bytes);
    return RAN;
}

// values: addresses, then one row per register. Nothing is written when one lane's access is
// illegal.
int32_t cass_reference_store(struct memory *m, const int32_t *active, int64_t count,
                             uint64_t *const *values, uint32_t space, uint32_t index,
                             uint32_t bytes, uint32_t parts, int32_t address) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t at = values[0][active[k]];
        locate(m, space_of(m, space, at), space == GENERIC, (uint32_t)active[k], at, bytes * parts,
               index);
    }
    if (m->fault_key != UINT64_MAX) return FAULTED;
    for (uint32_t part = 0; part < parts; part++)
        for (int64_t k = 0; k < count; k++) {
            uint64_t at = values[0][active[k]];
            uint32_t real = space_of(m, space, at);
            int64_t offset = locate(m, real, false, (uint32_t)active[k], at, bytes * parts, index) +
                             (int64_t)(bytes * part);
            memcpy(storage(m, real) + offset, &values[1 + part][active[k]], bytes);
            mark(m, real, offset, bytes, address);
        }
    return RAN;
}

static uint64_t combine(uint32_t operation, bool is_signed, uint32_t bytes, uint64_t old,
                        uint64_t value, uint64_t compare) {
    int64_t a = bytes == 8 ? (int64_t)old : (int32_t)old,
            b = bytes == 8 ? (int64_t)value : (int32_t)value;
    bool less = is_signed ? a < b : old < value;
    switch (operation) {
    case ADD:
        return old + value;
    case MIN:
        return less ? old : value;
    case MAX:
        return less ? value : old;
    case AND:
        return old & value;
    case OR:
        return old | value;
    case XOR:
        return old ^ value;
    case EXCH:
        return value;
    case CAS:
        return old == compare ? value : old;
    case INC:
        return old >= value ? 0 : old + 1;
    default:
        return old == 0 || old > value ? value : old - 1;
    }
}

// values: addresses, operands, what to compare with; the old values come back in the first row. In
// order of lanes.
int32_t cass_reference_atomic(struct memory *m, const int32_t *active, int64_t count,
                              uint64_t *const *values, uint32_t space, uint32_t index,
                              uint32_t bytes, uint32_t operation, uint32_t is_signed,
                              int32_t address) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t at = values[0][active[k]];
        locate(m, space_of(m, space, at), space == GENERIC, (uint32_t)active[k], at, bytes, index);
    }
    if (m->fault_key != UINT64_MAX) return FAULTED;
    for (int64_t k = 1; k < count && m->shuffled;
         k++) // the reference shuffles each space by itself
        if (space_of(m, space, values[0][active[k]]) != space_of(m, space, values[0][active[0]]))
            return REFUSED;
    if (!m->contended) // several lanes at one place: their order may show
        for (int64_t k = 1; k < count && !m->contended; k++)
            for (int64_t n = 0; n < k && !m->contended; n++) {
                uint64_t x = values[0][active[k]], y = values[0][active[n]];
                uint32_t real = space_of(m, space, x);
                bool same_row = real == GLOBAL || (real == SHARED && m->block_of[active[k]] ==
                                                                         m->block_of[active[n]]);
                m->contended = same_row && (real == GLOBAL ? x == y : (uint32_t)x == (uint32_t)y);
            }
    bool undefined = false;
    for (int64_t k = 0; k < count && operation != EXCH; k++) {
        uint64_t at = values[0][active[k]];
        if (space_of(m, space, at) != SHARED) continue;
        int64_t offset = m->block_of[active[k]] * m->shared_size + (int64_t)(uint32_t)at;
        undefined |= !m->written[offset];
    }
    m->undefined += undefined;
    for (int64_t k = 0; k < count; k++) m->order[k] = active[k];
    for (int64_t k = count - 1; k > 0 && m->shuffled; k--) {
        int64_t other = (int64_t)(splitmix(&m->turns) % (uint64_t)(k + 1));
        int32_t held = m->order[k];
        m->order[k] = m->order[other];
        m->order[other] = held;
    }
    for (int64_t k = 0; k < count; k++) {
        uint64_t at = values[0][m->order[k]], old = 0;
        uint32_t real = space_of(m, space, at);
        int64_t offset = locate(m, real, false, (uint32_t)m->order[k], at, bytes, index);
        memcpy(&old, storage(m, real) + offset, bytes);
        uint64_t fresh = combine(operation, is_signed != 0, bytes, old, values[1][m->order[k]],
                                 values[2][m->order[k]]);
        memcpy(storage(m, real) + offset, &fresh, bytes);
        mark(m, real, offset, bytes, address);
        values[0][m->order[k]] = old;
    }
    return RAN;
}

// Whether a lane may read `bytes` at `at` of a constant bank; limit: the first place that is too
// far.
int32_t cass_reference_constant(struct memory *m, uint32_t lane, uint32_t at, uint32_t limit,
                                uint32_t bytes, uint32_t index, uint32_t bank) {
    if (at < limit && !(at & (bytes - 1))) return RAN;
    fault(m, index, RANGE, lane, at, BANKS + bank);
    return FAULTED;
}

int64_t cass_reference_memory_size(void) { return sizeof(struct memory); }
