/* The 16 dwords that device code finds at a texture or surface object. */
#ifndef CASS_EMU_HIP_TEXTURE_H
#define CASS_EMU_HIP_TEXTURE_H

#include "emulator/hip_state.h"

enum { EMU_OBJECT_DWORDS = 16, EMU_OBJECT_SAMPLER = 12 };

/* From a checked resource; texture NULL: a surface; view may be NULL. Fails, with the reason, for
 * what gfx11 has not. */
hipError_t emu_texture_words(const hipResourceDesc *resource, const hipTextureDesc *texture,
                             const hipResourceViewDesc *view, uint32_t words[EMU_OBJECT_DWORDS]);

#endif
