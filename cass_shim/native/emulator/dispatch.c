/* One build variant's dispatch table and the loop that leaves and enters the interpreter. */
#include "emulator/interp.h"
#include "emulator/native_services.h"

#define BODY(name) const op_t *BODY_NAME(name)(wave_t * w, const op_t *o);
#include "emulator/bodies.inc"
#undef BODY

static const handler_t handlers[] = {
#define ROW(enc, op, name, body, td, ta, tb, tc, n, ulp) BODY_NAME(body),
#include "emulator/rows.inc"
#undef ROW
};

/* Bodies that end in tail calls come back only to leave; the others return the next record. */
static const op_t *run(wave_t *w, const op_t *o) {
    while (o) o = o->fn(w, o);
#if defined(__AVX__)
    __builtin_ia32_vzeroupper();
#endif
    return o;
}

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
extern const native_access EMU_CAT(emu_access_, EMU_VARIANT);
extern const emu_variant EMU_CAT(emu_variant_, EMU_VARIANT);
const emu_variant EMU_CAT(emu_variant_, EMU_VARIANT) = {TEXT(EMU_VARIANT), handlers, run,
                                                        &EMU_CAT(emu_access_, EMU_VARIANT)};
