/* When a kernel is translated, and how a wave moves between the two back ends. */
#include "emulator/native.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/native_unit.h"

/* Wave-instructions after which the cache is asked (some 10 ms of work), and after which a compiler
 * is started: about when interpreting has cost what compiling will (docs/emulator.md). */
#define ASK_AFTER 4000000u
#define COMPILE_AFTER 40000000u
#define COMPILE_AFTER_EACH 1500000u /* instruction of the kernel */
#define TARGETS_MAX 256
#define CPU_SECONDS 120 /* of the compiler, for one unit */
#define NO_PC 0xffffffffu

enum { COLD, ASKED, HOT }; /* how far the request went */

struct native_kernel {
    native_kernel *next;
    struct emu_program *program; /* while it lives */
    const op_t *entry;
    char *name;
    uint32_t mode; /* low byte of MODE when it begins */
    _Atomic uint64_t executed, compile_after;
    atomic_int stage;
    _Atomic(native_code *) code;
    _Atomic(const char *) refused; /* why there is no code */
    _Atomic(const char *) leaves;  /* an instruction that the interpreter executes all the same */
    int references;                /* under lock */
};

typedef struct job job_t;
struct job {
    job_t *next;
    native_kernel *kernel;
    char *text;
    op_t *calls;
    int compile;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static job_t *jobs;
static int thread_started;

enum { NATIVE_OFF, NATIVE_ON, NATIVE_WAIT };

static int tier;
static pthread_once_t tier_once = PTHREAD_ONCE_INIT;

static void after_fork(void) {
    static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t fresh_cond = PTHREAD_COND_INITIALIZER;
    lock = fresh_lock;
    work = fresh_cond;
    jobs = NULL;
    thread_started = 0;
}

static double scale(double value, int power) { return ldexp(value, power); }

static native_services services = {
    .ldexp = scale,
    .exp2 = exp2,
    .log2 = log2,
    .sin = sin,
    .cos = cos,
};

/* Checking mode is about reports, which the interpreter makes; the oldest build has no vector units
 * worth translating for. */
static void choose_tier(void) {
    const char *wanted = getenv("CASS_EMU_NATIVE"), *check = getenv("CASS_EMU_CHECK");
    tier = NATIVE_ON;
    if (wanted && strcmp(wanted, "wait") == 0) tier = NATIVE_WAIT;
    if (wanted && wanted[0] == '0') tier = NATIVE_OFF;
    if ((check && check[0] == '1') || strcmp(emu_selected_variant()->name, "v2") == 0)
        tier = NATIVE_OFF;
    if (tier) pthread_atfork(NULL, NULL, after_fork);
    services.access = *emu_selected_variant()->access;
}

static void release(native_kernel *kernel) {
    pthread_mutex_lock(&lock);
    int left = --kernel->references;
    pthread_mutex_unlock(&lock);
    if (left) return;
    native_code *code = atomic_load(&kernel->code);
    if (code) dlclose(code->handle);
    if (code) free(code->calls);
    free(code);
    free(kernel->name);
    free(kernel);
}

/* ---- translating ---- */
static native_code *loaded(void *handle) {
    native_code *code = calloc(1, sizeof *code);
    const uint32_t *count = dlsym(handle, "emu_unit_entry_count");
    void (*start)(const native_services *, emu_space_t) = NULL;
    void *start_symbol = dlsym(handle, "emu_unit_start"), *run = dlsym(handle, "emu_unit_run");
    if (!code || !count || !start_symbol || !run) {
        free(code);
        dlclose(handle);
        return NULL;
    }
    memcpy(&start, &start_symbol, sizeof start);
    memcpy(&code->run, &run, sizeof run);
    code->handle = handle;
    code->entries = dlsym(handle, "emu_unit_entries");
    code->entry_count = *count;
    start(&services, emu_space);
    return code;
}

/* Takes `calls`. */
static void translate(native_kernel *kernel, const char *text, op_t *calls, int compile) {
    const char *why = NULL;
    if (atomic_load(&kernel->code)) {
        free(calls);
        return;
    }
    void *handle = emu_native_library(text, kernel->name, compile, CPU_SECONDS, &why);
    native_code *code = handle ? loaded(handle) : NULL;
    if (code) code->mode = kernel->mode;
    if (code) code->calls = calls;
    else free(calls);
    if (code) atomic_store(&kernel->code, code);
    else atomic_store(&kernel->refused, handle ? "its code cannot be loaded" : why);
}

/* Whether `offset` is where another kernel begins: only calls belong to a unit. */
static int is_kernel(const native_kernel *kernel, uint32_t offset) {
    struct emu_program *program = kernel->program;
    const op_t *at = emu_program_at(program, emu_program_base(program) + offset);
    pthread_mutex_lock(&lock);
    const native_kernel *k = *emu_program_kernels(program);
    while (k && k->entry != at) k = k->next;
    pthread_mutex_unlock(&lock);
    return k != NULL;
}

static char *text_with(native_kernel *kernel, const uint32_t *targets, unsigned count,
                       op_t **calls) {
    native_unit unit;
    native_unit_build(&unit, kernel->program, kernel->entry, kernel->mode, targets, count);
    char *text = unit.failed || !unit.covered ? NULL : native_emit(&unit);
    *calls = text ? native_calls(&unit) : NULL;
    if (text && !*calls) {
        free(text);
        text = NULL;
    }
    atomic_store(&kernel->leaves, unit.leaves);
    atomic_store(&kernel->compile_after,
                 COMPILE_AFTER + (uint64_t)COMPILE_AFTER_EACH * unit.records);
    atomic_store(&kernel->refused, text          ? NULL
                                   : unit.failed ? "too many instructions"
                                                 : "no instruction that is translated");
    native_unit_destroy(&unit);
    return text;
}

/* With the functions that were called so far, unless that is too much. */
static char *text_of(native_kernel *kernel, op_t **calls) {
    uint32_t targets[TARGETS_MAX];
    unsigned found = emu_program_targets(kernel->program, targets, TARGETS_MAX), count = 0;
    for (unsigned i = 0; i < found; i++)
        if (!is_kernel(kernel, targets[i])) targets[count++] = targets[i];
    char *text = text_with(kernel, targets, count, calls);
    return text || !count ? text : text_with(kernel, targets, 0, calls);
}

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!jobs) pthread_cond_wait(&work, &lock);
        job_t *job = jobs;
        jobs = job->next;
        pthread_mutex_unlock(&lock);
        translate(job->kernel, job->text, job->calls, job->compile);
        release(job->kernel);
        free(job->text);
        free(job);
    }
    return unused;
}

/* Under the lock. The thread takes no signals of the program's. */
static int start_thread(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, old;
    if (thread_started) return 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    thread_started = pthread_create(&thread, &attributes, worker, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return thread_started;
}

static void request(native_kernel *kernel, int compile) {
    job_t *job = calloc(1, sizeof *job);
    op_t *calls = NULL;
    char *text = job ? text_of(kernel, &calls) : NULL;
    if (!text) {
        free(job);
        return;
    }
    *job = (job_t){.kernel = kernel, .text = text, .calls = calls, .compile = compile};
    pthread_mutex_lock(&lock);
    int started = start_thread();
    if (started) {
        kernel->references++;
        job_t **end = &jobs;
        while (*end) end = &(*end)->next;
        *end = job;
        pthread_cond_signal(&work);
    }
    pthread_mutex_unlock(&lock);
    if (started) return;
    free(calls);
    free(text);
    free(job);
}

/* ---- kernels ---- */
static native_kernel *kernel_in(const emu_launch *launch, const op_t *entry) {
    uint32_t mode = launch->rsrc1 >> 12 & 0xff;
    native_kernel **list = emu_program_kernels(launch->program), *k = *list;
    while (k && (k->entry != entry || k->mode != mode)) k = k->next;
    if (k || !(k = calloc(1, sizeof *k))) return k;
    *k = (native_kernel){.next = *list,
                         .program = launch->program,
                         .entry = entry,
                         .mode = mode,
                         .references = 1,
                         .compile_after = COMPILE_AFTER};
    k->name = strdup(launch->kernel_name ? launch->kernel_name : "a kernel");
    return *list = k;
}

void emu_native_describe(const native_kernel *kernel, char *text, size_t bytes) {
    const char *refused = kernel ? atomic_load(&kernel->refused) : NULL;
    const char *leaves = kernel ? atomic_load(&kernel->leaves) : NULL;
    if (!kernel) snprintf(text, bytes, "%s", "");
    else if (atomic_load(&kernel->code))
        snprintf(text, bytes, "%s%s", leaves ? "translated but for " : "translated",
                 leaves ? leaves : "");
    else if (refused) snprintf(text, bytes, "interpreted: %s", refused);
    else
        snprintf(text, bytes, "%s",
                 atomic_load(&kernel->stage) == HOT ? "being compiled" : "not hot");
}

native_kernel *emu_native_kernel(const emu_launch *launch, const op_t *entry) {
    pthread_once(&tier_once, choose_tier);
    if (tier == NATIVE_OFF) return NULL;
    pthread_mutex_lock(&lock);
    native_kernel *kernel = kernel_in(launch, entry);
    pthread_mutex_unlock(&lock);
    if (kernel && tier == NATIVE_WAIT && atomic_exchange(&kernel->stage, HOT) != HOT) {
        op_t *calls = NULL;
        char *text = text_of(kernel, &calls);
        if (text) translate(kernel, text, calls, 1);
        free(text);
    }
    return kernel;
}

void emu_native_executed(native_kernel *kernel, uint64_t instructions) {
    if (!kernel || atomic_load_explicit(&kernel->stage, memory_order_relaxed) == HOT) return;
    uint64_t sum = atomic_fetch_add(&kernel->executed, instructions) + instructions;
    int cold = COLD, asked = ASKED;
    if (sum >= atomic_load(&kernel->compile_after) && atomic_exchange(&kernel->stage, HOT) != HOT)
        request(kernel, 1);
    else if (sum >= ASK_AFTER && atomic_compare_exchange_strong(&kernel->stage, &cold, asked))
        request(kernel, 0);
}

const native_code *emu_native_code(native_kernel *kernel) {
    return kernel ? atomic_load_explicit(&kernel->code, memory_order_acquire) : NULL;
}

void emu_native_forget(native_kernel *kernels) {
    while (kernels) {
        native_kernel *next = kernels->next;
        release(kernels);
        kernels = next;
    }
}

/* ---- running ---- */
static const native_entry *entry_at(const native_code *code, uint32_t pc) {
    uint32_t low = 0, high = code->entry_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (code->entries[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    return low < code->entry_count && code->entries[low].pc == pc ? &code->entries[low] : NULL;
}

/* Where translated code would go on with the waves of the group. */
static void find_records(const native_code *code, group_t *g) {
    for (uint32_t i = 0; i < g->wave_count; i++) {
        wave_t *w = g->waves[i];
        if (w->record_of == w->next || w->state == WAVE_DONE || w->state == WAVE_FAULT) continue;
        const native_entry *entry = entry_at(code, w->next->pc);
        w->record = entry ? entry->record : NO_RECORD;
        w->record_of = w->next;
    }
}

/* A wave that translated code left is where the interpreter expects it. */
static void set_next(wave_t *w) {
    w->next = emu_program_at(w->program, w->code + w->resume_pc);
    w->count_bias = w->executed - w->next->seq;
}

/* Translated code from w->record. */
static wave_t *run_translated(const native_code *code, wave_t *w, int *left) {
    group_t *g = w->group;
    for (uint32_t i = 0; i < g->wave_count; i++) g->waves[i]->resume_pc = NO_PC;
    wave_t *last = code->run(w, left, code->calls);
    for (uint32_t i = 0; i < g->wave_count; i++) {
        wave_t *x = g->waves[i];
        if (x->resume_pc == NO_PC || x->state == WAVE_DONE) continue;
        set_next(x);
        x->record_of = *left && x == last ? NULL : x->next;
    }
    return last;
}

static void count(group_t *g, const wave_t *w) {
    g->done += w->state == WAVE_DONE || w->state == WAVE_FAULT;
    g->waiting += w->state == WAVE_BARRIER;
}

/* Interprets up to the next branch that is taken, or in another mode than that of the code up to
 * stop_at; whether the wave may go on in translated code. */
static int run_interpreted(wave_t *w, int other_mode) {
    uint64_t stop_at = w->stop_at;
    group_t *g = w->group;
    w->stop_at = other_mode ? stop_at : 0;
    w->state = WAVE_READY;
    g->slept = 0;
    emu_selected_variant()->run(w, w->next);
    w->stop_at = stop_at;
    if (w->state != WAVE_DONE && w->state != WAVE_FAULT) w->executed = w->count_bias + w->next->seq;
    return w->state == WAVE_YIELD && !g->slept && w->executed < stop_at;
}

wave_t *emu_native_run(const native_code *code, wave_t *w, uint64_t *executed) {
    group_t *g = w->group;
    uint32_t slept = g->slept;
    for (;;) {
        int other = (w->mode & 0xff) != code->mode;
        find_records(code, g);
        if (!other && w->record != NO_RECORD) {
            uint64_t before = g->translated;
            int left = 0;
            w = run_translated(code, w, &left);
            *executed += g->translated - before;
            if (!left) break;
            if (w->state != WAVE_READY) {
                count(g, w);
                break;
            }
        }
        uint64_t before = w->executed;
        int on = run_interpreted(w, (w->mode & 0xff) != code->mode);
        *executed += w->executed - before;
        if (on) continue;
        count(g, w);
        break;
    }
    g->slept |= slept;
    return w;
}
