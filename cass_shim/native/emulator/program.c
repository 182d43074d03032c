/* Programs: code decoded run by run on demand, kept until the program is destroyed. Thread-safe: a
 * run is decoded under the program's lock with all its branch targets, then published. */
#include "emulator/decode.h"
#include "emulator/native.h"
#include "emulator/pending.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    op_t *ops;
    unsigned count, room;
} buffer_t;

typedef struct {
    uint32_t *items;
    unsigned count, room;
} worklist_t;

struct emu_program {
    const uint8_t *text;
    uint32_t words;
    pthread_mutex_t lock;
    const op_t **known;           /* by word, while decoding */
    _Atomic(const op_t *) *ready; /* by word, published */
    op_t **runs;
    unsigned run_count, run_room;
    uint32_t seq;
    worklist_t targets, fresh;
    buffer_t run;
    op_t outside;       /* a branch out of the code faults when taken */
    worklist_t roots;   /* where decoding began: entries, and what indirect jumps went to */
    worklist_t entries; /* of kernels that were launched */
    native_kernel *kernels;
    int out_of_memory;
};

emu_program *emu_program_create(const void *text, size_t text_bytes, char *error,
                                size_t error_bytes) {
    const char *why = NULL;
    emu_program *p = NULL;
    if ((uintptr_t)text & 3) why = "code is not aligned to 4 bytes";
    else if (text_bytes / 4 == 0 || text_bytes > 0x40000000u)
        why = "code is empty or larger than 1 GiB";
    else if (!(p = calloc(1, sizeof *p))) why = "out of host memory";
    if (p) {
        p->text = text;
        p->words = (uint32_t)(text_bytes / 4);
        p->known = calloc(p->words, sizeof *p->known);
        p->ready = calloc(p->words, sizeof *p->ready);
        pthread_mutex_init(&p->lock, NULL);
        unsigned illegal = emu_internal_row(X_ILLEGAL);
        p->outside.fn = emu_selected_variant()->handlers[illegal];
        p->outside.row = (uint16_t)illegal;
        p->outside.k[0] = (uint64_t)(uintptr_t)"branch leaves the code";
        if (!p->known || !p->ready) {
            emu_program_destroy(p);
            p = NULL;
            why = "out of host memory";
        }
    }
    if (!p && error_bytes) snprintf(error, error_bytes, "%s", why);
    return p;
}

void emu_program_destroy(emu_program *p) {
    if (!p) return;
    emu_native_forget(p->kernels);
    for (unsigned i = 0; i < p->run_count; i++) free(p->runs[i]);
    free(p->runs);
    free(p->known);
    free((void *)p->ready);
    free(p->targets.items);
    free(p->fresh.items);
    free(p->roots.items);
    free(p->entries.items);
    free(p->run.ops);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

uint64_t emu_program_base(const emu_program *p) { return (uint64_t)(uintptr_t)p->text; }

uint32_t emu_program_words(const emu_program *p) { return p->words; }

uint32_t emu_program_word(const emu_program *p, uint32_t offset) {
    uint32_t word = 0;
    if (offset / 4 < p->words) memcpy(&word, p->text + offset, 4);
    return word;
}

/* Doubles an array when full; returns 0 and keeps it when memory is out. */
static int grow(void **items, unsigned *room, unsigned needed, size_t each) {
    if (needed <= *room) return 1;
    unsigned wanted = *room ? *room * 2 : 64;
    while (wanted < needed) wanted *= 2;
    void *bigger = realloc(*items, wanted * each);
    if (!bigger) return 0;
    *items = bigger;
    *room = wanted;
    return 1;
}

static void push(emu_program *p, worklist_t *list, uint32_t word) {
    if (grow((void **)&list->items, &list->room, list->count + 1, sizeof *list->items))
        list->items[list->count++] = word;
    else p->out_of_memory = 1;
}

static op_t *append(emu_program *p, const op_t *ops, unsigned count) {
    if (!grow((void **)&p->run.ops, &p->run.room, p->run.count + count, sizeof(op_t))) {
        p->out_of_memory = 1;
        return NULL;
    }
    op_t *at = p->run.ops + p->run.count;
    memcpy(at, ops, count * sizeof *ops);
    p->run.count += count;
    return at;
}

static void append_internal(emu_program *p, unsigned which, uint32_t pc, uint64_t k0) {
    op_t o;
    memset(&o, 0, sizeof o);
    unsigned row = emu_internal_row(which);
    o.fn = emu_selected_variant()->handlers[row];
    o.row = (uint16_t)row;
    o.pc = pc;
    o.seq = p->seq;
    o.k[0] = k0;
    append(p, &o, 1);
}

/* Its records, and where results come late what stands around them. */
static void append_decoded(emu_program *p, decode_t *d, uint32_t seq) {
    op_t around[PENDING_ROOM], *records = d->out;
    unsigned count = d->count;
    if (emu_pending_wanted()) {
        count = emu_pending_records(d, around);
        records = around;
    }
    for (unsigned i = 0; i < count; i++) records[i].seq = seq;
    if (count) append(p, records, count);
}

/* Appends the instruction at `word` and notes where it may go; what follows it in the text. The run
 * ends behind it when *last is set. */
static uint32_t decode_one(emu_program *p, uint32_t word, int *last) {
    decode_t d;
    d.words = (const uint32_t *)(const void *)p->text + word;
    d.available = p->words - word;
    d.pc = word * 4;
    emu_decode(&d);
    p->known[word] = (const op_t *)(uintptr_t)(p->run.count + 1);
    push(p, &p->fresh, word);
    uint32_t seq = p->seq;
    if (d.count) {
        p->seq++;
        if (d.flow == FLOW_BRANCH || d.flow == FLOW_JUMP) {
            d.out[d.count - 1].k[0] = d.target;
            if (d.target % 4 == 0 && d.target / 4 < p->words) push(p, &p->targets, d.target / 4);
        }
    }
    append_decoded(p, &d, seq);
    *last = d.flow == FLOW_END || d.flow == FLOW_JUMP || p->out_of_memory;
    return word + (d.used ? d.used : 1);
}

/* Gives the decoded records their place; known[] of what is fresh from `first` on, too. */
static void place_run(emu_program *p, unsigned first) {
    op_t *ops = malloc((p->run.count + 1) * sizeof *ops);
    if (!ops || !grow((void **)&p->runs, &p->run_room, p->run_count + 1, sizeof *p->runs)) {
        free(ops);
        p->out_of_memory = 1;
        return;
    }
    memcpy(ops, p->run.ops, p->run.count * sizeof *ops);
    p->runs[p->run_count++] = ops;
    for (unsigned i = first; i < p->fresh.count; i++) {
        const op_t **slot = &p->known[p->fresh.items[i]];
        *slot = ops + ((uintptr_t)*slot - 1);
    }
    ops[p->run.count].row = NO_ROW; /* end mark */
}

/* Instructions that follow each other, starting at `word`; known[] gets record indices + 1 until
 * the run is placed. */
static void decode_run(emu_program *p, uint32_t word) {
    static const char past_end[] = "ran past the end of the code";
    unsigned first = p->fresh.count;
    p->run.count = 0;
    for (int last = 0; !last;) {
        if (word >= p->words) {
            append_internal(p, X_ILLEGAL, word * 4, (uint64_t)(uintptr_t)past_end);
            break;
        }
        if (p->known[word]) {
            append_internal(p, X_JUMP, word * 4, word * 4);
            break;
        }
        word = decode_one(p, word, &last);
    }
    place_run(p, first);
}

int emu_is_branch(const op_t *o) {
    const emu_row *row = &emu_rows[o->row];
    return (row->encoding == ENC_SOPP && row->opcode >= 32 && row->opcode <= 38) ||
           (row->encoding == ENC_SOPK && row->opcode == 20) ||
           (row->encoding == ENC_INTERNAL && row->opcode == X_JUMP);
}

/* Byte offsets in branch records become record addresses and counting corrections. */
static void link_branches(emu_program *p, unsigned first_run) {
    for (unsigned r = first_run; r < p->run_count; r++) {
        for (op_t *o = p->runs[r]; o->row != NO_ROW; o++) {
            if (!emu_is_branch(o)) continue;
            uint64_t target = o->k[0];
            const op_t *to = target % 4 == 0 && target / 4 < p->words ? p->known[target / 4] : NULL;
            if (!to) to = &p->outside;
            int counted = emu_rows[o->row].encoding != ENC_INTERNAL;
            o->k[0] = (uint64_t)(uintptr_t)to;
            o->k[1] = (uint64_t)o->seq + (uint64_t)counted - to->seq;
        }
    }
}

static const op_t *decode_from(emu_program *p, uint32_t word) {
    unsigned first_run = p->run_count;
    push(p, &p->roots, word);
    p->fresh.count = 0;
    p->targets.count = 0;
    push(p, &p->targets, word);
    while (p->targets.count && !p->out_of_memory) {
        uint32_t next = p->targets.items[--p->targets.count];
        if (!p->known[next]) decode_run(p, next);
    }
    if (p->out_of_memory) return NULL;
    link_branches(p, first_run);
    for (unsigned i = 0; i < p->fresh.count; i++)
        atomic_store_explicit(&p->ready[p->fresh.items[i]], p->known[p->fresh.items[i]],
                              memory_order_release);
    return p->known[word];
}

const op_t *emu_program_at(emu_program *p, uint64_t pc) {
    uint64_t offset = pc - (uint64_t)(uintptr_t)p->text;
    if (offset % 4 || offset / 4 >= p->words) return NULL;
    uint32_t word = (uint32_t)(offset / 4);
    const op_t *o = atomic_load_explicit(&p->ready[word], memory_order_acquire);
    if (o) return o;
    pthread_mutex_lock(&p->lock);
    o = p->out_of_memory ? NULL : p->known[word] ? p->known[word] : decode_from(p, word);
    pthread_mutex_unlock(&p->lock);
    return o;
}

static int listed(const worklist_t *list, uint32_t word) {
    for (unsigned i = 0; i < list->count; i++)
        if (list->items[i] == word) return 1;
    return 0;
}

const op_t *emu_program_entry(emu_program *p, uint64_t pc) {
    const op_t *entry = emu_program_at(p, pc);
    if (!entry) return NULL;
    /* not of the record: what does nothing, as s_clause, has none */
    uint32_t word = (uint32_t)((pc - emu_program_base(p)) / 4);
    pthread_mutex_lock(&p->lock);
    if (!listed(&p->entries, word)) push(p, &p->entries, word);
    pthread_mutex_unlock(&p->lock);
    return entry;
}

unsigned emu_program_callees(emu_program *p, const op_t **callees, unsigned room) {
    unsigned count = 0;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->roots.count && count < room; i++)
        if (!listed(&p->entries, p->roots.items[i])) callees[count++] = p->known[p->roots.items[i]];
    pthread_mutex_unlock(&p->lock);
    return count;
}

native_kernel **emu_program_kernels(emu_program *p) { return &p->kernels; }

unsigned emu_program_targets(emu_program *p, uint32_t *offsets, unsigned room) {
    unsigned count = 0;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->roots.count && count < room; i++)
        offsets[count++] = p->roots.items[i] * 4;
    pthread_mutex_unlock(&p->lock);
    return count;
}
