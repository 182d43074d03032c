/* The buffer of packets through which waves call the host, and who answers (hip_hostcall.h). */
#include "emulator/hip_hostcall.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

#define HOST_LANES 64u /* slots of a packet, as for waves of 64 */
#define SLOT_WORDS 8u
#define READY 1u /* of a header's control word: waits for an answer */
#define MESSAGE_WORDS (1u << 20)
#define HEAP_SLAB (2ull << 20) /* what the library asks for at a time, aligned to its size */

enum { SERVICE_RESERVED, SERVICE_FUNCTION, SERVICE_PRINTF, SERVICE_MEMORY, SERVICE_SANITIZER };

/* As the device library sees them. `next`, the stacks: an index in the low bits, above it a count
 * of uses, which keeps a stack's head from looking unchanged. */
typedef struct {
    uint64_t next, active;
    uint32_t service;
    _Atomic uint32_t control;
} header_t;
typedef struct {
    uint64_t slots[HOST_LANES][SLOT_WORDS];
} payload_t;
typedef struct {
    header_t *headers;
    payload_t *payloads;
    uint64_t doorbell; /* the address of `signal` */
    uint64_t free_stack;
    _Atomic uint64_t ready_stack;
    uint64_t index_mask;
    uint64_t spare[2];
    int64_t signal[8]; /* kind, value; no mailbox: nobody is woken by it */
} buffer_t;

/* One call of printf while its parts arrive, packet by packet. */
typedef struct {
    uint64_t *words;
    size_t count, room;
    bool live;
} message_t;

/* Where everything lies is kept here, too: a kernel may write anything into its buffer. */
struct emu_hostcall {
    buffer_t *buffer;
    header_t *headers;
    payload_t *payloads;
    uint64_t mask;
    emu_device *device;
    pthread_mutex_t lock;
    message_t *messages;
    size_t message_count;
    bool printed;
};

static uint64_t power_of_two_above(uint64_t value) {
    uint64_t power = 2;
    while (power < value) power *= 2;
    return power;
}

/* All packets are free, the first of them under a count of one: 0 is the end of a stack. */
static void start(buffer_t *buffer, uint64_t packets) {
    buffer->headers = (header_t *)(void *)(buffer + 1);
    buffer->payloads = (payload_t *)(void *)(buffer->headers + packets);
    buffer->doorbell = (uint64_t)buffer->signal;
    buffer->signal[0] = 1; /* AMD_SIGNAL_KIND_USER */
    buffer->index_mask = packets - 1;
    uint64_t next = packets;
    for (uint64_t i = 1; i < packets; i++) {
        buffer->headers[i].next = next;
        next = i;
    }
    buffer->free_stack = next;
}

/* Code that is compiled without optimisation asks for a buffer with every kernel: one is kept. */
static _Atomic(emu_hostcall *) kept[EMU_MAX_DEVICES];

emu_hostcall *emu_hostcall_create(emu_device *device, uint64_t waves) {
    uint64_t packets = power_of_two_above(waves);
    emu_hostcall *found = atomic_exchange(&kept[device->ordinal], NULL);
    if (found && found->mask >= packets - 1) return found;
    emu_hostcall_destroy(found, false);
    uint64_t bytes = sizeof(buffer_t) + packets * (sizeof(header_t) + sizeof(payload_t));
    emu_hostcall *calls = calloc(1, sizeof *calls);
    if (calls)
        calls->buffer = emu_memory_alloc(EMU_MEMORY_INTERNAL, device->ordinal, bytes, EMU_PAGE, 0);
    if (!calls || !calls->buffer) {
        free(calls);
        return NULL;
    }
    calls->device = device;
    pthread_mutex_init(&calls->lock, NULL);
    start(calls->buffer, packets);
    calls->headers = calls->buffer->headers;
    calls->payloads = calls->buffer->payloads;
    calls->mask = packets - 1;
    return calls;
}

void emu_hostcall_destroy(emu_hostcall *calls, bool again) {
    if (!calls) return;
    if (calls->printed) fflush(stdout);
    calls->printed = false;
    if (again) {
        emu_hostcall *none = NULL;
        if (atomic_compare_exchange_strong(&kept[calls->device->ordinal], &none, calls)) return;
    }
    for (size_t i = 0; i < calls->message_count; i++) free(calls->messages[i].words);
    free(calls->messages);
    emu_memory_free(calls->buffer, 1u << EMU_MEMORY_INTERNAL);
    pthread_mutex_destroy(&calls->lock);
    free(calls);
}

uint64_t emu_hostcall_buffer(const emu_hostcall *calls) { return (uint64_t)calls->buffer; }

/* ---- printf ---- */
static message_t *new_message(emu_hostcall *calls, uint64_t *id) {
    for (*id = 0; *id < calls->message_count; ++*id)
        if (!calls->messages[*id].live) break;
    if (*id == calls->message_count) {
        message_t *grown = realloc(calls->messages, (*id + 1) * sizeof *grown);
        if (!grown) return NULL;
        calls->messages = grown;
        calls->messages[calls->message_count++] = (message_t){0};
    }
    message_t *message = &calls->messages[*id];
    message->live = true;
    message->count = 0;
    return message;
}

static bool append(message_t *message, const uint64_t *words, size_t count) {
    size_t needed = message->count + count;
    if (needed > MESSAGE_WORDS) return false;
    if (needed > message->room) {
        size_t room = needed < 64 ? 64 : needed * 2;
        uint64_t *grown = realloc(message->words, room * sizeof *grown);
        if (!grown) return false;
        message->words = grown;
        message->room = room;
    }
    memcpy(message->words + message->count, words, count * sizeof *words);
    message->count = needed;
    return true;
}

/* The first word of a slot describes the others: bit 0 begins a message, bit 1 ends one, bits 5 to
 * 7 say how many words there are, those from 8 on which message it is. */
static const char *printf_part(emu_hostcall *calls, uint64_t *slot) {
    uint64_t id = slot[0] >> 8, words = slot[0] >> 5 & 7;
    message_t *message = NULL;
    if (slot[0] & 1) {
        message = new_message(calls, &id);
        slot[0] = id << 8 | (slot[0] & 0xfe);
    } else if (id < calls->message_count && calls->messages[id].live) {
        message = &calls->messages[id];
    }
    if (!message || !append(message, slot + 1, words)) return "a printf of a wave cannot be read";
    if (!(slot[0] & 2)) return NULL;
    int printed = emu_hostcall_print(message->words, message->count);
    slot[0] = (uint64_t)(int64_t)printed;
    message->live = false;
    calls->printed = true;
    return NULL;
}

/* ---- memory ---- */
static const char *memory(emu_hostcall *calls, uint64_t *slot) {
    if (slot[0]) {
        bool freed = emu_memory_free((void *)slot[0], 1u << EMU_MEMORY_DEVICE);
        return freed ? NULL : "a wave frees what malloc did not give";
    }
    /* whole pages: by their addresses the library tells large allocations from others */
    uint64_t bytes = slot[1] + (EMU_PAGE - 1) < slot[1]
                         ? slot[1]
                         : (slot[1] + EMU_PAGE - 1) & -(uint64_t)EMU_PAGE;
    uint64_t align = bytes == HEAP_SLAB ? HEAP_SLAB : EMU_PAGE;
    slot[0] =
        (uint64_t)emu_memory_alloc(EMU_MEMORY_DEVICE, calls->device->ordinal, bytes, align, 0);
    return NULL;
}

/* ---- answering ---- */
static const char *answer(emu_hostcall *calls, uint32_t service, uint64_t *slot) {
    switch (service) {
    case SERVICE_PRINTF:
        return printf_part(calls, slot);
    case SERVICE_MEMORY:
        return memory(calls, slot);
    case SERVICE_FUNCTION:
        return "a wave calls a function of the host, which is not served";
    case SERVICE_SANITIZER:
        return "AddressSanitizer of the device library reports an error of the kernel";
    default:
        return "a wave asks the host for an unknown service";
    }
}

static const char *answer_packet(emu_hostcall *calls, uint64_t index) {
    header_t *header = &calls->headers[index];
    payload_t *payload = &calls->payloads[index];
    const char *problem = NULL;
    for (uint64_t lanes = header->active; lanes && !problem; lanes &= lanes - 1)
        problem = answer(calls, header->service, payload->slots[__builtin_ctzll(lanes)]);
    atomic_fetch_and_explicit(&header->control, ~READY, memory_order_release);
    return problem;
}

/* The stack has the packet that came last on top; it is turned round. No more packets are followed
 * than there are. */
static const char *answer_all(emu_hostcall *calls) {
    header_t *headers = calls->headers;
    uint64_t mask = calls->mask;
    uint64_t at = atomic_exchange_explicit(&calls->buffer->ready_stack, 0, memory_order_acquire);
    uint64_t first = 0, left = mask + 1;
    for (uint64_t next; at; at = next) {
        if (!left--) return "the list of calls to the host is broken";
        next = headers[at & mask].next;
        headers[at & mask].next = first;
        first = at;
    }
    const char *problem = NULL;
    for (uint64_t next; first && !problem; first = next) {
        next = headers[first & mask].next; /* answered, the packet is the wave's again */
        problem = answer_packet(calls, first & mask);
    }
    return problem;
}

int emu_hostcall_serve(void *given, char *text, size_t bytes) {
    emu_hostcall *calls = given;
    if (!atomic_load_explicit(&calls->buffer->ready_stack, memory_order_relaxed)) return 0;
    if (pthread_mutex_trylock(&calls->lock)) return 0; /* another thread answers */
    const char *problem = answer_all(calls);
    pthread_mutex_unlock(&calls->lock);
    if (problem) snprintf(text, bytes, "%s", problem);
    return problem != NULL;
}
