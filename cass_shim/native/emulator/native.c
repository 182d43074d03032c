/* When a kernel is translated, and by whom. */
#include "emulator/native_kernel.h"

#include "emulator/pending.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* Wave-instructions after which the cache is asked (some 10 ms of work), and after which a compiler
 * is started: about when interpreting has cost what compiling will (docs/emulator.md). */
#define ASK_AFTER 4000000u
#define COMPILE_AFTER 40000000u
#define COMPILE_AFTER_EACH 1500000u /* instruction of the kernel */
#define TARGETS_MAX 256
#define CPU_SECONDS 120 /* of the compiler, for one unit */

enum { COLD, ASKED, HOT }; /* how far the request went */

typedef struct job job_t;
struct job {
    job_t *next;
    native_kernel *kernel;
    uint32_t part;
    char *text;
    op_t *calls;
    int compile;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t waited = PTHREAD_MUTEX_INITIALIZER; /* CASS_EMU_NATIVE=wait: translating */
static job_t *jobs;
static int thread_started;

enum { NATIVE_OFF, NATIVE_ON, NATIVE_WAIT };

static int tier;
static pthread_once_t tier_once = PTHREAD_ONCE_INIT;

static void after_fork(void) {
    static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t fresh_cond = PTHREAD_COND_INITIALIZER;
    lock = waited = fresh_lock;
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
    const char *wanted = getenv("CASS_EMU_NATIVE");
    tier = NATIVE_ON;
    if (wanted && strcmp(wanted, "wait") == 0) tier = NATIVE_WAIT;
    if (wanted && wanted[0] == '0') tier = NATIVE_OFF;
    if (emu_setting("CASS_EMU_CHECK", 0) || emu_alignment_checked() || emu_pending_wanted() ||
        strcmp(emu_selected_variant()->name, "v2") == 0)
        tier = NATIVE_OFF;
    if (tier) pthread_atfork(NULL, NULL, after_fork);
    services.access = *emu_selected_variant()->access;
}

static void release(native_kernel *kernel) {
    pthread_mutex_lock(&lock);
    int left = --kernel->references;
    pthread_mutex_unlock(&lock);
    if (left) return;
    for (unsigned i = 0; i < NATIVE_PARTS; i++) {
        native_code *code = atomic_load(&kernel->codes[i]);
        if (code) dlclose(code->handle);
        if (code) free(code->calls);
        free(code);
    }
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

/* Takes the job's calls. */
static void translate(const job_t *job) {
    native_kernel *kernel = job->kernel;
    const char *why = NULL;
    if (atomic_load(&kernel->codes[job->part])) {
        free(job->calls);
        return;
    }
    void *handle = emu_native_library(job->text, kernel->name, job->compile, CPU_SECONDS, &why);
    native_code *code = handle ? loaded(handle) : NULL;
    if (!code) {
        free(job->calls);
        atomic_store(&kernel->refused, handle ? "its code cannot be loaded" : why);
        return;
    }
    code->calls = job->calls;
    atomic_store(&kernel->codes[job->part], code);
    atomic_fetch_add(&kernel->ready, 1);
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

/* The unit's parts as jobs, in their order; NULL: there are none. */
static job_t *jobs_of(native_kernel *kernel, native_unit *unit, int compile) {
    job_t *first = NULL, **end = &first;
    for (uint32_t part = 0; !unit->failed && unit->covered && part < unit->parts; part++) {
        job_t *job = calloc(1, sizeof *job);
        if (!job) break;
        native_unit_select(unit, part);
        *job = (job_t){.kernel = kernel, .part = part, .compile = compile};
        job->text = unit->failed ? NULL : native_emit(unit);
        job->calls = job->text ? native_calls(unit) : NULL;
        if (!job->calls) {
            free(job->text);
            free(job);
            break;
        }
        *end = job;
        end = &job->next;
    }
    return first;
}

static job_t *jobs_with(native_kernel *kernel, const uint32_t *targets, unsigned count,
                        int compile) {
    native_unit unit;
    native_unit_build(&unit, kernel->program, kernel->entry, kernel->mode, targets, count);
    job_t *list = jobs_of(kernel, &unit, compile);
    atomic_store(&kernel->leaves, unit.leaves);
    atomic_store(&kernel->parts, unit.parts);
    atomic_store(&kernel->compile_after,
                 COMPILE_AFTER + (uint64_t)COMPILE_AFTER_EACH * unit.records);
    atomic_store(&kernel->refused, list          ? NULL
                                   : unit.failed ? "too many instructions"
                                                 : "no instruction that is translated");
    native_unit_destroy(&unit);
    return list;
}

/* With the functions that it calls, as far as that is known, unless that is too much. */
static job_t *jobs_for(native_kernel *kernel, int compile) {
    uint32_t targets[TARGETS_MAX];
    unsigned found = emu_program_targets(kernel->program, targets, TARGETS_MAX), count = 0;
    for (unsigned i = 0; i < found; i++)
        if (!is_kernel(kernel, targets[i])) targets[count++] = targets[i];
    job_t *list = jobs_with(kernel, targets, count, compile);
    return list ? list : jobs_with(kernel, NULL, 0, compile);
}

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!jobs) pthread_cond_wait(&work, &lock);
        job_t *job = jobs;
        jobs = job->next;
        pthread_mutex_unlock(&lock);
        translate(job);
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

static void drop(job_t *list, int calls) {
    while (list) {
        job_t *next = list->next;
        if (calls) free(list->calls);
        free(list->text);
        free(list);
        list = next;
    }
}

static void request(native_kernel *kernel, int compile) {
    job_t *list = jobs_for(kernel, compile);
    if (!list) return;
    pthread_mutex_lock(&lock);
    int started = start_thread();
    if (started) {
        for (const job_t *job = list; job; job = job->next) kernel->references++;
        job_t **end = &jobs;
        while (*end) end = &(*end)->next;
        *end = list;
        pthread_cond_signal(&work);
    }
    pthread_mutex_unlock(&lock);
    if (!started) drop(list, 1);
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
    unsigned parts = kernel ? atomic_load(&kernel->parts) : 0;
    unsigned ready = kernel ? atomic_load(&kernel->ready) : 0;
    if (!kernel) snprintf(text, bytes, "%s", "");
    else if (ready && ready < parts)
        snprintf(text, bytes, "%u of %u parts translated", ready, parts);
    else if (ready)
        snprintf(text, bytes, "%s%s", leaves ? "translated but for " : "translated",
                 leaves ? leaves : "");
    else if (refused) snprintf(text, bytes, "interpreted: %s", refused);
    else
        snprintf(text, bytes, "%s",
                 atomic_load(&kernel->stage) == HOT ? "being compiled" : "not hot");
}

/* All of it before the launch goes on; another launch of the kernel waits here, too. */
static void translate_now(native_kernel *kernel) {
    pthread_mutex_lock(&waited);
    if (atomic_load(&kernel->stage) != HOT) {
        job_t *list = jobs_for(kernel, 1);
        for (const job_t *job = list; job; job = job->next) translate(job);
        drop(list, 0);
        atomic_store(&kernel->stage, HOT);
    }
    pthread_mutex_unlock(&waited);
}

native_kernel *emu_native_kernel(const emu_launch *launch, const op_t *entry) {
    pthread_once(&tier_once, choose_tier);
    if (tier == NATIVE_OFF) return NULL;
    pthread_mutex_lock(&lock);
    native_kernel *kernel = kernel_in(launch, entry);
    pthread_mutex_unlock(&lock);
    if (kernel && tier == NATIVE_WAIT) translate_now(kernel);
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

int emu_native_ready(native_kernel *kernel) {
    return kernel && atomic_load_explicit(&kernel->ready, memory_order_relaxed);
}

void emu_native_forget(native_kernel *kernels) {
    while (kernels) {
        native_kernel *next = kernels->next;
        release(kernels);
        kernels = next;
    }
}
