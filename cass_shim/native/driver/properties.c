/* What the device says of itself: see properties.h. */
#include "driver/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/pool.h"
#include "driver/shared.h"
#include "driver/texture.h"

/* Attribute number and value of a compute capability 8.9 device, where HIP has no say.
 * Source: "Compute Capabilities" of the CUDA C++ programming guide, and cudaDeviceAttr's
 * documentation; sides and pitches of textures and surfaces as gfx11's images have them
 * (hip/image_descriptor.h). */
// clang-format off: one table
#define FIXED(ROW) \
    ROW(1, 1024) ROW(2, 1024) ROW(3, 1024) ROW(4, 64) ROW(5, 2147483647) ROW(6, 65535) \
    ROW(7, 65535) ROW(8, 49152) ROW(9, 65536) ROW(10, 32) ROW(11, 2147483647) ROW(12, 65536) \
    ROW(14, 512) ROW(15, 1) ROW(17, 0) ROW(19, 1) ROW(20, 0) ROW(21, 16384) ROW(22, 16384) \
    ROW(23, 16384) ROW(24, 16384) ROW(25, 16384) ROW(26, 8192) ROW(27, 16384) \
    ROW(28, 16384) ROW(29, 2048) ROW(30, 512) ROW(31, 1) ROW(32, 0) ROW(35, 0) \
    ROW(39, CASS_SM_THREADS) ROW(40, 2) ROW(41, 1) ROW(42, 16384) ROW(43, 2048) ROW(44, 1) \
    ROW(45, 16384) ROW(46, 16384) ROW(47, 8192) ROW(48, 8192) ROW(49, 8192) ROW(51, (int)cass_row_align()) \
    ROW(52, 16384) ROW(53, 16384) ROW(54, 2046) ROW(55, 16384) ROW(56, 16384) \
    ROW(57, 16384) ROW(58, 16384) ROW(59, 16384) ROW(60, 8192) ROW(61, 16384) ROW(62, 2048) \
    ROW(63, 16384) ROW(64, 16384) ROW(65, 2048) ROW(66, 16384) ROW(67, 16384) ROW(68, 2046) \
    ROW(69, 268435456) ROW(70, 16384) ROW(71, 16384) ROW(72, 262144) ROW(73, 16384) \
    ROW(74, 16384) ROW(77, 16384) ROW(78, 1) ROW(79, 1) ROW(80, 1) ROW(81, CASS_SM_SHARED) \
    ROW(82, CASS_SM_REGISTERS) ROW(83, 1) ROW(84, 0) ROW(85, 0) ROW(86, 0) ROW(87, 64) \
    ROW(88, 0) ROW(89, 1) ROW(90, 1) ROW(91, 1) ROW(92, 0) ROW(93, 1) ROW(94, 1) ROW(95, 1) \
    ROW(96, 0) ROW(97, cass_shared_opt_in()) ROW(98, 0) ROW(99, 1) ROW(100, 0) ROW(101, 0) \
    ROW(104, 0) ROW(105, 0) ROW(106, CASS_SM_BLOCKS) ROW(107, 0) ROW(108, 0) \
    ROW(109, 0) ROW(110, 0) ROW(111, CASS_RESERVED_SHARED) ROW(112, 0) ROW(113, 0) \
    ROW(114, 0) ROW(116, 0) ROW(117, 0) ROW(118, 0) ROW(119, cass_pools_shared()) ROW(120, 0) ROW(121, 0) \
    ROW(122, 1) ROW(123, 1) ROW(124, 0) ROW(125, 1) ROW(126, 1) ROW(127, 0) ROW(128, 0) \
    ROW(129, 1) ROW(130, 0) ROW(131, -1) ROW(132, 0) ROW(133, 0) ROW(134, 0) ROW(135, 0) \
    ROW(136, 0) ROW(137, 0) ROW(138, 0) ROW(139, 0) ROW(140, 0) ROW(141, 0) ROW(142, 0) \
    ROW(143, 0) ROW(144, 0) ROW(145, 0) ROW(146, 0) ROW(147, 0)
// clang-format on

/* CUDA attribute, HIP attribute, value where HIP answers nothing. */
// clang-format off: one table
#define FROM_HIP(ROW) \
    ROW(13, HIP_ATTRIBUTE_CLOCK_RATE, 2500000) \
    ROW(16, HIP_ATTRIBUTE_MULTIPROCESSOR_COUNT, 48) ROW(18, HIP_ATTRIBUTE_INTEGRATED, 0) \
    ROW(33, HIP_ATTRIBUTE_PCI_BUS_ID, 0) ROW(34, HIP_ATTRIBUTE_PCI_DEVICE_ID, 0) \
    ROW(36, HIP_ATTRIBUTE_MEMORY_CLOCK_RATE, 1249000) \
    ROW(37, HIP_ATTRIBUTE_MEMORY_BUS_WIDTH, 384) \
    ROW(38, HIP_ATTRIBUTE_L2_CACHE_SIZE, 6291456) ROW(50, HIP_ATTRIBUTE_PCI_DOMAIN_ID, 0) \
    ROW(102, HIP_ATTRIBUTE_VIRTUAL_MEMORY, 0) ROW(103, HIP_ATTRIBUTE_VIRTUAL_MEMORY, 0) \
    ROW(115, HIP_ATTRIBUTE_MEMORY_POOLS, 0)
// clang-format on

enum { MAJOR = 75, MINOR = 76 };

static pthread_once_t filled = PTHREAD_ONCE_INIT;
static int values[CASS_MAX_DEVICES][CASS_ATTRIBUTE_COUNT];
static char known[CASS_ATTRIBUTE_COUNT];

/* CASS_COMPUTE_CAPABILITY=major.minor; anything else is 8.9. */
static void compute_capability(int *major, int *minor) {
    const char *text = getenv("CASS_COMPUTE_CAPABILITY");
    *major = 8;
    *minor = 9;
    if (!text || !*text) return;
    char *end;
    long first = strtol(text, &end, 10);
    long second = *end == '.' ? strtol(end + 1, &end, 10) : -1;
    if (*end || first < 3 || first > 12 || second < 0 || second > 9)
        cass_complain("CASS_COMPUTE_CAPABILITY=%.32s is not of the form 8.9; using 8.9", text);
    else {
        *major = (int)first;
        *minor = (int)second;
    }
}

static void fill(void) {
    int major, minor;
    compute_capability(&major, &minor);
    for (int device = 0; device < cass_device_count; device++) {
        int *row = values[device];
#define ROW(number, value)                                                                         \
    row[number] = value;                                                                           \
    known[number] = 1;
        FIXED(ROW)
#undef ROW
#define ROW(number, hip, otherwise)                                                                \
    if (cass_hip.hipDeviceGetAttribute(&row[number], hip, device) || row[number] < 0)              \
        row[number] = otherwise;                                                                   \
    known[number] = 1;
        FROM_HIP(ROW)
#undef ROW
        row[MAJOR] = major;
        row[MINOR] = minor;
    }
    known[MAJOR] = known[MINOR] = 1;
}

int cass_attribute_value(const cass_device *device, int attribute) {
    pthread_once(&filled, fill);
    return values[cass_device_index(device)][attribute];
}

int cass_attribute(int device, int attribute, int *value) {
    if (!value) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    pthread_once(&filled, fill);
    if (attribute <= 0 || attribute >= CASS_ATTRIBUTE_COUNT || !known[attribute])
        return INVALID_VALUE;
    *value = values[device][attribute];
    return OK;
}

int cass_device_name(int device, char *name, size_t bytes) {
    if (!name || !bytes) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    if (HIP_OPTIONAL(hipDeviceGetName, name, (int)bytes, device)) snprintf(name, bytes, "gfx1100");
    return OK;
}

int cass_device_memory(int device, size_t *bytes) {
    if (!bytes) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    return HIP_OPTIONAL(hipDeviceTotalMem, bytes, device);
}

int cass_device_uuid(int device, unsigned char *uuid) {
    if (!uuid) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    hipUUID found = {{0}};
    if (HIP_OPTIONAL(hipDeviceGetUuid, &found, device)) {
        memcpy(found.bytes, "cass-shim device", 16);
        found.bytes[15] = (char)device;
    }
    memcpy(uuid, found.bytes, 16);
    return OK;
}
