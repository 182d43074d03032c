/* What a daemon, or whoever sits at its socket, may answer: client/transport.c and the seal. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/native/driver.h"
#include "fuzz/native/sealed.h"

enum { SOCKET_BYTES = 100000 }; /* what a socket takes without a reader */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int ends[2], room = 4 * SOCKET_BYTES;
    if (size > SOCKET_BYTES || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    ssize_t sent = send(ends[1], data, size, MSG_DONTWAIT);
    close(ends[1]);
    for (bool more = sent == (ssize_t)size; more;) {
        cass_reply reply;
        uint8_t *body = NULL;
        more = cass_transport_receive(ends[0], &reply, &body, cass_now_ns() + 5000000000, NULL,
                                      NULL) == CASS_IO_OK;
        if (!more) break;
        if (body[reply.body_bytes] != '\0') abort();
        size_t bytes = (size_t)reply.body_bytes;
        cass_file_is_sound(body, bytes, CASS_MANIFEST_MAGIC, CASS_MANIFEST_VERSION);
        cass_file_is_sound(body, bytes, CASS_ENTRY_MAGIC, CASS_ENTRY_VERSION);
        free(body);
    }
    close(ends[0]);
    return 0;
}
