/* Module manifests with a right seal and any tables: client/format.c. */
#include <string.h>

#include "fuzz/native/driver.h"
#include "fuzz/native/sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cass_module module = {0};
    uint8_t digest[32] = {0};
    cass_file_is_sound(data, size, CASS_MANIFEST_MAGIC, CASS_MANIFEST_VERSION);
    if (size >= sizeof digest) memcpy(digest, data + offsetof(cass_manifest_head, module), 32);
    cass_file file = sealed_file(CASS_MANIFEST_MAGIC, CASS_MANIFEST_VERSION, data, size);
    if (cass_format_manifest(file, digest, &module) == 0) {
        touch_manifest(&module.manifest);
        cass_format_release_module(&module);
    } else cass_file_release(&file);
    return 0;
}
