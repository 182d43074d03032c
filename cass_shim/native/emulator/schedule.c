/* Launches: workgroups are claimed in order by a pool of threads that starts at the first launch. A
 * thread runs one group at a time; when a group spins without ending, the thread takes further
 * groups and rotates, so groups that wait for later ones make progress. Cooperative launches hold
 * all groups. */
#include "emulator/memory_race.h"
#include "emulator/native.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define QUANTUM 20000u
#define QUANTUM_COOPERATIVE 8192u
#define ROUNDS_BEFORE_SECOND 80 /* full quanta before a thread takes another group */
#define RESIDENT_MAX 16
#define THREADS_MAX 256

typedef struct job job_t;
struct job {
    const emu_launch *launch;
    const op_t *entry;
    native_kernel *kernel;
    memory_race *memory; /* NULL: not looked for */
    uint64_t total;
    _Atomic uint64_t next_group, executed, translated;
    atomic_int stop;
    int helpers_wanted, active; /* under pool_lock */
    job_t *next;
    emu_fault fault; /* under pool_lock, valid when stop is set */
};

typedef struct {
    group_t **items;
    uint64_t count, room;
    group_t *spare;
    unsigned rounds; /* without a group ending */
} resident_t;

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER, pool_idle = PTHREAD_COND_INITIALIZER;
static job_t *jobs;
static int threads_started;
static _Atomic uint64_t executed_total, translated_total;

uint64_t emu_instructions_executed(void) { return atomic_load(&executed_total); }

uint64_t emu_instructions_translated(void) { return atomic_load(&translated_total); }

static int thread_target(void) {
    const char *wanted = getenv("CASS_EMU_THREADS");
    long n = wanted ? strtol(wanted, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

static void stop_job(job_t *job, const emu_fault *fault) {
    pthread_mutex_lock(&pool_lock);
    if (!atomic_load(&job->stop)) {
        job->fault = *fault;
        atomic_store(&job->stop, 1);
    }
    pthread_mutex_unlock(&pool_lock);
}

static void stop_for_memory(job_t *job) {
    emu_fault fault = {.status = EMU_BAD_LAUNCH};
    snprintf(fault.text, sizeof fault.text,
             "out of host memory for wave state (scratch %u bytes per lane)",
             job->launch->scratch_bytes);
    stop_job(job, &fault);
}

/* Takes the next unclaimed group; 0 when none is left or memory is out. */
static int take_group(job_t *job, resident_t *r) {
    uint64_t id = atomic_fetch_add(&job->next_group, 1);
    if (id >= job->total) return 0;
    if (r->count == r->room) {
        uint64_t room = r->room ? r->room * 2 : 8;
        group_t **items = realloc(r->items, room * sizeof *items);
        if (!items) {
            stop_for_memory(job);
            return 0;
        }
        r->items = items;
        r->room = room;
    }
    group_t *g = r->spare ? r->spare : emu_group_create(job->launch);
    r->spare = NULL;
    if (!g) {
        stop_for_memory(job);
        return 0;
    }
    g->kernel = job->kernel;
    g->memory = job->memory;
    emu_group_start(g, id, job->entry);
    r->items[r->count++] = g;
    return 1;
}

static uint64_t executed_by(const group_t *g) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < g->wave_count; k++) sum += g->waves[k]->executed;
    return sum;
}

/* A group that runs long makes its kernel hot before it ends. */
static void report_progress(job_t *job, group_t *g) {
    if (!job->kernel) return;
    uint64_t sum = executed_by(g);
    emu_native_executed(job->kernel, sum - g->reported);
    g->reported = sum;
}

static void finish_group(job_t *job, resident_t *r, uint64_t i) {
    group_t *g = r->items[i];
    uint64_t sum = executed_by(g);
    atomic_fetch_add_explicit(&executed_total, sum, memory_order_relaxed);
    atomic_fetch_add_explicit(&job->executed, sum, memory_order_relaxed);
    atomic_fetch_add_explicit(&job->translated, g->translated, memory_order_relaxed);
    emu_native_executed(job->kernel, sum - g->reported);
    if (g->translated)
        atomic_fetch_add_explicit(&translated_total, g->translated, memory_order_relaxed);
    r->items[i] = r->items[--r->count];
    if (r->spare) emu_group_destroy(g);
    else r->spare = g;
}

/* A wave that waits for the host sleeps, so a round ends soon. */
static void serve(job_t *job) {
    const emu_launch *launch = job->launch;
    emu_fault fault = {.status = EMU_TRAP};
    if (launch->serve && launch->serve(launch->calls, fault.text, sizeof fault.text))
        stop_job(job, &fault);
}

static void one_round(job_t *job, resident_t *r) {
    uint64_t quantum = job->launch->cooperative ? QUANTUM_COOPERATIVE : QUANTUM;
    for (uint64_t i = 0; i < r->count;) {
        group_t *g = r->items[i];
        if (atomic_load_explicit(&job->stop, memory_order_relaxed)) return;
        if (!emu_group_round(g, quantum)) {
            serve(job);
            r->rounds += g->slept ? ROUNDS_BEFORE_SECOND : 1;
            report_progress(job, g);
            i++;
            continue;
        }
        r->rounds = 0;
        if (g->faulted) stop_job(job, &g->fault);
        finish_group(job, r, i);
    }
}

uint64_t emu_waves_at_once(const emu_launch *launch) {
    uint64_t items =
        (uint64_t)launch->group_items[0] * launch->group_items[1] * launch->group_items[2];
    uint64_t groups = (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2];
    uint64_t resident = (uint64_t)RESIDENT_MAX * (uint64_t)thread_target();
    if (!launch->cooperative && groups > resident) groups = resident;
    return groups * ((items + LANES - 1) / LANES);
}

static int may_take_more(const job_t *job, const resident_t *r) {
    if (r->count == 0) return 1;
    if (job->launch->cooperative) return 1;
    return r->count < RESIDENT_MAX && r->rounds >= ROUNDS_BEFORE_SECOND;
}

static void work_on(job_t *job) {
    resident_t r = {0};
    int more = 1;
    while (!atomic_load(&job->stop)) {
        if (more && may_take_more(job, &r)) {
            if (r.count) r.rounds = 0;
            more = take_group(job, &r);
        }
        if (r.count == 0) break;
        one_round(job, &r);
        if (r.count > 1 || r.rounds > ROUNDS_BEFORE_SECOND) sched_yield();
    }
    while (r.count) finish_group(job, &r, r.count - 1);
    emu_group_destroy(r.spare);
    free(r.items);
}

static job_t *job_wanting_help(void) {
    for (job_t *job = jobs; job; job = job->next)
        if (job->helpers_wanted > 0) return job;
    return NULL;
}

static void *worker(void *unused) {
    pthread_mutex_lock(&pool_lock);
    for (;;) {
        job_t *job = job_wanting_help();
        if (!job) {
            pthread_cond_wait(&pool_work, &pool_lock);
            continue;
        }
        job->helpers_wanted--;
        job->active++;
        pthread_mutex_unlock(&pool_lock);
        work_on(job);
        pthread_mutex_lock(&pool_lock);
        job->active--;
        pthread_cond_broadcast(&pool_idle);
    }
    return unused;
}

static void after_fork(void) {
    static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t fresh_cond = PTHREAD_COND_INITIALIZER;
    pool_lock = fresh_lock;
    pool_work = pool_idle = fresh_cond;
    jobs = NULL;
    threads_started = 0;
}

/* Under pool_lock. Threads that cannot be started are done without. */
static void start_threads(int wanted) {
    static int registered;
    if (!registered) registered = pthread_atfork(NULL, NULL, after_fork) == 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    while (threads_started < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, worker, NULL)) break;
        threads_started++;
    }
    pthread_attr_destroy(&attributes);
}

static void run_job(job_t *job) {
    int helpers = thread_target() - 1;
    if ((uint64_t)helpers > job->total - 1) helpers = (int)(job->total - 1);
    pthread_mutex_lock(&pool_lock);
    if (helpers > 0) {
        start_threads(helpers);
        job->helpers_wanted = helpers;
        job->next = jobs;
        jobs = job;
        pthread_cond_broadcast(&pool_work);
    }
    pthread_mutex_unlock(&pool_lock);
    work_on(job);
    pthread_mutex_lock(&pool_lock);
    job->helpers_wanted = 0;
    while (job->active) pthread_cond_wait(&pool_idle, &pool_lock);
    for (job_t **at = &jobs; *at; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            break;
        }
    pthread_mutex_unlock(&pool_lock);
}

static const char *launch_problem(const emu_launch *launch) {
    uint64_t items = 1, groups = 1;
    for (int axis = 0; axis < 3; axis++) {
        items *= launch->group_items[axis];
        if (items == 0 || items > 1024) return "a workgroup has 1 to 1024 work-items";
        if (launch->groups[axis] == 0 || groups > UINT64_MAX / launch->groups[axis])
            return "empty or too large a grid";
        groups *= launch->groups[axis];
    }
    if (!(launch->properties >> 10 & 1))
        return "the kernel is compiled for wave64; only wave32 is implemented (compile without "
               "-mwavefrontsize64)";
    if (launch->lds_bytes > 65536) return "more than 64 KiB of LDS per workgroup";
    if (launch->scratch_bytes > 16u << 20) return "more than 16 MiB of scratch per lane";
    return NULL;
}

emu_status emu_run(const emu_launch *launch, emu_fault *fault) {
    job_t job = {.launch = launch};
    memset(fault, 0, sizeof *fault);
    const char *problem = launch_problem(launch);
    if (!problem && !(job.entry = emu_program_entry(launch->program, launch->entry)))
        problem = "the kernel's entry lies outside its code";
    if (!problem && emu_memory_races_wanted() && !(job.memory = emu_memory_race_create()))
        problem = "out of host memory for what waves do to device memory (CASS_EMU_CHECK=2)";
    if (problem) {
        fault->status = EMU_BAD_LAUNCH;
        fault->pc = launch->entry;
        snprintf(fault->text, sizeof fault->text, "bad launch of %s: %s",
                 launch->kernel_name ? launch->kernel_name : "a kernel", problem);
        return EMU_BAD_LAUNCH;
    }
    job.kernel = emu_native_kernel(launch, job.entry);
    job.total = (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2];
    run_job(&job);
    if (atomic_load(&job.stop)) *fault = job.fault;
    else emu_memory_race_found(job.memory, fault);
    emu_memory_race_destroy(job.memory);
    fault->executed = atomic_load(&job.executed);
    fault->translated = atomic_load(&job.translated);
    emu_native_describe(job.kernel, fault->translation, sizeof fault->translation);
    return fault->status;
}
