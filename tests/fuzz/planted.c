/* A target with three faults behind comparisons, so that a fuzzer without feedback does not find
 * them: for tests of the driver. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/native/driver.h"

static char *kept;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t magic, kind;
    if (size < 12) return 0;
    memcpy(&magic, data, 4);
    memcpy(&kind, data + 4, 4);
    if (magic != 0x5eed1e55) return 0;
    if (kind == 0x0badcafe) return data[size];
    if (kind == 0x10ca1ead) kept = malloc(100);
    for (volatile unsigned turn = 0; kind == 0x0ddba115; turn++) {
    }
    return kept == NULL;
}
