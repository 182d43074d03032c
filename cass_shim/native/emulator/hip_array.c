/* Arrays and their element formats. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"
#include "emulator/memory.h"

hipChannelFormatDesc emu_hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
    return (hipChannelFormatDesc){x, y, z, w, f};
}
