/* cudaChannelFormatDesc and our element formats. */
#ifndef CASS_FORMAT_H
#define CASS_FORMAT_H

#include "driver/array.h"
#include "driver/texture.h"
#include "runtime/runtime.h"

/* 20 (invalid channel descriptor) for channels of different widths or a kind arrays do not have. */
int cass_format_read(const struct cudaChannelFormatDesc *desc, cass_format_of *format);
/* Whether CUDA reads this format so: 26 or 35 when not. */
cudaError_t cass_check_sampler(const cass_texture *texture);
void cass_format_write(cass_format_of format, struct cudaChannelFormatDesc *desc);

#endif
