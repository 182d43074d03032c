/* What the emulated device's textures have beyond HIP's: border colours of a table that programs
 * may add to, and rows at finer steps. Names of our own, which AMD's library does not export. */
#include <string.h>

#include "emulator/hip_calls.h"
#include "emulator/hip_state.h"
#include "emulator/image_sample.h"

/* The index of a colour, which stays for good: samplers of any stream may name it. */
hipError_t emu_hipCassBorderColor(const unsigned int *bits, unsigned int *index) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned used;
    if (!bits || !index) return emu_fail(hipErrorInvalidValue, "no colour or no result");
    pthread_mutex_lock(&lock);
    unsigned at = 0;
    while (at < used && memcmp(emu_border_colors[at], bits, sizeof emu_border_colors[at])) at++;
    bool room = at < GFX11_BORDER_COLORS;
    if (room && at == used) memcpy(emu_border_colors[used++], bits, sizeof emu_border_colors[at]);
    pthread_mutex_unlock(&lock);
    if (!room)
        return emu_fail(hipErrorOutOfMemory, "there are %d border colours", GFX11_BORDER_COLORS);
    *index = at;
    return hipSuccess;
}

hipError_t emu_hipCassRowAlign(unsigned int *bytes) {
    if (!bytes) return emu_fail(hipErrorInvalidValue, "no result");
    *bytes = EMU_ROW_ALIGN;
    return hipSuccess;
}
