/* Code entries with a right seal and any tables: client/format.c. */
#include <string.h>

#include "fuzz/native/driver.h"
#include "fuzz/native/sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cass_code_node node = {0};
    uint8_t key[32] = {0};
    cass_file_is_sound(data, size, CASS_ENTRY_MAGIC, CASS_ENTRY_VERSION);
    if (size >= sizeof key) memcpy(key, data + offsetof(cass_entry_head, key), 32);
    cass_file file = sealed_file(CASS_ENTRY_MAGIC, CASS_ENTRY_VERSION, data, size);
    if (cass_format_entry(file, key, &node) == 0) {
        touch_code(&node.code);
        cass_format_release_code(&node);
    } else cass_file_release(&file);
    return 0;
}
