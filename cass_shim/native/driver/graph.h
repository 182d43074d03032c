/* Graphs: nodes, edges, executable graphs. Ours entirely: HIP sees the work of a node when the
 * graph runs.
 *
 * A graph belongs to the program, which must not change it from two threads at once (CUDA says the
 * same). */
#ifndef CASS_GRAPH_H
#define CASS_GRAPH_H

#include "driver/array.h"
#include "driver/launch.h"
#include "shim/cuda_types.h"

enum { /* cudaGraphNodeType = CUgraphNodeType */
       CASS_NODE_KERNEL = 0,
       CASS_NODE_COPY = 1,
       CASS_NODE_FILL = 2,
       CASS_NODE_HOST = 3,
       CASS_NODE_GRAPH = 4,
       CASS_NODE_EMPTY = 5,
       CASS_NODE_WAIT_EVENT = 6,
       CASS_NODE_RECORD_EVENT = 7,
       CASS_NODE_SIGNAL = 8, /* external semaphores */
       CASS_NODE_WAIT = 9,
       CASS_NODE_ALLOC = 10,
       CASS_NODE_FREE = 11,
       CASS_NODE_BATCH = 12,
       CASS_NODE_CONDITION = 13
};

typedef struct CUgraph_st cass_graph;
typedef struct CUgraphNode_st cass_node;
typedef struct CUgraphExec_st cass_exec;
typedef struct cass_condition cass_condition;

enum { CASS_NODE_ATTRIBUTE_BYTES = 64, CASS_NODE_ATTRIBUTES = 16 };

typedef struct {
    cass_kernel *kernel;
    cass_launch launch; /* parameters and packed point into `block` */
    unsigned char *block;
    void **pointers;    /* one per parameter, into block */
    const void *symbol; /* what the program named the kernel by: a host stub or a handle */
    unsigned char attributes[CASS_NODE_ATTRIBUTES][CASS_NODE_ATTRIBUTE_BYTES];
    uint32_t attributes_set;
} cass_kernel_node;

typedef struct {
    cass_copy copy;
    cass_place to, from;
    size_t width, height, depth; /* bytes, rows, planes */
} cass_copy_node;

typedef struct {
    int type;
    union {
        cass_kernel_node kernel;
        cass_copy_node copy;
        cass_fill fill;
        struct {
            hipHostFn_t function;
            void *user;
        } host;
        cass_graph *child; /* owned */
        hipEvent_t event;
        struct {
            void *pointer;
            size_t bytes;
        } memory;
        struct {
            void *context;
            CUstreamBatchMemOpParams *operations; /* owned */
            unsigned count, flags;
        } batch;
        struct {
            void **handles; /* owned, like the parameters */
            void *parameters;
            unsigned count;
            size_t each; /* bytes of one parameter */
        } semaphores;
        struct {
            cass_condition *of;
            int type;
            unsigned size;
            cass_graph **bodies; /* owned */
        } condition;
    };
} cass_work;

struct CUgraphNode_st {
    uint32_t magic, id;
    cass_graph *graph;
    cass_work work;
    cass_node **before; /* dependencies */
    size_t before_count, before_room;
    const cass_node *origin; /* in a clone: the node this is a copy of */
    int disabled, mark;
    int device; /* current when the node was made: where its work runs */
    cass_node *next;
};

struct CUgraph_st {
    uint32_t magic, id, next_node;
    cass_node *first, *last;
    size_t count;
    cass_node *parent; /* child graph of this node: not the program's to destroy */
    const cass_graph *origin;
    struct cass_kept *kept; /* user objects */
    struct cass_condition_list *conditions;
    struct cass_live *live; /* of a graph with allocation nodes: its executable graph */
};

struct CUgraphExec_st {
    uint32_t magic;
    unsigned long long flags;
    cass_graph *graph; /* a clone */
    cass_node **order;
    size_t count;
    int device;
    hipEvent_t done; /* the latest launch; made by the first */
    int done_device; /* whose event it is: one is recorded in streams of its own device only */
    int conditional; /* it has conditional nodes */
    struct cass_live *live;
};

/* Some graphs cannot be cloned or become children (CUDA Programming Guide): those with nodes of
 * this type, at any depth of child graphs. */
int cass_graph_has(const cass_graph *graph, int type);

cass_graph *cass_graph_create(void);
void cass_graph_destroy(cass_graph *graph);
cass_graph *cass_graph_clone(const cass_graph *graph);

/* Handles given by the program; NULL for what is none. */
cass_graph *cass_graph_of(const void *handle);
cass_node *cass_node_of(const void *handle);
cass_exec *cass_exec_of(const void *handle);

/* Adds a node and takes over what `work` owns, also when it fails. 1 for dependencies that are not
 * of this graph. */
int cass_graph_add(cass_graph *graph, cass_node *const *before, size_t count, cass_work *work,
                   cass_node **out);
int cass_node_destroy(cass_node *node);
int cass_graph_connect(cass_graph *graph, cass_node *const *from, cass_node *const *to,
                       size_t count);
int cass_graph_disconnect(cass_graph *graph, cass_node *const *from, cass_node *const *to,
                          size_t count);

/* Lists with CUDA's protocol: NULL list asks for the count; a longer room is filled with NULL and
 * *count set. */
int cass_graph_nodes(const cass_graph *graph, int roots_only, cass_node **nodes, size_t *count);
int cass_graph_edges(const cass_graph *graph, cass_node **from, cass_node **to, size_t *count);
int cass_node_before(const cass_node *node, cass_node **nodes, size_t *count);
int cass_node_after(const cass_node *node, cass_node **nodes, size_t *count);

/* The copy of `node` in a clone, or in an executable graph; NULL when it is not there. */
cass_node *cass_graph_find_copy(const cass_graph *clone, const cass_node *node);
cass_node *cass_exec_find(const cass_exec *exec, const cass_node *node);

/* Memory of an allocation node: there from the moment the node is made, until the program or a
 * device reset frees it; CUDA maps it only while the graph runs, which no program can tell. */
/* Whether memory of its allocation nodes is there that no node of it and no program has freed. */
int cass_graph_holds_memory(const cass_graph *graph);
int cass_graph_memory(void **pointer, size_t bytes);
/* Frees it again where no node was made. */
void cass_graph_memory_back(void *pointer, size_t bytes);

/* cudaGraphMemAttributeType: 0 used, 1 used at most, 2 reserved, 3 reserved at most; only the
 * maxima can be set, to 0. A 64-bit value. */
int cass_graph_memory_attribute(int attribute, uint64_t *value, int set);

/* Owned parts of a work. */
int cass_work_kernel(cass_work *work, cass_kernel *kernel, const void *symbol,
                     const cass_launch *launch);
/* Copies of external semaphores' handles and parameters of `each` bytes. type: CASS_NODE_SIGNAL or
 * CASS_NODE_WAIT. */
int cass_semaphores_work(cass_work *work, int type, const void *handles, const void *parameters,
                         unsigned count, size_t each);
int cass_work_copy(cass_work *to, const cass_work *from);
void cass_work_free(cass_work *work);

/* A graph with allocation nodes has one executable graph at a time (recorded): 801 for a second. A
 * holder drops its reference; the executable graph ends with it. */
int cass_live_take(cass_graph *graph, struct cass_live **out);
void cass_live_drop(struct cass_live *live, int ends);

/* Replaces a node's work with one of the same type; takes it over. */
int cass_node_set(cass_node *node, cass_work *work);

/* *bad: the node at fault, or NULL. 1 for a cycle. */
int cass_exec_create(cass_device *device, const cass_graph *graph, unsigned long long flags,
                     cass_exec **out, const cass_node **bad);
void cass_exec_destroy(cass_exec *exec);
int cass_exec_launch(cass_device *device, cass_exec *exec, hipStream_t stream);

/* Runs every node of a child or captured graph on the stream, in order. */
int cass_graph_run(cass_device *device, cass_node **order, size_t count, hipStream_t stream);

/* The same for a graph that has not been put in order. */
int cass_graph_run_whole(cass_device *device, const cass_graph *graph, hipStream_t stream);

/* Takes over parameters from a graph of the same shape. 910 and a cudaGraphExecUpdateResult
 * otherwise. */
int cass_exec_update(cass_exec *exec, const cass_graph *graph, int *outcome, const cass_node **bad);

/* The same for the child graph of an executable graph's node, whose nodes the program goes on to
 * name as before (recorded); 1 where the shapes differ. */
int cass_exec_child(cass_graph *to, const cass_graph *from);

/* Graphviz text; 1 when the file cannot be written. */
int cass_graph_print(const cass_graph *graph, const char *path, unsigned flags);

/* User objects: destroyed when the last graph and holder has let go. */
struct cass_object;
int cass_object_create(void *pointer, hipHostFn_t destroy, unsigned references, unsigned flags,
                       struct cass_object **out);
int cass_object_change(struct cass_object *object, long change);
int cass_graph_keep(cass_graph *graph, struct cass_object *object, unsigned count, int move);
void cass_graph_release_kept(cass_graph *graph);
int cass_graph_unkeep(cass_graph *graph, struct cass_object *object, unsigned count);

#endif
