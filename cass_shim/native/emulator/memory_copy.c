/* Copies that survive bad addresses: the program's own memory is reached by the kernel's door
 * (memory.h). */
#include "emulator/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Linux 5.14; older C libraries lack the names. */
#define POPULATE_READ 22
#define POPULATE_WRITE 23
#define LARGE (64u << 10)

static _Atomic int no_process_vm;

/* Whether a large range of the program's memory can be read or written, by having the kernel fault
 * it in: then a plain copy is safe, and three times as fast as the guarded one. False: unknown, the
 * guarded copy decides. */
static bool populated(const void *address, uint64_t bytes, int advice) {
    uint64_t start = (uint64_t)address & ~(uint64_t)(EMU_PAGE - 1);
    uint64_t end = ((uint64_t)address + bytes + EMU_PAGE - 1) & ~(uint64_t)(EMU_PAGE - 1);
    return bytes >= LARGE && end > start && madvise((void *)start, end - start, advice) == 0;
}

/* One direction of process_vm_*: `remote` may be anything. 1: done, 0: bad address, -1: not
 * available here. */
static int guarded(bool write, void *local, void *remote, uint64_t bytes) {
    while (bytes) {
        struct iovec ours = {local, bytes}, theirs = {remote, bytes};
        ssize_t done = write ? process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0)
                             : process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0);
        if (done < 0) return errno == ENOSYS || errno == EPERM ? -1 : 0;
        if (done == 0) return 0;
        local = (uint8_t *)local + done;
        remote = (uint8_t *)remote + done;
        bytes -= (uint64_t)done;
    }
    return 1;
}

bool emu_memory_copy(void *target, const void *source, uint64_t bytes) {
    if (bytes == 0) return true;
    bool target_ours = emu_memory_inside(target), source_ours = emu_memory_inside(source);
    if (target_ours && !emu_memory_covers(target, bytes)) return false;
    if (source_ours && !emu_memory_covers(source, bytes)) return false;
    bool safe = (target_ours || populated(target, bytes, POPULATE_WRITE)) &&
                (source_ours || populated(source, bytes, POPULATE_READ));
    if (!safe && !atomic_load(&no_process_vm)) {
        void *from = (void *)(uintptr_t)source;
        int state =
            target_ours ? guarded(false, target, from, bytes) : guarded(true, from, target, bytes);
        if (state >= 0) return state == 1;
        atomic_store(&no_process_vm,
                     1); /* seccomp forbids it: the program's pointers are trusted from here */
    }
    memmove(target, source, bytes);
    return true;
}
