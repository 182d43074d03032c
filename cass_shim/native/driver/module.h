/* Modules and kernels: from the bytes of a fatbinary to a HIP function with its binding table.
 *
 * In: client.h (manifest and code, once per kernel), the HIP door. Out: cass_kernel_device, ready
 * to launch. Everything is made on first use under the module's lock and published with release
 * stores, so that a launch only loads. A CUfunction, a CUkernel, a cudaFunction_t and a
 * cudaKernel_t are all a cass_kernel. */
#ifndef CASS_MODULE_H
#define CASS_MODULE_H

#include "client/client.h"
#include "driver/state.h"

typedef struct CUmod_st cass_module;

/* A kernel's code on one device. */
typedef struct {
    hipModule_t module;
    hipFunction_t function;
    const cass_code *code;
    uint64_t *bindings;      /* in device memory; NULL when the kernel has no slots */
    uint64_t *host_bindings; /* the same values, for cooperative launches to copy */
    int grid_sync_slot;      /* index of the GRID_SYNC slot, or -1 */
    uint32_t epoch;          /* device epoch this was made in */
    int spilled;             /* shared memory is in an arena; LDS holds what barriers need */
    int static_shared, registers, local_bytes, max_threads;
} cass_kernel_device;

typedef struct CUfunc_st {
    uint32_t magic, index;
    cass_module *module;
    const cass_kernel_info *info;
    /* The second of each: code that keeps shared memory in an arena (driver/shared.h). */
    _Atomic(cass_kernel_device *) device[2][CASS_MAX_DEVICES];
    _Atomic int failed[2];     /* CUDA code of a translation that failed: not asked for again */
    int most_threads;          /* of a block */
    _Atomic int dynamic_limit; /* bytes a launch may ask for; raised by cudaFuncSetAttribute */
    _Atomic int carveout, cache_config, non_portable_clusters;
    _Atomic int complained; /* one line on stderr per kernel */
    pthread_mutex_t making; /* held while the kernel is translated and loaded */
} cass_kernel;

/* Memory of a module on one device: one allocation per image. */
typedef struct {
    uint32_t epoch;
    void *images[];
} cass_module_data;

struct CUmod_st {
    uint32_t magic;
    const void *region;
    size_t region_bytes;
    void *owned; /* a copy of the bytes that we free, or NULL */
    pthread_mutex_t lock;
    _Atomic(const cass_manifest *) manifest;
    int failed;     /* CUDA code */
    int of_context; /* by cuModuleLoad…: its kernels are no CUkernels, those of libraries are */
    cass_kernel *kernels;
    void **managed; /* by image: one allocation for all devices, or NULL */
    _Atomic(cass_module_data *) data[CASS_MAX_DEVICES];
    _Atomic int references;
    cass_module *next;   /* all modules of the process, for printf and reset */
    cass_module *beside; /* of what cuLink joined: its PTX, where this is the machine code */
    cass_module *whole;  /* the other way: whose handle the program has */
};

/* A module over `region` (a whole fatbinary, cubin or PTX text). Nothing is read before first use.
 * `copy`: keep a copy of the bytes. NULL when memory is short. */
cass_module *cass_module_create(const void *region, size_t region_bytes, int copy);

/* Reads the manifest if that has not happened: 0 or a CUDA code (and one line on stderr the first
 * time). */
int cass_module_prepare(cass_module *module);

/* Why this thread's last image was refused, for JIT error logs; "" when it was not. */
const char *cass_module_message(void);
void cass_module_message_clear(void);

/* Frees device memory and code once work in flight has finished. */
void cass_module_destroy(cass_module *module);

/* As destroy while the program runs; while it exits only forgets, since the device library may be
 * gone. */
void cass_module_retire(cass_module *module);
void cass_module_watch_exit(void);

/* The module of a handle given by the program, or NULL. */
cass_module *cass_module_of(const void *handle);
cass_kernel *cass_kernel_of(const void *handle);

/* As cass_kernel_of for an address that may be anything: looks through all modules instead of
 * reading it. */
cass_kernel *cass_kernel_find(const void *handle);

/* A kernel by name or number, in what lies beside the module too; NULL where there is none. The
 * module must be prepared. */
cass_kernel *cass_module_kernel(cass_module *module, const char *name);
cass_kernel *cass_module_kernel_at(cass_module *module, unsigned number);
unsigned cass_module_kernel_count(const cass_module *module);

/* The part of a module that has this variable, or the module; its number there, or -1. */
cass_module *cass_module_with(cass_module *module, const char *variable);
int cass_module_variable(cass_module *module, const char *name);

/* As cuModuleLoad… makes them. */
void cass_module_of_context(cass_module *module);

/* Joins two modules that no call connects: what is looked up in the first is found in both. */
void cass_module_join(cass_module *module, cass_module *beside);

/* The module whose handle the program has. */
cass_module *cass_module_whole(cass_module *module);

/* Address and size of a variable on this device, allocating the module's data there on first use.
 */
int cass_variable_address(cass_module *module, int variable, cass_device *device, void **address,
                          size_t *bytes);

struct cass_launch;

/* The kernel's code on this device. First use translates, loads and binds (may block); then one
 * load. launch: the one that it is wanted for, whose shared memory chooses the code and which may
 * be captured on first use. */
int cass_kernel_prepare(cass_kernel *kernel, cass_device *device, const struct cass_launch *launch,
                        cass_kernel_device **out);

/* The initial content of module memory at a device address, for when the device can no longer be
 * read: the bytes from there to the end of the image, or NULL. */
const void *cass_module_content(uint64_t address, size_t *bytes);

/* Drops what a device reset invalidates: data and code of every module on this device. */
void cass_modules_reset(cass_device *device);

/* Length in bytes of a module image as CUDA passes it: fatbinary header, ELF, or PTX text. 0: none
 * of these. */
size_t cass_image_bytes(const void *image);

#endif
