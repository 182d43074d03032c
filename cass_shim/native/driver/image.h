/* Loading a module as the driver's calls do: any image form, from memory or a file, with JIT
 * options. */
#ifndef CASS_IMAGE_H
#define CASS_IMAGE_H

#include "api/bodies.h"
#include "driver/module.h"

/* image: a fatbinary (with or without its wrapper), a cubin or PTX text. keep: the bytes stay where
 * they are. 200 when it is none of these; else what reading its manifest gives. */
int cass_image_load(const void *image, int keep, cass_module **module);

/* The same from a file. 301 when it cannot be read. */
int cass_image_load_file(const char *path, cass_module **module);

/* As cass_image_load, and nothing is read before first use (recorded of libraries). */
int cass_image_keep(const void *image, int keep, cass_module **module);

/* What the language does not allow in a PTX text that is to be linked: 0, 218 or 222, with the
 * reason in cass_module_message(). */
int cass_image_vet(const char *text);

/* Whether there are such options. */
int cass_jit_known(unsigned count, const CUjit_option *options);

/* Fills the output options (logs, sizes, time); `failed`: put the reason into the error log. */
void cass_jit_answer(unsigned count, const CUjit_option *options, void **values, int failed);

#endif
