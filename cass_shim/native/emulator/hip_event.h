/* Events: a place in a stream, and when it was reached. */
#ifndef CASS_EMU_HIP_EVENT_H
#define CASS_EMU_HIP_EVENT_H

#include "emulator/hip_queue.h"

/* One recording. Shared by the event and by the operation that will reach it, so that a second
 * recording of the event does not disturb the first. */
typedef struct emu_stamp {
    _Atomic unsigned references;
    emu_stream *stream; /* referenced */
    uint64_t position;
    _Atomic uint64_t reached_ns; /* 0: not yet */
} emu_stamp;

/* What processes share of an interprocess event: how many recordings were asked for, and the last
 * one reached. */
typedef struct {
    _Atomic uint64_t asked, reached;
} emu_shared_event;

typedef struct emu_event {
    unsigned flags;
    pthread_mutex_t lock;
    emu_stamp *stamp; /* NULL: never recorded, which counts as complete */
    emu_device *device;
    _Atomic uint64_t capture; /* not 0: last recorded by that capture, at these nodes */
    struct emu_node **capture_nodes;
    size_t capture_count;
    emu_shared_event *shared; /* not NULL: interprocess */
    int shared_file;          /* -1: imported */
    bool imported;
} emu_event;

/* file: of the shared counters of an imported event, else -1. */
hipError_t emu_event_create(hipEvent_t *event, unsigned flags, int file);
/* Gives an event its shared counters: its own (file -1) or those in a file. hip_ipc.c */
bool emu_event_share(emu_event *event, int file);
void emu_event_unshare(emu_event *event);
emu_event *emu_event_of(hipEvent_t handle);
/* The ops behind hipEventRecord and hipStreamWaitEvent; graphs use them as nodes. */
emu_op *emu_event_record_op(emu_event *event);
emu_op *emu_event_wait_op(emu_event *event);
hipEvent_t emu_event_op_event(const emu_op *op);
void emu_event_op_set(emu_op *op, emu_event *event);

#endif
