/* Driver API: core dump settings. They are kept and read back, of the process and of each context;
 * no core dump is written here, which is said once when one is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/api.h"

enum { TEXT_BYTES = 1024, LIGHTWEIGHT = 47 }; /* its five flags of driver 580 (recorded) */

typedef struct cass_coredump {
    int enabled, user_trigger;
    unsigned flags; /* also says what the two older booleans are */
    char file[TEXT_BYTES], pipe[TEXT_BYTES];
} settings;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static settings of_process;
static unsigned from_environment; /* bits by attribute: set there for good (driver API manual) */

static int is_on(const char *name, CUcoredumpSettings attribute) {
    const char *value = getenv(name);
    if (!value || !*value) return -1;
    from_environment |= 1u << attribute;
    return *value != '0';
}

/* An empty text: the driver's own name is used when a dump is written (recorded). */
static void take_text(char *to, const char *variable, CUcoredumpSettings attribute) {
    const char *value = getenv(variable);
    if (!value || !*value) return;
    from_environment |= 1u << attribute;
    snprintf(to, TEXT_BYTES, "%s", value);
}

static void set_bits(settings *to, unsigned bits, int on) {
    to->flags = on ? to->flags | bits : to->flags & ~bits;
}

/* Variables of the CUDA-GDB manual, "GPU core dump support". */
static void read_environment(void) {
    settings *p = &of_process;
    p->enabled = is_on("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", CU_COREDUMP_ENABLE_ON_EXCEPTION) > 0;
    p->user_trigger =
        is_on("CUDA_ENABLE_USER_TRIGGERED_COREDUMP", CU_COREDUMP_ENABLE_USER_TRIGGER) > 0;
    if (is_on("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP", CU_COREDUMP_LIGHTWEIGHT) > 0)
        set_bits(p, LIGHTWEIGHT, 1);
    if (!is_on("CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION", CU_COREDUMP_TRIGGER_HOST))
        set_bits(p, CU_COREDUMP_SKIP_ABORT, 1);
    take_text(p->file, "CUDA_COREDUMP_FILE", CU_COREDUMP_FILE);
    take_text(p->pipe, "CUDA_COREDUMP_PIPE", CU_COREDUMP_PIPE);
}

/* Numbers want their exact size, texts room enough; the size is told where there is no value, and
 * left alone where there is one (recorded). */
static int answer(void *value, size_t *size, const void *from, size_t bytes) {
    if (!value) *size = bytes;
    else if (*size != bytes) return INVALID_VALUE;
    else memcpy(value, from, bytes);
    return OK;
}

static int answer_text(void *value, size_t *size, const char *from) {
    size_t bytes = strlen(from) + 1;
    if (!value) *size = TEXT_BYTES;
    else if (*size < bytes) return INVALID_VALUE;
    else memcpy(value, from, bytes);
    return OK;
}

static int get(const settings *from, CUcoredumpSettings attribute, void *value, size_t *size) {
    char on = 0;
    switch ((int)attribute) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        on = (char)from->enabled;
        return answer(value, size, &on, sizeof on);
    case CU_COREDUMP_TRIGGER_HOST:
        on = !(from->flags & CU_COREDUMP_SKIP_ABORT);
        return answer(value, size, &on, sizeof on);
    case CU_COREDUMP_LIGHTWEIGHT:
        on = (from->flags & LIGHTWEIGHT) == LIGHTWEIGHT;
        return answer(value, size, &on, sizeof on);
    case CU_COREDUMP_ENABLE_USER_TRIGGER:
        on = (char)from->user_trigger;
        return answer(value, size, &on, sizeof on);
    case CU_COREDUMP_FILE:
        return answer_text(value, size, from->file);
    case CU_COREDUMP_PIPE:
        return answer_text(value, size, from->pipe);
    case CU_COREDUMP_GENERATION_FLAGS:
        return answer(value, size, &from->flags, sizeof from->flags);
    default:
        return INVALID_VALUE;
    }
}

static int set_text(char *to, const void *value, size_t bytes) {
    if (!bytes || bytes > TEXT_BYTES) return INVALID_VALUE;
    memset(to, 0, TEXT_BYTES);
    memcpy(to, value, strnlen(value, bytes < TEXT_BYTES ? bytes : TEXT_BYTES - 1));
    return OK;
}

static void say_once(void) {
    static _Atomic int said;
    if (!atomic_exchange(&said, 1))
        cass_complain("core dumps of the device are not written; the settings are kept");
}

static int set(settings *to, CUcoredumpSettings attribute, const void *value, size_t bytes) {
    int number = 0;
    if (attribute == CU_COREDUMP_FILE) return set_text(to->file, value, bytes);
    if (attribute == CU_COREDUMP_PIPE) return set_text(to->pipe, value, bytes);
    size_t wanted = attribute == CU_COREDUMP_GENERATION_FLAGS ? sizeof to->flags : 1;
    if (bytes != wanted) return INVALID_VALUE;
    memcpy(&number, value, wanted);
    switch ((int)attribute) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        if (number) say_once();
        to->enabled = number != 0;
        return OK;
    case CU_COREDUMP_TRIGGER_HOST:
        set_bits(to, CU_COREDUMP_SKIP_ABORT, !number);
        return OK;
    case CU_COREDUMP_LIGHTWEIGHT:
        set_bits(to, LIGHTWEIGHT, number);
        return OK;
    case CU_COREDUMP_ENABLE_USER_TRIGGER:
        to->user_trigger = number != 0;
        return OK;
    case CU_COREDUMP_GENERATION_FLAGS:
        to->flags = (unsigned)number;
        return OK;
    default:
        return INVALID_VALUE;
    }
}

/* The process's settings need no cuInit (recorded). */
CUresult cass_cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size) {
    if (!size) return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&read_once, read_environment);
    pthread_mutex_lock(&lock);
    int result = get(&of_process, attrib, value, size);
    pthread_mutex_unlock(&lock);
    return RESULT(result);
}

static int is_process_wide(CUcoredumpSettings attribute) {
    return attribute == CU_COREDUMP_ENABLE_USER_TRIGGER || attribute == CU_COREDUMP_PIPE;
}

CUresult cass_cuCoredumpGetAttribute(CUcoredumpSettings attrib, void *value, size_t *size) {
    ENTER(device);
    (void)device;
    if (!size || is_process_wide(attrib)) return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&read_once, read_environment);
    pthread_mutex_lock(&lock);
    const settings *own = cass_thread.current->coredump;
    int result = get(own ? own : &of_process, attrib, value, size);
    pthread_mutex_unlock(&lock);
    return RESULT(result);
}

/* A NULL value asks for the size. What the environment set stays, and is no error. */
static int change(settings *to, CUcoredumpSettings attribute, void *value, size_t *size) {
    if (!size) return INVALID_VALUE;
    if (!value) return get(to, attribute, NULL, size);
    if (attribute < CU_COREDUMP_MAX && from_environment >> attribute & 1) return OK;
    return set(to, attribute, value, *size);
}

CUresult cass_cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size) {
    pthread_once(&read_once, read_environment);
    pthread_mutex_lock(&lock);
    int result = change(&of_process, attrib, value, size);
    pthread_mutex_unlock(&lock);
    return RESULT(result);
}

CUresult cass_cuCoredumpSetAttribute(CUcoredumpSettings attrib, void *value, size_t *size) {
    ENTER(device);
    (void)device;
    if (is_process_wide(attrib)) return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&read_once, read_environment);
    pthread_mutex_lock(&lock);
    cass_context *context = cass_thread.current;
    if (!context->coredump && (context->coredump = malloc(sizeof *context->coredump)))
        *context->coredump = of_process;
    int result = context->coredump ? change(context->coredump, attrib, value, size) : OUT_OF_MEMORY;
    pthread_mutex_unlock(&lock);
    return RESULT(result);
}

/* Called around a core dump; none is ever written, so registering is all there is. */
struct CUcoredumpCallbackEntry_st {
    CUcoredumpStatusCallback function;
    void *user;
};

static CUresult enrol(CUcoredumpStatusCallback function, void *user,
                      CUcoredumpCallbackHandle *out) {
    STARTED();
    if (!function || !out) return CUDA_ERROR_INVALID_VALUE;
    *out = malloc(sizeof **out);
    if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
    **out = (struct CUcoredumpCallbackEntry_st){function, user};
    return CUDA_SUCCESS;
}

static CUresult strike(CUcoredumpCallbackHandle callback) {
    STARTED();
    if (!callback) return CUDA_ERROR_INVALID_VALUE;
    free(callback);
    return CUDA_SUCCESS;
}

CUresult cass_cuCoredumpRegisterStartCallback(CUcoredumpStatusCallback callback, void *userData,
                                              CUcoredumpCallbackHandle *callbackOut) {
    return enrol(callback, userData, callbackOut);
}

CUresult cass_cuCoredumpRegisterCompleteCallback(CUcoredumpStatusCallback callback, void *userData,
                                                 CUcoredumpCallbackHandle *callbackOut) {
    return enrol(callback, userData, callbackOut);
}

CUresult cass_cuCoredumpDeregisterStartCallback(CUcoredumpCallbackHandle callback) {
    return strike(callback);
}

CUresult cass_cuCoredumpDeregisterCompleteCallback(CUcoredumpCallbackHandle callback) {
    return strike(callback);
}
