/* Turns the bytes of a manifest or a code entry into the views of client.h. The seal has been
 * checked; the tables are checked here, so that even a wrong producer cannot make a reader leave
 * the file. */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

typedef struct {
    const uint8_t *bytes;
    size_t size;
    const char *strings;
    size_t strings_bytes;
} file_view;

/* `count` rows of `row` bytes at `offset`, or NULL when they leave the file or are misaligned. */
static const void *table(const file_view *file, uint64_t offset, uint64_t count, size_t row) {
    if (offset % 8 != 0 || offset > file->size || count > (file->size - offset) / row) return NULL;
    return file->bytes + offset;
}

static bool find_strings(file_view *file, uint64_t offset, uint64_t bytes) {
    if (offset > file->size || bytes > file->size - offset || bytes == 0) return false;
    file->strings = (const char *)file->bytes + offset;
    file->strings_bytes = (size_t)bytes;
    return file->strings[bytes - 1] == '\0';
}

/* A string that ends inside its table, or NULL. */
static const char *text(const file_view *file, uint32_t offset) {
    return offset < file->strings_bytes ? file->strings + offset : NULL;
}

static bool read_kernel(const file_view *file, const cass_manifest_kernel *row,
                        const cass_param *params, uint32_t param_count, cass_kernel_info *out) {
    if (row->first_param > param_count || row->param_count > param_count - row->first_param)
        return false;
    *out = (cass_kernel_info){
        .name = text(file, row->name),
        .params = params + row->first_param,
        .param_count = row->param_count,
        .params_bytes = row->params_bytes,
        .registers = row->registers,
        .shared_bytes = row->shared_bytes,
        .local_bytes = row->local_bytes,
        .const_bytes = row->const_bytes,
        .max_threads = row->max_threads,
        .required_block = {row->required_block_x, row->required_block_y, row->required_block_z},
        .cooperative = row->cooperative,
        .sm = row->sm,
        .ptx_version = row->ptx_version,
    };
    memcpy(out->key, row->key, sizeof out->key);
    for (uint32_t i = 0; i < out->param_count; i++)
        if ((uint64_t)out->params[i].offset + out->params[i].size > out->params_bytes) return false;
    return out->name != NULL;
}

static bool read_image(const file_view *file, const cass_manifest_image *row,
                       cass_image_info *out) {
    *out = (cass_image_info){.kind = row->kind, .align = row->align, .size = row->size};
    if (row->content == 0) return true;
    if (row->content > file->size || row->size > file->size - row->content) return false;
    out->content = file->bytes + row->content;
    return true;
}

static bool read_variable(const file_view *file, const cass_manifest_variable *row,
                          const cass_manifest *manifest, cass_variable_info *out) {
    *out = (cass_variable_info){
        .name = text(file, row->name),
        .offset = row->offset,
        .size = row->size,
        .image = row->image,
        .visible = row->visible,
        .managed = row->managed,
    };
    if (out->name == NULL || out->image >= manifest->image_count) return false;
    uint64_t room = manifest->images[out->image].size;
    return out->offset <= room && out->size <= room - out->offset;
}

static bool relocation_fits(const cass_manifest *manifest, const cass_image_relocation *one) {
    if (one->image >= manifest->image_count || one->kind > 1) return false;
    uint64_t room = manifest->images[one->image].size;
    return room >= 8 && one->offset <= room - 8 &&
           (one->kind == 1 || one->variable < manifest->variable_count);
}

static bool fill_tables(const file_view *file, const cass_manifest_head *head, cass_module *out) {
    const cass_param *params = table(file, head->params, head->param_count, sizeof *params);
    const cass_manifest_kernel *kernels =
        table(file, head->kernels, head->kernel_count, sizeof *kernels);
    const cass_manifest_image *images =
        table(file, head->images, head->image_count, sizeof *images);
    const cass_manifest_variable *variables =
        table(file, head->variables, head->variable_count, sizeof *variables);
    const cass_image_relocation *relocations =
        table(file, head->relocations, head->relocation_count, sizeof *relocations);
    if (!params || !kernels || !images || !variables || !relocations) return false;
    for (uint32_t i = 0; i < head->kernel_count; i++)
        if (!read_kernel(file, &kernels[i], params, head->param_count, &out->kernels[i]))
            return false;
    for (uint32_t i = 0; i < head->image_count; i++)
        if (!read_image(file, &images[i], &out->images[i])) return false;
    for (uint32_t i = 0; i < head->variable_count; i++)
        if (!read_variable(file, &variables[i], &out->manifest, &out->variables[i])) return false;
    for (uint32_t i = 0; i < head->relocation_count; i++)
        if (!relocation_fits(&out->manifest, &relocations[i])) return false;
    out->manifest.relocations = relocations;
    return true;
}

_Static_assert(sizeof(cass_param) == sizeof(cass_manifest_param), "read in place");
_Static_assert(sizeof(cass_image_relocation) == sizeof(cass_manifest_relocation), "read in place");
_Static_assert(offsetof(cass_image_relocation, addend) ==
                   offsetof(cass_manifest_relocation, addend),
               "read in place");

int cass_format_manifest(cass_file file, const uint8_t digest[32], cass_module *out) {
    file_view view = {.bytes = file.bytes, .size = file.size};
    cass_manifest_head head;
    if (file.size < sizeof(cass_file_header) + sizeof head) return -1;
    memcpy(&head, file.bytes + sizeof(cass_file_header), sizeof head);
    if (memcmp(head.module, digest, sizeof head.module) != 0 ||
        !find_strings(&view, head.strings, head.strings_bytes) || head.kernel_count > file.size ||
        head.image_count > file.size || head.variable_count > file.size)
        return -1;
    out->kernels = calloc(head.kernel_count + 1u, sizeof *out->kernels);
    out->images = calloc(head.image_count + 1u, sizeof *out->images);
    out->variables = calloc(head.variable_count + 1u, sizeof *out->variables);
    out->codes = calloc(2u * head.kernel_count + 1u, sizeof *out->codes);
    out->manifest = (cass_manifest){
        .kernels = out->kernels,
        .images = out->images,
        .variables = out->variables,
        .kernel_count = head.kernel_count,
        .image_count = head.image_count,
        .variable_count = head.variable_count,
        .relocation_count = head.relocation_count,
    };
    memcpy(out->manifest.digest, digest, sizeof out->manifest.digest);
    if (!out->kernels || !out->images || !out->variables || !out->codes ||
        !fill_tables(&view, &head, out)) {
        cass_format_release_module(out);
        return -1;
    }
    out->file = file;
    return 0;
}

static bool read_slots(const file_view *file, const cass_entry_head *head, cass_code_node *out) {
    const cass_entry_slot *rows = table(file, head->slots, head->slot_count, sizeof *rows);
    if (rows == NULL || (out->slots = calloc(head->slot_count + 1u, sizeof *out->slots)) == NULL)
        return false;
    for (uint32_t i = 0; i < head->slot_count; i++) {
        out->slots[i] = (cass_slot){
            .kind = rows[i].kind, .symbol = text(file, rows[i].symbol), .addend = rows[i].addend};
        if (out->slots[i].symbol == NULL) return false;
    }
    return true;
}

int cass_format_entry(cass_file file, const uint8_t key[32], cass_code_node *out) {
    file_view view = {.bytes = file.bytes, .size = file.size};
    cass_entry_head head;
    if (file.size < sizeof(cass_file_header) + sizeof head) return -1;
    memcpy(&head, file.bytes + sizeof(cass_file_header), sizeof head);
    if (memcmp(head.key, key, sizeof head.key) != 0 ||
        !find_strings(&view, head.strings, head.strings_bytes) || head.code > file.size ||
        head.code_bytes != file.size - head.code || !read_slots(&view, &head, out)) {
        cass_format_release_code(out);
        return -1;
    }
    out->code = (cass_code){
        .code = file.bytes + head.code,
        .code_bytes = (size_t)head.code_bytes,
        .symbol = text(&view, head.symbol),
        .route = text(&view, head.route),
        .evidence = head.evidence,
        .abi = head.abi,
        .bindings_offset = head.bindings_offset,
        .lds_bytes = head.lds_bytes,
        .scratch_bytes = head.scratch_bytes,
        .kernarg_bytes = head.kernarg_bytes,
        .slot_count = head.slot_count,
        .slots = out->slots,
        .launch_may_tell = (head.flags & CASS_ENTRY_LAUNCH_MAY_TELL) != 0,
        .is_disputed = (head.flags & CASS_ENTRY_DISPUTED) != 0,
    };
    if (out->code.symbol == NULL || out->code.route == NULL) {
        cass_format_release_code(out);
        return -1;
    }
    out->file = file;
    return 0;
}

void cass_format_release_code(cass_code_node *node) {
    free(node->slots);
    cass_file_release(&node->file);
    *node = (cass_code_node){0};
}

/* Leaves the chosen entry, which is the caller's. */
void cass_format_release_module(cass_module *module) {
    for (uint32_t i = 0; module->codes != NULL && i < 2 * module->manifest.kernel_count; i++)
        for (cass_code_node *node = module->codes[i], *before; node != NULL; node = before) {
            before = node->before;
            cass_format_release_code(node);
            free(node);
        }
    free(module->codes);
    free(module->kernels);
    free(module->images);
    free(module->variables);
    cass_file_release(&module->file);
    module->codes = NULL;
    module->kernels = NULL;
    module->images = NULL;
    module->variables = NULL;
}
