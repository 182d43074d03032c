/* Texture and surface references: variables of a module whose word in its memory holds a handle.
 *
 * In: what the program binds, as for objects (texture.h). Out: the word of the current device,
 * written once the device is idle, so that launches before it keep what they were given. */
#ifndef CASS_REFERENCE_H
#define CASS_REFERENCE_H

#include "driver/module.h"
#include "driver/texture.h"

/* A CUtexref or CUsurfref; a reference of cuTexRefCreate has no module and reaches no code. */
typedef struct CUtexref_st {
    uint32_t magic;
    cass_module *module;
    uint32_t image;         /* of the module */
    cass_texture texture;   /* what is bound, and how it is read */
    int format, anisotropy; /* as cuTexRefSetFormat and cuTexRefSetMaxAnisotropy gave them */
    unsigned flags;         /* CU_TRSF_... */
    size_t skipped;         /* bytes between an image's address and what was bound */
    struct {
        uint32_t epoch;
        unsigned long long handle; /* 0: nothing is bound on this device */
        cass_texture_entry entry;
        uint32_t words[CASS_TEXTURE_DWORDS];
    } on[CASS_MAX_DEVICES];
    struct CUtexref_st *next;
} cass_reference;

/* The module's reference of that name, made on first use: 500 where it has none of this kind. */
int cass_reference_find(cass_module *module, const char *name, int surface, cass_reference **out);

/* The reference of a handle given by the program, or NULL. */
cass_reference *cass_reference_of(const void *handle, int surface);

cass_reference *cass_reference_create(void);
void cass_reference_destroy(cass_reference *reference);

/* Puts what `texture` says into effect, or takes it back: nothing is bound while it names no
 * memory. */
int cass_reference_apply(cass_device *device, cass_reference *reference);

/* The module goes. */
void cass_references_drop(const cass_module *module);

/* Bytes from `address` to the end of its allocation, at most `bytes`. */
size_t cass_reference_room(const void *address, size_t bytes);

#endif
