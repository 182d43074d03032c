/* Translations for the target process: module manifests and code entries, from the local cache or
 * the daemon.
 *
 * In: the bytes of a fatbinary entry as stored. Out: immutable views that live until
 * cass_client_close(). Everything here is C only, takes no lock on a hit path that the caller does
 * not already hold, and never starts a thread. Functions may block on the daemon's socket (the
 * daemon is started on demand). */
#ifndef CASS_CLIENT_H
#define CASS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

enum cass_slot_kind { /* the numbers of cass_shim.model.kernel_abi.SlotKind */
                      CASS_SLOT_SYMBOL = 0,
                      CASS_SLOT_BANK = 1,
                      CASS_SLOT_PRINTF = 2,
                      CASS_SLOT_HEAP = 3,
                      CASS_SLOT_TEXTURES = 4,
                      CASS_SLOT_GRID_SYNC = 5,
                      CASS_SLOT_SHARED_ARENA = 6
};

enum cass_image_kind { /* cass_shim.model.manifest: IMAGE_KINDS */
                       CASS_IMAGE_GLOBAL = 0,
                       CASS_IMAGE_ZERO = 1,
                       CASS_IMAGE_CONSTANT3 = 2,
                       CASS_IMAGE_TEXTURE = 3, /* a texture reference's handle */
                       CASS_IMAGE_SURFACE = 4
};
enum cass_abi_class { CASS_ABI_CASS1 = 1, CASS_ABI_HIP = 2 };

typedef struct {
    uint32_t offset, size; /* bytes, in the CUDA parameter block */
} cass_param;

typedef struct {
    const char *name;
    uint8_t key[32]; /* SHA-256 record key */
    const cass_param *params;
    uint32_t param_count, params_bytes;
    uint32_t registers, shared_bytes, local_bytes, const_bytes;
    uint32_t max_threads; /* 0: unstated */
    uint32_t required_block[3];
    uint32_t cooperative;
    uint32_t sm, ptx_version; /* 80, 90 = 9.0 */
} cass_kernel_info;

typedef struct {
    uint32_t kind; /* enum cass_image_kind */
    uint32_t align;
    uint64_t size;
    const void *content; /* NULL: zeros */
} cass_image_info;

typedef struct {
    const char *name;
    uint64_t offset, size;
    uint32_t image;
    uint32_t visible, managed;
} cass_variable_info;

typedef struct {
    uint32_t image;  /* the image that is patched */
    uint32_t kind;   /* 0: address of `variable` + addend; 1: the addend itself (function token) */
    uint64_t offset; /* of the 8-byte word in the image */
    uint32_t variable; /* index into variables */
    uint32_t reserved;
    int64_t addend;
} cass_image_relocation;

typedef struct {
    const cass_kernel_info *kernels;
    const cass_image_info *images;
    const cass_variable_info *variables;
    const cass_image_relocation *relocations;
    uint32_t kernel_count, image_count, variable_count, relocation_count;
    uint8_t digest[32]; /* SHA-256 of the fatbinary entry as stored: the module's identity */
} cass_manifest;

typedef struct {
    uint32_t kind; /* enum cass_slot_kind */
    uint32_t reserved;
    const char *symbol;
    int64_t addend;
} cass_slot;

typedef struct {
    const void *code; /* gfx1100 code object */
    size_t code_bytes;
    const char *symbol;       /* the kernel's name in the code object */
    const char *route;        /* "lift", "ptx-hip", "cass" */
    uint32_t evidence;        /* the numbers of cass_shim.model.artifacts.Evidence */
    uint32_t abi;             /* enum cass_abi_class */
    uint32_t bindings_offset; /* cass1: of the binding-table pointer in the kernarg */
    uint32_t lds_bytes, scratch_bytes, kernarg_bytes;
    uint32_t slot_count;
    const cass_slot *slots;
    int launch_may_tell; /* inputs told nothing or little of it, and no launch has been tried */
    int is_disputed;     /* it differed on a launch, with no time to tell whether that is a fault */
} cass_code;

/* A failure a user can act on: one line, and the CUDA error a driver would give. */
typedef struct {
    int cuda_error; /* 209 no kernel image, 200 invalid image, 999 unknown, ... */
    char message[512];
} cass_client_error;

/* The manifest of one fatbinary. `region`: the whole fatbinary (header 0xBA55ED50 and entries);
 * also accepted: a raw cubin ELF or NUL-terminated PTX text. The entry to use is chosen here
 * (CASS_PREFER_SM, else 80 86 87 89 90 75 100 120, then PTX; where `ptx-hip` leads the translators,
 * those with PTX of their generation first) by walking headers only. Returns 0 or -1 with *error
 * filled. Thread-safe. */
int cass_client_module(const void *region, size_t region_bytes, const cass_manifest **out,
                       cass_client_error *error);

/* The code of one kernel of that manifest: cache file, else daemon. Same conventions. */
int cass_client_kernel(const cass_manifest *manifest, uint32_t kernel, const cass_code **out,
                       cass_client_error *error);

/* A launch as it is about to be made, for a translation that is to be judged by it. */
typedef struct {
    uint64_t address, size;
    uint32_t image;      /* number of the module's image that it is, or CASS_CAPTURED_NO_IMAGE */
    const void *content; /* `size` bytes */
} cass_captured_range;

typedef struct {
    uint32_t grid[3], block[3], cooperative;
    uint64_t shared_bytes;             /* dynamic */
    const void *params;                /* as many bytes as the kernel's parameter block has */
    const cass_captured_range *ranges; /* by address */
    uint32_t range_count;
} cass_captured;

#define CASS_CAPTURED_NO_IMAGE UINT32_MAX
#define CASS_CAPTURED_HEAP (UINT32_MAX - 1) /* no image either: what device code's malloc gives */

/* 1 when this kernel's first launch is to be captured: CASS_CAPTURE or CASS_MIN_EVIDENCE=E3 say so,
 * and neither this process nor the cache has code that a launch has been seen to agree with. */
int cass_client_wants_launch(const cass_manifest *manifest, uint32_t kernel, int spilled);

/* How many bytes of memory a captured launch may hold (CASS_CAPTURE_LIMIT). */
uint64_t cass_client_capture_limit(void);

/* As cass_client_kernel, with the launch that the code is wanted for, or NULL. spilled: the code
 * that keeps shared memory in an arena, of launches with more of it than LDS has. */
int cass_client_kernel_for(const cass_manifest *manifest, uint32_t kernel, int spilled,
                           const cass_captured *launch, const cass_code **out,
                           cass_client_error *error);

/* 1 when the first launch of a kernel with this code is to be captured: CASS_CAPTURE=weak, and
 * generated inputs told nothing of it, or of little of its code. */
int cass_client_wants_judging(const cass_code *code);

/* The code as this launch shows it to be: with better evidence, or the same and a reason in its
 * record; another translator's where it is wrong. Where the daemon cannot be asked it stays as it
 * is. Same conventions as cass_client_kernel. */
int cass_client_judge(const cass_manifest *manifest, uint32_t kernel, int spilled,
                      const cass_captured *launch, const cass_code **out, cass_client_error *error);

/* Nothing runs unverified in silence: one line on stderr, once, for code with evidence below
 * E1u. */
void cass_client_note_evidence(const cass_manifest *manifest, uint32_t kernel,
                               const cass_code *code);

/* 1 when CASS_SHARED=spill: launches may have more shared memory than LDS. */
int cass_client_spills(void);

/* 1 when the local cache holds code under this record key that this process would run: found, ours,
 * whole. Asks nobody. */
int cass_client_holds(const uint8_t key[32]);

typedef struct {
    uint32_t kind; /* CUjitInputType */
    const char *name;
    const void *content;
    size_t bytes;
} cass_link_input;

/* What becomes of several images: machine code linked to a cubin, the PTX of others (each text
 * ended by a zero), or both, where PTX cannot use what has one of the names, and may define it only
 * where a ? stands before it. */
typedef struct {
    void *memory; /* what the others point into: the caller's to free */
    const void *cubin;
    const char *names, *texts;
    size_t cubin_bytes, names_bytes, texts_bytes;
} cass_link_result;

int cass_client_link(const cass_link_input *inputs, uint32_t count, cass_link_result *out,
                     cass_client_error *error);

/* Drops what the process keeps; after fork the child calls cass_client_forget() instead, which
 * touches no socket. */
void cass_client_close(void);
void cass_client_forget(void);

#endif
