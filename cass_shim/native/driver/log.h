/* The error log (CUDA Programming Guide, Error Log Management): a line for every call that fails,
 * "[time][thread][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemAlloc". A driver also
 * says why in words of its own; ours has the return value only. */
#ifndef CASS_LOG_H
#define CASS_LOG_H

#include <stddef.h>
#include <stdint.h>

/* The place behind the newest line. */
uint32_t cass_log_end(void);

/* Lines from *iterator on (NULL: all that are kept) into `buffer`, as many as fit into *size with
 * the zero behind them; *size becomes what they take and *iterator the next line. 1 where not even
 * one fits. */
int cass_log_dump(uint32_t *iterator, char *buffer, size_t *size);
/* The same into a file; 1 when it cannot be written. */
int cass_log_dump_file(uint32_t *iterator, const char *path);

/* CUlogsCallback and cudaLogsCallback_t, which differ in the name of the level's type. */
typedef void (*cass_log_reader)(void *data, int level, char *message, size_t length);

/* Registers a reader of the lines to come; 2 when there are too many. */
int cass_log_watch(cass_log_reader reader, void *data, void **handle);
/* 1 for a handle that is none. */
int cass_log_unwatch(const void *handle);

#endif
