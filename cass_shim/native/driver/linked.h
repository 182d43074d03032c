/* What cuLinkComplete gives where machine code and PTX stay apart: both in one image, which has a
 * fatbinary's header, so that its size can be told, and is read by nobody but us. */
#ifndef CASS_LINKED_H
#define CASS_LINKED_H

#include <stddef.h>

/* The image, the caller's to free; NULL when memory is short. text: ended by a zero. */
void *cass_linked_pack(const void *cubin, size_t cubin_bytes, const char *text, size_t *bytes);

/* The two of such an image; 0 when it is none. */
int cass_linked_parts(const void *image, const void **cubin, const char **text);

#endif
