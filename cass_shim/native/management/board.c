/* NVML: what the kernel's files say about the board. See cass_board_number in nvml.h. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#include "management/nvml.h"

#ifndef CASS_BOARD_FILES /* a test reads a folder of its own */
#define CASS_BOARD_FILES "/sys/bus/pci/devices"
#endif

enum { PATH_BYTES = 512, AMD_VENDOR = 0x1002 };

static int number_in(const char *path, unsigned long long *value) {
    char text[64] = "";
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[bytes] = 0;
    char *end;
    *value = strtoull(text, &end, 0);
    return end != text;
}

/* The sensors lie below hwmon/hwmonN. */
static int sensor(const char *folder, const char *name, unsigned long long *value) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/hwmon", folder);
    DIR *all = opendir(path);
    int found = 0;
    for (struct dirent *one; all && !found && (one = readdir(all));) {
        if (strncmp(one->d_name, "hwmon", 5) != 0) continue;
        snprintf(path, sizeof path, "%s/hwmon/%.64s/%s", folder, one->d_name, name);
        found = number_in(path, value);
    }
    if (all) closedir(all);
    return found;
}

int cass_board_number(nvmlDevice_t device, const char *name, unsigned long long *value) {
    char address[32], folder[PATH_BYTES / 2], path[PATH_BYTES];
    cass_nvml_address(device, 4, address, sizeof address);
    for (char *at = address; *at; at++) *at = (char)tolower(*at);
    snprintf(folder, sizeof folder, CASS_BOARD_FILES "/%s", address);
    snprintf(path, sizeof path, "%s/vendor", folder);
    if (!number_in(path, value) || *value != AMD_VENDOR) return 0; /* an emulated board's address */
    if (!strncmp(name, "hwmon/", 6)) return sensor(folder, name + 6, value);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return number_in(path, value);
}
