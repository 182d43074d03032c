/* Device memory: the reserved range, its blocks, and what lanes may touch (memory.h). */
#include "emulator/memory.h"
#include "emulator/memory_addresses.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FREED_KEPT 16384u
#define POISON 0xa5
#define POISON_LIMIT (64ull << 20)
#define HUGE_PAGE (2ull << 20)

emu_space_t emu_space;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint8_t *page_ok;
static emu_block **blocks; /* sorted by base; arena blocks only */
static size_t block_count, block_capacity;
static emu_block **foreign; /* sorted by base; registered host ranges */
static size_t foreign_count, foreign_capacity;
static _Atomic size_t foreign_seen;
static uint64_t used_bytes[EMU_MAX_DEVICES];
static uint64_t next_id = 1;
static emu_block freed[FREED_KEPT]; /* the last ones, for messages */
static uint64_t freed_count;

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) & ~(unit - 1); }

bool emu_memory_start(void) {
    uint64_t size = emu_config.arena_bytes;
    void *range = MAP_FAILED;
    for (; size >= (64ull << 20); size = size / 2 & ~(uint64_t)(EMU_PAGE - 1)) {
        range = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range != MAP_FAILED) break;
    }
    if (range == MAP_FAILED) return false;
    void *map = mmap(NULL, size / EMU_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        munmap(range, size);
        return false;
    }
    madvise(range, size, MADV_DONTDUMP);
    page_ok = map;
    emu_space.base = range;
    emu_space.size = size;
    emu_space.page_ok = page_ok;
    return true;
}

/* First position whose item starts above `address`. */
static size_t upper(emu_block **list, size_t count, uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uint64_t)list[middle]->base <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static emu_block *holder(emu_block **list, size_t count, uint64_t address) {
    size_t at = upper(list, count, address);
    if (at == 0) return NULL;
    emu_block *block = list[at - 1];
    uint64_t bytes = block->bytes ? block->bytes : 1;
    return address - (uint64_t)block->base < bytes ? block : NULL;
}

static bool insert(emu_block ***list, size_t *count, size_t *capacity, emu_block *block) {
    if (*count == *capacity) {
        size_t wanted = *capacity ? *capacity * 2 : 64;
        emu_block **grown = realloc(*list, wanted * sizeof *grown);
        if (!grown) return false;
        *list = grown;
        *capacity = wanted;
    }
    size_t at = upper(*list, *count, (uint64_t)block->base);
    memmove(*list + at + 1, *list + at, (*count - at) * sizeof **list);
    (*list)[at] = block;
    ++*count;
    return true;
}

static void take_out(emu_block **list, size_t *count, emu_block *block) {
    size_t at = upper(list, *count, (uint64_t)block->base) - 1;
    memmove(list + at, list + at + 1, (*count - at - 1) * sizeof *list);
    --*count;
}

static void set_pages(uint64_t offset, uint64_t bytes, uint8_t permission) {
    memset(page_ok + offset / EMU_PAGE, permission, round_up(bytes, EMU_PAGE) / EMU_PAGE);
}

static bool counts(emu_memory_kind kind) {
    return kind != EMU_MEMORY_HOST && kind < EMU_MEMORY_INTERNAL;
}

static uint64_t first_page(const emu_block *block) {
    return ((uint64_t)block->base - (uint64_t)emu_space.base) & ~(uint64_t)(EMU_PAGE - 1);
}

/* In checking mode a block ends where its pages end, as nearly as the alignment that its size
 * suggests allows, so that the first byte past it is out of bounds. */
static uint64_t slack(const emu_block *block, uint64_t pages) {
    bool plain = block->kind == EMU_MEMORY_DEVICE || block->kind == EMU_MEMORY_HOST ||
                 block->kind == EMU_MEMORY_MANAGED;
    if (!emu_config.check || !plain || block->bytes == 0) return 0;
    uint64_t unit = block->bytes & -block->bytes;
    unit = unit < 16 ? 16 : unit > 256 ? 256 : unit;
    return pages - round_up(block->bytes, unit);
}

static void *alloc_locked(emu_block *block, uint64_t align) {
    uint64_t *used = &used_bytes[block->device];
    uint64_t pages = round_up(block->bytes ? block->bytes : 1, EMU_PAGE), offset = 0;
    if (counts(block->kind) &&
        (pages > emu_config.memory_bytes || *used > emu_config.memory_bytes - pages))
        return NULL;
    block->span = pages + EMU_PAGE;
    if (!emu_addresses_take(block->span, align, &offset)) return NULL;
    block->base = emu_space.base + offset + slack(block, pages);
    if (!insert(&blocks, &block_count, &block_capacity, block)) {
        emu_addresses_give(offset, block->span);
        return NULL;
    }
    block->id = next_id++;
    if (counts(block->kind)) *used += pages;
    set_pages(offset, pages, EMU_PAGE_READ_WRITE);
    return block->base;
}

void *emu_memory_alloc(emu_memory_kind kind, int device, uint64_t bytes, uint64_t align,
                       unsigned flags) {
    if (bytes > emu_space.size) return NULL;
    emu_block *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    *block = (emu_block){.bytes = bytes, .kind = kind, .device = device, .flags = flags};
    if (align < EMU_PAGE) align = EMU_PAGE;
    if (bytes >= 2 * HUGE_PAGE && align < HUGE_PAGE) align = HUGE_PAGE;
    pthread_rwlock_wrlock(&lock);
    void *base = alloc_locked(block, align);
    pthread_rwlock_unlock(&lock);
    if (!base) {
        free(block);
        return NULL;
    }
    if (bytes >= 2 * HUGE_PAGE) madvise(base, bytes, MADV_HUGEPAGE);
    if (emu_config.check && kind == EMU_MEMORY_DEVICE && bytes <= POISON_LIMIT)
        memset(base, POISON, bytes);
    return base;
}

static void back_to_anonymous(void *address, uint64_t bytes) {
    mmap(address, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static void free_locked(emu_block *block) {
    uint64_t offset = first_page(block), pages = block->span - EMU_PAGE;
    set_pages(offset, pages, EMU_PAGE_NONE);
    if (block->shared) back_to_anonymous(emu_space.base + offset, pages);
    else madvise(emu_space.base + offset, pages, MADV_DONTNEED);
    freed[freed_count++ % FREED_KEPT] = *block;
    if (counts(block->kind)) used_bytes[block->device] -= pages;
    take_out(blocks, &block_count, block);
    emu_addresses_give(offset, block->span);
    free(block);
}

bool emu_memory_free(const void *base, unsigned kinds) {
    pthread_rwlock_wrlock(&lock);
    emu_block *block = holder(blocks, block_count, (uint64_t)base);
    bool found = block && block->base == base && (kinds >> block->kind & 1);
    if (found) free_locked(block);
    pthread_rwlock_unlock(&lock);
    return found;
}

bool emu_memory_find(const void *address, emu_block *found) {
    pthread_rwlock_rdlock(&lock);
    emu_block *block = holder(blocks, block_count, (uint64_t)address);
    if (!block) block = holder(foreign, foreign_count, (uint64_t)address);
    if (block) *found = *block;
    pthread_rwlock_unlock(&lock);
    return block != NULL;
}

bool emu_memory_below(const void *address, emu_block *found) {
    pthread_rwlock_rdlock(&lock);
    size_t at = upper(blocks, block_count, (uint64_t)address);
    if (at) *found = *blocks[at - 1];
    pthread_rwlock_unlock(&lock);
    return at != 0;
}

bool emu_memory_freed(const void *address, emu_block *found) {
    bool seen = false;
    pthread_rwlock_rdlock(&lock);
    uint64_t kept = freed_count < FREED_KEPT ? freed_count : FREED_KEPT;
    for (uint64_t i = 1; i <= kept && !seen; i++) {
        const emu_block *one = &freed[(freed_count - i) % FREED_KEPT];
        seen = (uint64_t)address - (uint64_t)one->base < one->bytes;
        if (seen) *found = *one;
    }
    pthread_rwlock_unlock(&lock);
    return seen;
}

bool emu_memory_update(const void *address, void (*change)(emu_block *, void *), void *context) {
    pthread_rwlock_wrlock(&lock);
    emu_block *block = holder(blocks, block_count, (uint64_t)address);
    if (block) change(block, context);
    pthread_rwlock_unlock(&lock);
    return block != NULL;
}

uint64_t emu_memory_extent(const void *address) {
    pthread_rwlock_rdlock(&lock);
    uint64_t at = (uint64_t)address, total = 0;
    emu_block *block = holder(blocks, block_count, at);
    bool arena = block != NULL;
    if (!block) block = holder(foreign, foreign_count, at);
    while (block) {
        uint64_t end = (uint64_t)block->base + block->bytes;
        total += end - at;
        at = end;
        emu_block *after = arena && block->mapped ? holder(blocks, block_count, at) : NULL;
        block = after && after->mapped ? after : NULL; /* mappings may lie side by side */
    }
    pthread_rwlock_unlock(&lock);
    return total;
}

bool emu_memory_covers(const void *address, uint64_t bytes) {
    uint64_t extent = emu_memory_extent(address);
    return extent && bytes <= extent;
}

uint64_t emu_memory_used(int device) {
    pthread_rwlock_rdlock(&lock);
    uint64_t used = used_bytes[device];
    pthread_rwlock_unlock(&lock);
    return used;
}

void emu_memory_reset(int device) {
    pthread_rwlock_wrlock(&lock);
    for (size_t i = block_count; i-- > 0;)
        if (blocks[i]->device == device && blocks[i]->kind <= EMU_MEMORY_MANAGED)
            free_locked(blocks[i]);
    pthread_rwlock_unlock(&lock);
}

bool emu_memory_register(void *address, uint64_t bytes, unsigned flags) {
    emu_block *block = calloc(1, sizeof *block);
    if (!block) return false;
    *block = (emu_block){.base = address,
                         .bytes = bytes,
                         .span = bytes,
                         .kind = EMU_MEMORY_HOST,
                         .device = emu_me.device,
                         .flags = flags,
                         .registered = true};
    pthread_rwlock_wrlock(&lock);
    size_t at = upper(foreign, foreign_count, (uint64_t)address + bytes - 1);
    bool clash =
        at > 0 && (uint64_t)foreign[at - 1]->base + foreign[at - 1]->bytes > (uint64_t)address;
    block->id = next_id++;
    bool added = !clash && insert(&foreign, &foreign_count, &foreign_capacity, block);
    atomic_store(&foreign_seen, foreign_count);
    pthread_rwlock_unlock(&lock);
    if (!added) free(block);
    return added;
}

bool emu_memory_unregister(const void *address) {
    pthread_rwlock_wrlock(&lock);
    emu_block *block = holder(foreign, foreign_count, (uint64_t)address);
    bool found = block && block->base == address;
    if (found) take_out(foreign, &foreign_count, block);
    atomic_store(&foreign_seen, foreign_count);
    pthread_rwlock_unlock(&lock);
    if (found) free(block);
    return found;
}

int emu_foreign_ok(uint64_t address, uint32_t bytes) {
    if (atomic_load(&foreign_seen) == 0) return 0;
    pthread_rwlock_rdlock(&lock);
    emu_block *block = holder(foreign, foreign_count, address);
    int ok =
        block && bytes <= block->bytes && address - (uint64_t)block->base <= block->bytes - bytes;
    pthread_rwlock_unlock(&lock);
    return ok;
}

void emu_memory_permit(const void *address, uint64_t bytes, uint8_t permission) {
    pthread_rwlock_wrlock(&lock);
    set_pages((uint64_t)address - (uint64_t)emu_space.base, bytes, permission);
    pthread_rwlock_unlock(&lock);
}

void *emu_memory_reserve(uint64_t bytes, uint64_t align) {
    uint64_t offset = 0;
    if (bytes > emu_space.size || align > emu_space.size) return NULL;
    pthread_rwlock_wrlock(&lock);
    bool taken = emu_addresses_take(bytes + EMU_PAGE, align < EMU_PAGE ? EMU_PAGE : align, &offset);
    pthread_rwlock_unlock(&lock);
    return taken ? emu_space.base + offset : NULL;
}

void emu_memory_unreserve(void *address, uint64_t bytes) {
    pthread_rwlock_wrlock(&lock);
    emu_addresses_give((uint64_t)address - (uint64_t)emu_space.base, bytes + EMU_PAGE);
    pthread_rwlock_unlock(&lock);
}

bool emu_memory_map(void *address, uint64_t bytes, int file, uint64_t offset, int device) {
    emu_block *block = calloc(1, sizeof *block);
    if (!block) return false;
    *block = (emu_block){.base = address,
                         .bytes = bytes,
                         .span = bytes,
                         .kind = EMU_MEMORY_MAPPED,
                         .device = device,
                         .mapped = true};
    pthread_rwlock_wrlock(&lock);
    bool good = !holder(blocks, block_count, (uint64_t)address) &&
                mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                     (off_t)offset) != MAP_FAILED;
    block->id = next_id++;
    good = good && insert(&blocks, &block_count, &block_capacity, block);
    pthread_rwlock_unlock(&lock);
    if (!good) free(block);
    return good;
}

bool emu_memory_unmap(const void *address) {
    pthread_rwlock_wrlock(&lock);
    emu_block *block = holder(blocks, block_count, (uint64_t)address);
    bool found = block && block->base == address && block->mapped;
    if (found) {
        set_pages((uint64_t)address - (uint64_t)emu_space.base, block->bytes, EMU_PAGE_NONE);
        back_to_anonymous(block->base, block->bytes);
        take_out(blocks, &block_count, block);
    }
    pthread_rwlock_unlock(&lock);
    if (found) free(block);
    return found;
}

bool emu_memory_share(const void *address, int file) {
    pthread_rwlock_wrlock(&lock);
    emu_block *block = holder(blocks, block_count, (uint64_t)address);
    uint64_t pages = block ? block->span - EMU_PAGE : 0;
    uint8_t *start = block ? emu_space.base + first_page(block) : NULL;
    bool good = block && !block->shared && ftruncate(file, (off_t)pages) == 0;
    for (uint64_t done = 0; good && done < pages;) {
        ssize_t wrote = pwrite(file, start + done, pages - done, (off_t)done);
        good = wrote > 0;
        done += good ? (uint64_t)wrote : 0;
    }
    good = good && mmap(start, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
                       MAP_FAILED;
    if (good) block->shared = true;
    pthread_rwlock_unlock(&lock);
    return good;
}
