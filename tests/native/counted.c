/* Preloaded before everything: counts locks and allocations of one thread between counted_begin and counted_end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static __thread int on, locks, allocations;

void counted_begin(void) { on = 1, locks = 0, allocations = 0; }

void counted_end(int *took, int *made)
{
    on = 0;
    *took = locks;
    *made = allocations;
}

void *malloc(size_t bytes)
{
    allocations += on;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocations += on;
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    allocations += on;
    return __libc_realloc(old, bytes);
}

#define LOCK(name, type)                                                                                               \
    int name(type *lock)                                                                                               \
    {                                                                                                                  \
        static int (*next)(type *);                                                                                    \
        locks += on;                                                                                                   \
        if (!next)                                                                                                     \
            next = (int (*)(type *))dlsym(RTLD_NEXT, #name);                                                           \
        return next(lock);                                                                                             \
    }
LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCK(pthread_spin_lock, pthread_spinlock_t)
