/* Stream capture. */
#include "emulator/hip_event.h"

hipError_t emu_capture_record(emu_stream *stream, emu_op *op) {
    (void)stream;
    emu_op_free(op);
    return emu_fail(hipErrorStreamCaptureUnsupported, "stream capture is not there yet");
}

hipError_t emu_capture_wait(emu_stream *stream, emu_event *event, emu_op *op) {
    (void)event;
    return emu_capture_record(stream, op);
}
