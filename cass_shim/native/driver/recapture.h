/* Recapture (CUDA 13.3): what a stream does is captured once more into a graph that is there. Each
 * call must make the next node as it was made the first time; its parameters may be others. Source:
 * CUDA Runtime API, cudaStreamBeginRecaptureToGraph. */
#ifndef CASS_RECAPTURE_H
#define CASS_RECAPTURE_H

#include "driver/graph.h"

/* Told of a node whose parameters differ; not 0 ends the recapture. `callback`: the program's, with
 * its pointer `user`. */
typedef int (*cass_recapture_tell)(void *callback, void *user, cass_node *node,
                                   const cass_work *now);

typedef struct {
    int active;
    cass_node *next; /* in the order in which they were made; NULL: all are there */
    cass_recapture_tell tell;
    void *callback, *user;
} cass_recapture;

/* The node that `work` is to become again, and moves on. 918 where it is of another type, comes
 * after others, or is an allocation or a free of other memory. */
int cass_recapture_node(cass_recapture *again, cass_node *const *before, size_t count,
                        const cass_work *work, cass_node **out);
/* Gives the node its new work, after telling the program where that differs; takes the work over,
 * also when it fails (918). */
int cass_recapture_set(const cass_recapture *again, cass_node *node, cass_work *work);
/* The memory of the next node, if that allocates as many bytes; NULL otherwise. */
void *cass_recapture_memory(const cass_recapture *again, size_t bytes);

#endif
