/* Kernel metadata: the msgpack document of note NT_AMDGPU_METADATA, read in place.
 * Source: AMDGPUUsage, "Code Object V5 Metadata"; msgpack specification (format bytes). */
#include "emulator/hip_module.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32
#define MAX_ARGS 65536u

typedef struct {
    const uint8_t *at, *end;
    bool bad;
} reader;

/* A value's head. count: bytes of a string, items of an array, pairs of a map; number: integers and
 * booleans. */
typedef enum { OTHER, NUMBER, STRING, ARRAY, MAP } value_kind;
typedef struct {
    value_kind kind;
    uint64_t number;
    uint32_t count;
    const uint8_t *text;
} value;

static uint64_t big_endian(reader *in, unsigned bytes) {
    uint64_t number = 0;
    if ((uint64_t)(in->end - in->at) < bytes) {
        in->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) number = number << 8 | *in->at++;
    return number;
}

static void take_text(reader *in, value *out, uint32_t count, value_kind kind) {
    if ((uint64_t)(in->end - in->at) < count) {
        in->bad = true;
        return;
    }
    *out = (value){.kind = kind, .count = count, .text = in->at};
    in->at += count;
}

/* Formats 0xc0 to 0xdf. */
static void read_tagged(reader *in, value *out, uint8_t tag) {
    static const uint8_t ext_bytes[] = {1, 2, 4, 8, 16};
    if (tag == 0xc2 || tag == 0xc3) *out = (value){.kind = NUMBER, .number = tag & 1};
    else if (tag >= 0xc4 && tag <= 0xc6) /* bin 8, 16, 32 */
        take_text(in, out, (uint32_t)big_endian(in, 1u << (tag - 0xc4)), OTHER);
    else if (tag >= 0xc7 && tag <= 0xc9) /* ext 8, 16, 32: length, then a type byte */
        take_text(in, out, (uint32_t)big_endian(in, 1u << (tag - 0xc7)) + 1, OTHER);
    else if (tag == 0xca || tag == 0xcb) /* floats */ big_endian(in, tag == 0xca ? 4 : 8);
    else if (tag >= 0xcc && tag <= 0xcf)
        *out = (value){.kind = NUMBER, .number = big_endian(in, 1u << (tag - 0xcc))};
    else if (tag >= 0xd0 && tag <= 0xd3)
        *out = (value){.kind = NUMBER, .number = big_endian(in, 1u << (tag - 0xd0))};
    else if (tag >= 0xd4 && tag <= 0xd8) take_text(in, out, 1u + ext_bytes[tag - 0xd4], OTHER);
    else if (tag >= 0xd9 && tag <= 0xdb)
        take_text(in, out, (uint32_t)big_endian(in, 1u << (tag - 0xd9)), STRING);
    else if (tag == 0xdc || tag == 0xdd)
        *out = (value){.kind = ARRAY, .count = (uint32_t)big_endian(in, tag == 0xdc ? 2 : 4)};
    else if (tag == 0xde || tag == 0xdf)
        *out = (value){.kind = MAP, .count = (uint32_t)big_endian(in, tag == 0xde ? 2 : 4)};
}

static value read_value(reader *in) {
    value out = {0};
    uint8_t tag = (uint8_t)big_endian(in, 1);
    if (in->bad) return out;
    if (tag < 0x80 || tag >= 0xe0)
        out = (value){.kind = NUMBER, .number = (uint64_t)(int64_t)(int8_t)tag};
    else if (tag < 0x90) out = (value){.kind = MAP, .count = tag & 15u};
    else if (tag < 0xa0) out = (value){.kind = ARRAY, .count = tag & 15u};
    else if (tag < 0xc0) take_text(in, &out, tag & 31u, STRING);
    else read_tagged(in, &out, tag);
    return out;
}

/* Reads past the items of a value whose head has been read. Every item takes at least one byte, so
 * a false count ends at the end of the document. */
static void skip(reader *in, value head, int depth) {
    if (depth > MAX_DEPTH) in->bad = true;
    uint64_t items = head.kind == ARRAY ? head.count : head.kind == MAP ? 2ull * head.count : 0;
    while (items-- && !in->bad) skip(in, read_value(in), depth + 1);
}

static bool is(value text, const char *name) {
    return text.kind == STRING && text.count == strlen(name) &&
           memcmp(text.text, name, text.count) == 0;
}

static emu_arg_kind arg_kind(value text) {
    static const struct {
        const char *name;
        emu_arg_kind kind;
    } kinds[] = {
        {"by_value", EMU_ARG_VALUE},
        {"global_buffer", EMU_ARG_POINTER},
        {"dynamic_shared_pointer", EMU_ARG_DYNAMIC_LDS_POINTER},
        {"hidden_block_count_x", EMU_ARG_BLOCK_COUNT_X},
        {"hidden_block_count_y", EMU_ARG_BLOCK_COUNT_Y},
        {"hidden_block_count_z", EMU_ARG_BLOCK_COUNT_Z},
        {"hidden_group_size_x", EMU_ARG_GROUP_SIZE_X},
        {"hidden_group_size_y", EMU_ARG_GROUP_SIZE_Y},
        {"hidden_group_size_z", EMU_ARG_GROUP_SIZE_Z},
        {"hidden_remainder_x", EMU_ARG_REMAINDER_X},
        {"hidden_remainder_y", EMU_ARG_REMAINDER_Y},
        {"hidden_remainder_z", EMU_ARG_REMAINDER_Z},
        {"hidden_grid_dims", EMU_ARG_GRID_DIMS},
        {"hidden_dynamic_lds_size", EMU_ARG_DYNAMIC_LDS_SIZE},
        {"hidden_multigrid_sync_arg", EMU_ARG_GRID_SYNC},
        {"hidden_hostcall_buffer", EMU_ARG_HOSTCALL},
        {"hidden_heap_v1", EMU_ARG_HEAP},
        {"hidden_printf_buffer", EMU_ARG_PRINTF_BUFFER},
        {"hidden_default_queue", EMU_ARG_QUEUE},
        {"hidden_completion_action", EMU_ARG_COMPLETION},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is(text, kinds[i].name)) return kinds[i].kind;
    bool hidden = text.kind == STRING && text.count > 7 && memcmp(text.text, "hidden_", 7) == 0;
    return hidden ? EMU_ARG_HIDDEN_ZERO
                  : EMU_ARG_VALUE; /* images and samplers are handles by value */
}

static void read_arg(reader *in, emu_arg *arg) {
    value head = read_value(in);
    if (head.kind != MAP) in->bad = true;
    for (uint32_t i = 0; i < head.count && !in->bad; i++) {
        value key = read_value(in), item = read_value(in);
        if (is(key, ".offset")) arg->offset = (uint32_t)item.number;
        else if (is(key, ".size")) arg->size = (uint32_t)item.number;
        else if (is(key, ".value_kind")) arg->kind = arg_kind(item);
        skip(in, item, 0);
    }
}

static void read_args(reader *in, value list, emu_function *into) {
    if (list.kind != ARRAY || list.count > MAX_ARGS || list.count > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return;
    }
    free(into->args); /* a document that names .args twice */
    into->args = calloc(list.count ? list.count : 1, sizeof *into->args);
    into->arg_count = 0;
    if (!into->args) in->bad = true;
    while (into->arg_count < list.count && !in->bad) read_arg(in, &into->args[into->arg_count++]);
}

typedef struct {
    emu_function facts;
    value symbol;
} kernel_record;

static void read_required(reader *in, value list, uint32_t required[3]) {
    for (uint32_t i = 0; i < list.count && !in->bad; i++) {
        value item = read_value(in);
        if (i < 3) required[i] = (uint32_t)item.number;
        skip(in, item, 0);
    }
}

static void read_kernel(reader *in, kernel_record *out) {
    emu_function *facts = &out->facts;
    value head = read_value(in);
    if (head.kind != MAP) in->bad = true;
    for (uint32_t i = 0; i < head.count && !in->bad; i++) {
        value key = read_value(in), item = read_value(in);
        uint32_t number = (uint32_t)item.number;
        if (is(key, ".args")) {
            read_args(in, item, facts);
            continue;
        }
        if (is(key, ".reqd_workgroup_size") && item.kind == ARRAY) {
            read_required(in, item, facts->required);
            continue;
        }
        if (is(key, ".symbol")) out->symbol = item;
        if (is(key, ".kernarg_segment_size")) facts->kernarg_bytes = number;
        if (is(key, ".vgpr_count")) facts->vgprs = number;
        if (is(key, ".sgpr_count")) facts->sgprs = number;
        if (is(key, ".max_flat_workgroup_size")) facts->max_threads = number;
        if (is(key, ".uses_dynamic_stack")) facts->dynamic_stack = item.number != 0;
        skip(in, item, 0);
    }
}

/* The explicit arguments come first; anything that leaves the kernarg segment is a broken document.
 */
static bool settle(emu_function *function) {
    for (uint32_t i = 0; i < function->arg_count; i++) {
        const emu_arg *arg = &function->args[i];
        uint64_t end = (uint64_t)arg->offset + arg->size;
        if (end > function->kernarg_bytes || arg->size > EMU_MAX_KERNARG) return false;
        if (arg->kind > EMU_ARG_DYNAMIC_LDS_POINTER) continue;
        function->explicit_count++;
        if (end > function->explicit_bytes) function->explicit_bytes = (uint32_t)end;
    }
    return true;
}

static bool attach(emu_module *module, kernel_record *record) {
    for (size_t i = 0; i < module->function_count; i++) {
        emu_function *function = &module->functions[i];
        size_t length = strlen(function->name);
        value symbol = record->symbol;
        if (symbol.kind != STRING || symbol.count != length + 3) continue;
        if (memcmp(symbol.text, function->name, length) || memcmp(symbol.text + length, ".kd", 3))
            continue;
        if (function->has_metadata) return false;
        emu_function *facts = &record->facts;
        function->has_metadata = true;
        function->dynamic_stack |= facts->dynamic_stack;
        function->vgprs = facts->vgprs;
        function->sgprs = facts->sgprs;
        function->max_threads = facts->max_threads;
        memcpy(function->required, facts->required, sizeof facts->required);
        if (facts->kernarg_bytes > function->kernarg_bytes)
            function->kernarg_bytes = facts->kernarg_bytes;
        function->args = facts->args;
        function->arg_count = facts->arg_count;
        facts->args = NULL;
        return function->kernarg_bytes <= EMU_MAX_KERNARG && settle(function);
    }
    return true; /* metadata of a kernel without a descriptor: nothing can launch it */
}

bool emu_metadata_attach(emu_module *module, emu_view document) {
    reader in = {document.data, document.data + document.bytes, false};
    value root = read_value(&in);
    bool good = root.kind == MAP;
    for (uint32_t i = 0; i < root.count && good && !in.bad; i++) {
        value key = read_value(&in), item = read_value(&in);
        if (!is(key, "amdhsa.kernels")) {
            skip(&in, item, 0);
            continue;
        }
        for (uint32_t k = 0; item.kind == ARRAY && k < item.count && good && !in.bad; k++) {
            kernel_record record = {0};
            read_kernel(&in, &record);
            good = !in.bad && attach(module, &record);
            free(record.facts.args);
        }
    }
    return good && !in.bad;
}
