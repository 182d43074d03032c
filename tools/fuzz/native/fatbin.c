/* Fatbinaries, cubins and PTX as a program hands them over: client/fatbin.c. */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"
#include "fuzz/native/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int PREFERRED[] = {0, 80, 90, 120};
    const cass_wish wish = {PREFERRED[size % 4], size / 4 % 2};
    cass_chosen chosen = {0};
    cass_client_error error = {0};
    uint8_t digest[32];
    if (cass_fatbin_choose(data, size, &wish, &chosen, &error) == 0) {
        if (chosen.stored < chosen.region ||
            chosen.stored + chosen.stored_bytes > chosen.region + chosen.region_bytes)
            abort(); /* it says where the entry lies: that must be inside */
        cass_sha256_of(chosen.stored, chosen.stored_bytes, digest);
        free(chosen.region);
    } else if (error.cuda_error == 0 || error.message[0] == '\0') abort();
    return 0;
}
