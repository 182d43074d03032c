/* Per-process state of the interception: who calls, and whether this process is a forked child. */
#include "shim/call.h"

#include <pthread.h>
#include <stdatomic.h>

#include "shim/trace.h"

__thread cass_call cass_current_call;
int cass_gate;

/* api/standins.py strides over this table by 32 bytes. */
_Static_assert(sizeof(cass_caller) == 32, "layout of cass_caller");
const cass_caller cass_standin_callers[CASS_COPY_COUNT] = {
    [CASS_COPY_11] = {.version = 11080, .id = 1, .name = "libcudart.so.11.0"},
    [CASS_COPY_12] = {.version = 12090, .id = 2, .name = "libcudart.so.12"},
    [CASS_COPY_13] = {.version = 13000, .id = 3, .name = "libcudart.so.13"},
    [CASS_COPY_DRIVER] = {.version = 0, .id = 4, .name = "libcuda.so.1"},
};

static atomic_int initialised;

/* CUDA's state does not survive fork: the child's calls fail by name instead of using the parent's
 * handles. */
static void in_child(void) { cass_gate |= CASS_GATE_FORKED; }

void cass_shim_mark_initialised(void) {
    if (atomic_exchange_explicit(&initialised, 1, memory_order_acq_rel) == 0)
        pthread_atfork(NULL, NULL, in_child);
}

int cass_gate_refuses(void) { return (cass_gate & CASS_GATE_FORKED) != 0; }
