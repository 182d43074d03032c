/* Frames over a Unix socket with a deadline; the socket never blocks the program beyond it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client/internal.h"

enum { WAITING_MS = 300, BACKLOG_FULL_MS = 10 };

int64_t cass_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits for `events`; CASS_IO_LATE after the deadline. `waiting` may be NULL. */
static int wait_for(int fd, short events, int64_t deadline_ns, cass_waiting waiting,
                    void *context) {
    for (;;) {
        int64_t left_ms = (deadline_ns - cass_now_ns()) / 1000000;
        if (left_ms <= 0) return CASS_IO_LATE;
        struct pollfd one = {.fd = fd, .events = events};
        int slice = left_ms < WAITING_MS ? (int)left_ms : WAITING_MS;
        int ready = poll(&one, 1, slice);
        if (ready > 0) return CASS_IO_OK;
        if (ready < 0 && errno != EINTR) return CASS_IO_LOST;
        if (ready == 0 && waiting != NULL) waiting(context);
    }
}

static bool peer_is_us(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

int cass_transport_connect(const char *path, int64_t deadline_ns) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return CASS_IO_LOST;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return CASS_IO_LOST;
    while (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        struct timespec pause = {.tv_nsec = BACKLOG_FULL_MS * 1000000};
        bool busy = errno == EAGAIN || errno == EINTR;
        if (!busy || cass_now_ns() > deadline_ns) {
            close(fd);
            return busy ? CASS_IO_LATE : CASS_IO_LOST;
        }
        nanosleep(&pause, NULL);
    }
    if (!peer_is_us(fd)) {
        close(fd);
        return CASS_IO_BAD;
    }
    return fd;
}

static int send_all(int fd, const uint8_t *bytes, size_t size, int64_t deadline_ns) {
    while (size > 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN) {
            int ready = wait_for(fd, POLLOUT, deadline_ns, NULL, NULL);
            if (ready != CASS_IO_OK) return ready;
        } else if (sent < 0 && errno != EINTR) return CASS_IO_LOST;
        else if (sent > 0) bytes += sent, size -= (size_t)sent;
    }
    return CASS_IO_OK;
}

int cass_transport_send(int fd, const void *const *parts, const size_t *sizes, int count,
                        int64_t deadline_ns) {
    for (int i = 0; i < count; i++) {
        int done = send_all(fd, parts[i], sizes[i], deadline_ns);
        if (done != CASS_IO_OK) return done;
    }
    return CASS_IO_OK;
}

static int receive_all(int fd, void *into, size_t size, int64_t deadline_ns, cass_waiting waiting,
                       void *context) {
    uint8_t *at = into;
    while (size > 0) {
        ssize_t got = recv(fd, at, size, MSG_DONTWAIT);
        if (got > 0) at += got, size -= (size_t)got;
        else if (got < 0 && errno == EAGAIN) {
            int ready = wait_for(fd, POLLIN, deadline_ns, waiting, context);
            if (ready != CASS_IO_OK) return ready;
        } else if (got == 0 || errno != EINTR) return CASS_IO_LOST;
    }
    return CASS_IO_OK;
}

int cass_transport_receive(int fd, cass_reply *reply, uint8_t **body, int64_t deadline_ns,
                           cass_waiting waiting, void *context) {
    cass_frame head;
    int done = receive_all(fd, &head, sizeof head, deadline_ns, waiting, context);
    if (done != CASS_IO_OK) return done;
    if (head.magic == CASS_FRAME_MAGIC && head.version != CASS_WIRE_VERSION) return CASS_IO_VERSION;
    if (head.magic != CASS_FRAME_MAGIC || head.kind != CASS_FRAME_REPLY ||
        head.payload_bytes < sizeof *reply || head.payload_bytes > CASS_REPLY_LIMIT)
        return CASS_IO_BAD;
    done = receive_all(fd, reply, sizeof *reply, deadline_ns, waiting, context);
    if (done != CASS_IO_OK) return done;
    if (reply->body_bytes != head.payload_bytes - sizeof *reply) return CASS_IO_BAD;
    size_t room = ((size_t)reply->body_bytes + 1 + 63) / 64 * 64;
    uint8_t *bytes = aligned_alloc(64, room);
    if (bytes == NULL) return CASS_IO_LOST;
    done = receive_all(fd, bytes, (size_t)reply->body_bytes, deadline_ns, waiting, context);
    if (done != CASS_IO_OK) {
        free(bytes);
        return done;
    }
    bytes[reply->body_bytes] = '\0';
    *body = bytes;
    return CASS_IO_OK;
}
