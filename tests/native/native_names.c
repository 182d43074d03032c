/* Tries what native_names.c says of instructions: each body runs twice, with the registers that are
 * said to be read the same and all others different. The results must be the same, and registers
 * that are not said to be written must keep their values. Prints how many opcodes ran, and each
 * that is wrong: `names SEED CASES`. */
#include "emulator/native_names.h"
#include "emulator/native_unit.h"

#include <stdio.h>
#include <stdlib.h>

#define REGION (1u << 16)
#define LDS_BYTES 65536u
#define LANE_SCRATCH 8192u

static uint8_t region[REGION], memory[REGION], lds[LDS_BYTES], scratch[LANE_SCRATCH * LANES];
static uint8_t pages[REGION / 4096 + 1];
static uint64_t seed;
static wave_t base, first, second, before_first, before_second;
static group_t group;
static emu_launch launch;

static uint32_t chance(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static const op_t *stop(wave_t *w, const op_t *o) {
    (void)w, (void)o;
    return NULL;
}

/* Words of some encoding, since few of all random words are instructions. */
static void random_words(uint32_t *words) {
    static const uint32_t prefixes[][2] = {
        {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff}, {0x00000000, 0x7fffffff},
        {0xd4000000, 0x03ffffff}, {0xd7000000, 0x00ffffff}, {0xcc000000, 0x00ffffff},
        {0xc8000000, 0x03ffffff}, {0xbe800000, 0x007fffff}, {0x80000000, 0x3fffffff},
        {0xb0000000, 0x0fffffff}, {0xbf000000, 0x007fffff}, {0xf4000000, 0x03ffffff},
        {0xd8000000, 0x03fcffff}, {0xdc000000, 0x03ffffff}};
    const uint32_t *prefix = prefixes[chance() % (sizeof prefixes / sizeof *prefixes)];
    for (int i = 0; i < 6; i++) words[i] = chance();
    words[0] = prefix[0] | (words[0] & prefix[1]);
    if (words[0] >> 26 == 0x35 && chance() % 2) words[1] |= 0x4020100; /* three VGPRs */
}

static void point_at(wave_t *w, const op_t *o, int i, uint64_t address, uint32_t spread) {
    uint32_t *at = (uint32_t *)(void *)((char *)w + o->off[i]);
    if (src_kind(o, i) == SRC_SGPR) memcpy(at, &address, 8);
    if (src_kind(o, i) != SRC_VGPR) return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t x = address + chance() % spread / 16 * 16;
        at[lane] = (uint32_t)x;
        at[LANES + lane] = (uint32_t)(x >> 32);
    }
}

/* Addresses inside what there is. */
static void aim(wave_t *w, op_t *o) {
    uint64_t middle = (uint64_t)(uintptr_t)region + REGION / 2;
    unsigned encoding = emu_rows[o->row].encoding;
    if (encoding == ENC_DS) {
        o->k[1] &= 0x0f0f & ~7u;
        point_at(w, o, 0, 0, 4096);
        w->s[S_M0] = 16;
    } else if (encoding == ENC_SMEM) {
        o->k[2] &= 0x3fc;
        point_at(w, o, 1, 16, 16);
        point_at(w, o, 0, middle, 16);
    } else if (encoding == ENC_SCRATCH) {
        o->k[2] &= 0x3fc;
        if (o->flags & F_SADDR) point_at(w, o, 1, 16, 16);
        point_at(w, o, 0, 0, 4096);
    } else if (encoding == ENC_GLOBAL || encoding == ENC_FLAT) {
        o->k[2] &= 0x3f0;
        if (o->flags & F_SADDR) point_at(w, o, 1, middle, 16);
        point_at(w, o, 0, o->flags & F_SADDR ? 0 : middle, 4096);
    }
}

static void fill(wave_t *w) {
    for (unsigned i = 0; i < VGPRS + TEMPS; i++)
        for (unsigned k = 0; k < LANES; k++) w->v[i][k] = chance() >> (chance() % 4 * 8);
    for (unsigned i = 0; i < SGPR_SLOTS; i++) w->s[i] = chance();
    unsigned kind = chance() % 3;
    w->s[S_EXEC] = kind == 0 ? ~0u : kind == 1 ? chance() : chance() & chance() & chance();
    w->s[S_SCC] &= 1;
    w->saved_exec = chance();
}

static int special(unsigned s) {
    return s == S_VCC || s == S_VCC + 1 || (s >= S_M0 && s <= S_EXEC + 1) || s == S_SCC;
}

/* What happens to a lane of a vector register, or to a scalar register, in the second run. */
enum { SAME = 1, WRITTEN = 2, WHOLE = 4 };
static uint8_t v_is[VGPRS + TEMPS][LANES], s_is[SGPR_SLOTS];

static void mark(const native_range *r, unsigned bits, uint32_t lanes) {
    for (unsigned i = r->first; i < (unsigned)r->first + r->count; i++) {
        if (r->scalar && i < SGPR_SLOTS) s_is[i] |= (uint8_t)bits;
        for (unsigned k = 0; !r->scalar && i < VGPRS + TEMPS && k < LANES; k++)
            if (lanes >> k & 1) v_is[i][k] |= (uint8_t)bits;
    }
}

static void read_names(const native_names *n, uint32_t exec) {
    memset(v_is, 0, sizeof v_is);
    memset(s_is, 0, sizeof s_is);
    for (unsigned i = 0; i < n->write_count; i++)
        mark(&n->writes[i], WRITTEN | (n->writes[i].whole ? WHOLE : SAME), ~0u);
    for (unsigned i = 0; i < n->read_count; i++)
        mark(&n->reads[i], SAME, n->reads[i].whole ? ~0u : exec);
}

static int run(wave_t *w, op_t *o) {
    memcpy(region, memory, sizeof region);
    memset(lds, 7, sizeof lds);
    memset(scratch, 9, sizeof scratch);
    w->state = WAVE_READY;
    emu_selected_variant()->handlers[o->row](w, o);
    return w->state == WAVE_FAULT;
}

/* Whether one word came out as it was said to. `active`: its lane was. */
static int word_ok(unsigned is, int active, uint32_t a, uint32_t b, uint32_t was_a,
                   uint32_t was_b) {
    if (!(is & WRITTEN)) return a == was_a && b == was_b;
    if ((is & WHOLE) && !active) return a == was_a && b == was_b;
    return a == b;
}

/* -1: right; else the register that is wrong (scalar ones from 1000 on). */
static int compare(uint32_t exec) {
    for (unsigned i = 0; i < VGPRS + TEMPS; i++)
        for (unsigned k = 0; k < LANES; k++)
            if ((i < TEMP0 || (exec >> k & 1)) && /* a temporary ends with its instruction */
                !word_ok(v_is[i][k], exec >> k & 1, first.v[i][k], second.v[i][k],
                         before_first.v[i][k], before_second.v[i][k]))
                return (int)i;
    for (unsigned i = 0; i < 256; i++)
        if (!special(i) &&
            !word_ok(s_is[i], 1, first.s[i], second.s[i], before_first.s[i], before_second.s[i]))
            return 1000 + (int)i;
    return -1;
}

static int try_record(op_t *o, uint8_t *ran) {
    native_names n;
    native_names_of(o, &n);
    fill(&base);
    aim(&base, o);
    uint32_t exec = base.s[S_EXEC];
    read_names(&n, exec);
    first = second = base;
    for (unsigned i = 0; i < VGPRS + TEMPS; i++)
        for (unsigned k = 0; k < LANES; k++)
            if (!(v_is[i][k] & SAME)) second.v[i][k] = chance();
    for (unsigned i = 0; i < SGPR_SLOTS; i++)
        if (!(s_is[i] & SAME) && !special(i)) second.s[i] = chance();
    before_first = first;
    before_second = second;
    int faults = run(&first, o), again = run(&second, o);
    if (faults || again) return faults == again ? 0 : 1;
    ran[o->row] = 1;
    int wrong = compare(exec);
    if (wrong >= 0) printf("%s: register %d\n", emu_rows[o->row].name, wrong);
    return wrong >= 0;
}

/* Two runs at different times. */
static int reads_clocks(const op_t *o) {
    const char *name = emu_rows[o->row].name;
    return strncmp(name, "s_getreg", 8) == 0 || strncmp(name, "s_sendmsg_rtn", 13) == 0;
}

static int try_words(const uint32_t *words, uint8_t *ran) {
    decode_t d = {.words = words, .available = 6};
    int wrong = 0;
    emu_decode(&d);
    for (unsigned i = 0; i < d.count && !d.error; i++) {
        op_t o[2] = {d.out[i], {.fn = stop, .row = NO_ROW}};
        native_names n;
        native_names_of(&o[0], &n);
        if (native_ends_block(&o[0]) || n.everything || reads_clocks(&o[0])) continue;
        wrong += try_record(&o[0], ran);
    }
    return wrong;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    static uint8_t ran[65536];
    char error[100];
    static const uint32_t text[2] = {0xbfb00000, 0xbfb00000};
    seed = strtoull(arguments[1], NULL, 10);
    memset(pages, 1, sizeof pages);
    emu_space = (emu_space_t){region, REGION, pages};
    for (unsigned i = 0; i < REGION; i++) memory[i] = (uint8_t)chance();
    base.program = emu_program_create(text, sizeof text, error, sizeof error);
    base.group = &group;
    group.launch = &launch;
    base.lds = lds;
    base.lds_bytes = LDS_BYTES;
    base.scratch = scratch;
    base.scratch_bytes = LANE_SCRATCH;
    base.mode = 0xf0;
    emu_mode_changed(&base);
    int wrong = 0;
    for (long i = strtol(arguments[2], NULL, 10); i > 0 && wrong < 20; i--) {
        uint32_t words[6];
        random_words(words);
        wrong += try_words(words, ran);
    }
    unsigned opcodes = 0;
    for (unsigned i = 0; i < emu_row_count; i++) opcodes += ran[i];
    printf("%u opcodes, %d wrong\n", opcodes, wrong);
    return wrong != 0;
}
