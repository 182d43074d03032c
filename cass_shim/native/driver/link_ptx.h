/* Joining PTX texts as ptxas and nvlink would: one text in which every symbol is defined once. */
#ifndef CASS_LINK_PTX_H
#define CASS_LINK_PTX_H

#include <stddef.h>

typedef struct cass_ptx_part {
    char *text;
    struct cass_ptx_part *next;
} cass_ptx_part;

/* Whether a text is PTX: it has a .version directive. */
int cass_ptx_is_text(const char *text);

/* Checks one more text against those before it. 0, 300 when it defines what one of them defines,
 * 801 when both have a symbol of that name that is not visible outside (`named`: the symbol). */
int cass_ptx_check(const cass_ptx_part *before, const char *text, char *named, size_t room);

/* The joined text, owned by the caller. 0, 2, or 300 when a declared function or variable has no
 * definition (`named`). No text gives an empty module. */
int cass_ptx_join(const cass_ptx_part *parts, char **joined, char *named, size_t room);

#endif
