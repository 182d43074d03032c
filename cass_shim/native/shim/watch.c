/* The loader calls _r_debug.r_brk, an empty function, whenever its list of objects changes; at
 * RT_CONSISTENT new objects are mapped and not yet initialised (seen with glibc 2.36). The hook is
 * a jump in its place. Runs with the loader's lock held: no dlopen, no lock of ours. */
#include "shim/watch.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/redirect.h"

#define PAGE ((uintptr_t)4096)

/* One loaded object that has been looked at. A slot is free when map is NULL. */
typedef struct {
    const struct link_map *map;
    const void *dynamic; /* tells a new object at a recycled link_map */
    uint32_t seen;       /* the round in which it was last in the list */
    cass_copy *copy;     /* NULL: no CUDA in it */
} watched;

static watched *objects;
static size_t object_room, object_count;
static uint32_t current_round;

static void *map_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t slot_of(const watched *table, size_t room, const struct link_map *map) {
    size_t at = ((uintptr_t)map >> 4) * 0x9e3779b97f4a7c15u & (room - 1);
    while (table[at].map && table[at].map != map) at = (at + 1) & (room - 1);
    return at;
}

/* Doubles the table when it is half full; rounds that dropped objects compact it here. */
static int make_room(void) {
    if (object_count * 2 < object_room) return 0;
    size_t room = object_room ? object_room * 2 : 256;
    watched *larger = map_memory(room * sizeof *larger);
    if (!larger) return -1;
    for (size_t i = 0; i < object_room; i++)
        if (objects[i].map) larger[slot_of(larger, room, objects[i].map)] = objects[i];
    if (objects) munmap(objects, object_room * sizeof *objects);
    objects = larger;
    object_room = room;
    return 0;
}

static void drop_copy(cass_copy *copy) {
    if (cass_runtime_copy_gone) cass_runtime_copy_gone(&copy->caller);
    cass_redirect_forget(copy);
}

/* Looks at one object of the list; CASS_CANNOT is passed up. */
static cass_redirect_result visit(const struct link_map *map, int leave_alone) {
    if (make_room() != 0) return CASS_NO_CUDA;
    watched *known = &objects[slot_of(objects, object_room, map)];
    if (known->map && known->dynamic == map->l_ld) {
        known->seen = current_round;
        return CASS_NO_CUDA;
    }
    if (known->map && known->copy) drop_copy(known->copy);
    object_count += known->map ? 0 : 1;
    *known = (watched){.map = map, .dynamic = map->l_ld, .seen = current_round};
    if (leave_alone) return CASS_NO_CUDA;
    cass_copy *copy;
    cass_redirect_result result = cass_redirect(map, &copy);
    if (result == CASS_REDIRECTED) known->copy = copy;
    return result;
}

/* Objects that were not in the list this round are gone; their slots are rebuilt away. */
static void drop_missing(void) {
    size_t gone = 0;
    for (size_t i = 0; i < object_room; i++)
        if (objects[i].map && objects[i].seen != current_round) {
            if (objects[i].copy) drop_copy(objects[i].copy);
            objects[i].copy = NULL;
            gone++;
        }
    if (gone == 0) return;
    watched *table = map_memory(object_room * sizeof *table);
    if (!table) return;
    object_count = 0;
    for (size_t i = 0; i < object_room; i++)
        if (objects[i].map && objects[i].seen == current_round) {
            table[slot_of(table, object_room, objects[i].map)] = objects[i];
            object_count++;
        }
    munmap(objects, object_room * sizeof *objects);
    objects = table;
}

int cass_watch_now(int leave_alone) {
    int redirected = 0, failed = 0;
    current_round++;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        cass_redirect_result result = visit(map, leave_alone);
        redirected += result == CASS_REDIRECTED;
        failed |= result == CASS_CANNOT;
    }
    drop_missing();
    return failed ? -1 : redirected;
}

static void loader_changed(void) {
    int saved = errno;
    if (_r_debug.r_state == RT_CONSISTENT) cass_watch_now(0);
    errno = saved;
}

/* r_brk is `ret`, maybe behind endbr64, and functions of the loader start at multiples of 16: the
 * bytes up to there are padding. */
static uint8_t *hook_site(void) {
    uint8_t *function = (uint8_t *)_r_debug.r_brk;
    if (!function || ((uintptr_t)function & 15) != 0) return NULL;
    uint8_t *site = cass_jump_site((uintptr_t)function);
    return *site == 0xc3 ? site : NULL;
}

int cass_watch_loader(void) {
    uint8_t *site = hook_site();
    if (!site) return -1;
    uintptr_t page = (uintptr_t)site & ~(PAGE - 1);
    cass_near area;
    if (cass_near_map(&area, page, page + PAGE, 1) != 0) return -1;
    void *target = cass_near_plain(&area, (const void *)loader_changed);
    /* The loader's own code may be needed by other threads meanwhile, so it stays executable. */
    if (cass_near_seal(&area) != 0 ||
        mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        cass_near_unmap(&area);
        return -1;
    }
    cass_jump_write(site, target);
    return mprotect((void *)page, PAGE, PROT_READ | PROT_EXEC);
}
