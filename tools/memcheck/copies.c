/* Preloaded under valgrind: copies within this process by memcpy, which valgrind follows.
 *
 * The emulated device copies by process_vm_readv and process_vm_writev, so that a bad address is an
 * error and no signal. Valgrind 3.19 knows neither as a copy: what arrives would count as never
 * written. Addresses are good wherever a program is right, as those of tools.memcheck are. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t copied(const struct iovec *from, const struct iovec *to) {
    size_t bytes = from->iov_len < to->iov_len ? from->iov_len : to->iov_len;
    memmove(to->iov_base, from->iov_base, bytes);
    return (ssize_t)bytes;
}

static int within(pid_t process, unsigned long here, unsigned long there) {
    if (process == getpid() && here == 1 && there == 1) return 1;
    errno = ENOSYS;
    return 0;
}

ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long here_count,
                         const struct iovec *there, unsigned long there_count,
                         unsigned long flags) {
    (void)flags;
    return within(process, here_count, there_count) ? copied(there, here) : -1;
}

ssize_t process_vm_writev(pid_t process, const struct iovec *here, unsigned long here_count,
                          const struct iovec *there, unsigned long there_count,
                          unsigned long flags) {
    (void)flags;
    return within(process, here_count, there_count) ? copied(here, there) : -1;
}
