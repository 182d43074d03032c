/* Device memory: one reserved range of addresses, cut into blocks with a guard page behind each.
 * Device addresses are host addresses, so copies and pinned memory need no translation; what a lane
 * may touch is emu_space.page_ok. */
#ifndef CASS_EMU_MEMORY_H
#define CASS_EMU_MEMORY_H

#include "emulator/hip_state.h"

typedef enum {
    EMU_MEMORY_DEVICE = 1,
    EMU_MEMORY_HOST, /* pinned */
    EMU_MEMORY_MANAGED,
    EMU_MEMORY_ARRAY,
    EMU_MEMORY_CODE,     /* loaded code objects and their variables */
    EMU_MEMORY_INTERNAL, /* kernarg segments, workspaces */
    EMU_MEMORY_MAPPED    /* a piece of a reserved range with physical memory */
} emu_memory_kind;

/* A block handed out, or a registered range of the program's own memory (registered: kind HOST). */
typedef struct emu_block {
    uint8_t *base;
    uint64_t bytes; /* as asked for */
    uint64_t span;  /* pages and guard */
    emu_memory_kind kind;
    int device;
    unsigned flags;
    uint64_t id; /* never reused */
    emu_pool *pool;
    bool registered;
    bool mapped;  /* kind MAPPED: no guard, may lie beside another */
    bool graph;   /* belongs to a graph: freeing it by a call only says that its contents are done
                     with */
    bool freeing; /* by a call in stream order that is still to come */
    bool shared;  /* backed by a file that another process may map */
} emu_block;

/* Reserves the range; false with a reason when the address space cannot be had. Called once, from
 * initialisation. */
bool emu_memory_start(void);

/* A zeroed block aligned to `align` (a power of two, at least 256; in checking mode filled with
 * 0xa5, its end at a page's end, its alignment 16 to 256); NULL when the device or the range is
 * full. What it takes from the device's memory counts for kinds DEVICE, MANAGED, ARRAY and CODE. */
void *emu_memory_alloc(emu_memory_kind kind, int device, uint64_t bytes, uint64_t align,
                       unsigned flags);
/* Gives back the block that starts exactly at `base`; false if there is none of `kinds` (bit per
 * kind). */
bool emu_memory_free(const void *base, unsigned kinds);
/* The block (or registered range) that holds `address`. */
bool emu_memory_find(const void *address, emu_block *found);
/* The block that starts nearest at or below `address`; the block freed last that held it. */
bool emu_memory_below(const void *address, emu_block *found);
bool emu_memory_freed(const void *address, emu_block *found);
/* What lies at an address that faulted, in words that end a sentence: "16 bytes past the end of …".
 * memory_describe.c */
void emu_memory_describe(uint64_t address, char *text, size_t bytes);
/* Applies `change` to the block at `address` under the lock. */
bool emu_memory_update(const void *address, void (*change)(emu_block *, void *), void *context);
/* Bytes from `address` to the end of its block, or of the run of mappings it lies in; 0: no live
 * block. */
uint64_t emu_memory_extent(const void *address);
/* Whether [address, address + bytes) lies inside one live block. */
bool emu_memory_covers(const void *address, uint64_t bytes);
static inline bool emu_memory_inside(const void *address) {
    return (uint64_t)address - (uint64_t)emu_space.base < emu_space.size;
}
uint64_t emu_memory_used(int device);
/* Frees the blocks of a device that no handle owns: kinds DEVICE, HOST and MANAGED
 * (hipDeviceReset). */
void emu_memory_reset(int device);

/* Addresses without memory, and memory from a file put there. Lanes may touch it after
 * emu_memory_permit. */
void *emu_memory_reserve(uint64_t bytes, uint64_t align);
void emu_memory_unreserve(void *address, uint64_t bytes);
bool emu_memory_map(void *address, uint64_t bytes, int file, uint64_t offset, int device);
bool emu_memory_unmap(const void *address);
/* Moves a block's contents into `file` and maps that in its place. No kernel may use the block
 * meanwhile. */
bool emu_memory_share(const void *address, int file);
/* A shared block is about to be freed: its file is no longer offered. hip_ipc.c */
void emu_ipc_forget(uint64_t id);
/* hipIpcOpenMemHandle, of handles of this process too. */
hipError_t emu_ipc_open(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags);
/* A copy of a descriptor of exported memory and the file's size; -1 for any other descriptor.
 * hip_virtual.c */
int emu_memory_file(int descriptor, uint64_t *bytes);
/* Maps bytes of a file from `offset` on, for lanes to use; NULL where there is no room. */
void *emu_ipc_map(int file, uint64_t offset, uint64_t bytes);
/* Whether this address was given for memory of a handle; and its end, when nothing uses it. */
bool emu_ipc_imported(const void *given);
bool emu_ipc_close(void *given);
/* What was given that holds this address, and how many bytes of it there are. */
bool emu_ipc_range(const void *address, void **given, size_t *bytes);

bool emu_memory_register(void *address, uint64_t bytes, unsigned flags);
bool emu_memory_unregister(const void *address);

/* Changes what lanes may do with whole pages of a block. */
void emu_memory_permit(const void *address, uint64_t bytes, uint8_t permission);
enum { EMU_PAGE_NONE = 0, EMU_PAGE_READ_WRITE = 1, EMU_PAGE_READ_ONLY = 2 };

/* Copies between any two addresses; a bad address of the program's own memory is false, never a
 * signal. */
bool emu_memory_copy(void *target, const void *source, uint64_t bytes);

#endif
