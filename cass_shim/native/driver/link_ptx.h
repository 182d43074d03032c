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

/* Adds a text, which is freed when that fails. Symbols that are visible to one text only get a name
 * of their own where another text has theirs. 0, 2, or 300 when it defines what one before it
 * defines (`named`: the symbol; 999 for functions and variables). */
int cass_ptx_add(cass_ptx_part **parts, char *text, char *named, size_t room);

void cass_ptx_drop(cass_ptx_part *parts);

/* The joined text, owned by the caller. 0, 2, or 300 when a declared function or variable has no
 * definition (`named`). No text gives an empty module. */
int cass_ptx_join(const cass_ptx_part *parts, char **joined, char *named, size_t room);

/* How the texts define a name for others: 0 not at all, 1 strongly, 2 weakly. */
int cass_ptx_defines(const cass_ptx_part *parts, const char *name);

#endif
