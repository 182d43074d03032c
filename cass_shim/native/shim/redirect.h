/* Redirecting the CUDA entry points of one loaded object to ours.
 *
 * Callers hold the loader's lock or run before any thread exists. */
#ifndef CASS_REDIRECT_H
#define CASS_REDIRECT_H

#include <link.h>

#include "shim/near.h"
#include "shim/object.h"

/* One redirected object. Lives as long as the object is mapped; `caller` is handed to bodies. */
typedef struct cass_copy {
    cass_caller caller;
    cass_near area;
    char *names; /* of unknown entry points, and the path */
    size_t names_bytes;
} cass_copy;

typedef enum { CASS_NO_CUDA, CASS_REDIRECTED, CASS_CANNOT } cass_redirect_result;

/* Looks at an object and redirects all of its CUDA entry points or none. With CASS_REDIRECTED,
 * *copy is for cass_redirect_forget() when the object goes. CASS_CANNOT has been explained on
 * stderr. */
cass_redirect_result cass_redirect(const struct link_map *map, cass_copy **copy);
void cass_redirect_forget(cass_copy *copy);

/* Fills `found` with the entry points of a stripped static cudart; 0, or -1 when there is none in
 * the object, or -2 when there is one whose release is not known (explained on stderr). *version is
 * set on 0. */
int cass_stripped_find(const cass_object *object, cass_symbols *found, uint32_t *version);

#endif
