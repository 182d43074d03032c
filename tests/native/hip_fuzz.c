/* Loads damaged code objects under AddressSanitizer. Arguments: a code object, a seed, a count. */
#include "emulator/hip_types.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
hipError_t hipInit(unsigned);
#include "emulator/hip_module.h"

int main(int c, char **v) {
    FILE *f = fopen(v[1], "rb");
    unsigned char *image = malloc(1 << 20);
    size_t n = fread(image, 1, 1 << 20, f);
    fclose(f);
    unsigned seed = (unsigned)atoi(v[2]);
    long rounds = atol(v[3]), loaded = 0;
    (void)c;
    size_t meta = 0;
    for (size_t i = 0; i + 14 < n; i++)
        if (!memcmp(image + i, "amdhsa.kernels", 14)) {
            meta = i;
            break;
        }
    hipInit(0);
    for (long r = 0; r < rounds; r++) {
        unsigned char *m = malloc(n);
        memcpy(m, image, n);
        int k = 1 + rand_r(&seed) % 6;
        for (int i = 0; i < k; i++) {
            size_t lo = 0, hi = n;
            switch (rand_r(&seed) % 4) {
            case 0:
                hi = 600;
                break;
            case 1:
                lo = meta - 64;
                hi = lo + 1800;
                break;
            case 2:
                lo = n - 1600;
                break;
            }
            m[lo + (size_t)rand_r(&seed) % (hi - lo)] = (unsigned char)rand_r(&seed);
        }
        hipError_t error;
        emu_module *mod = emu_module_load(&emu_devices[0], m, n, &error);
        if (mod) {
            loaded++;
            for (size_t q = 0; q < mod->function_count; q++) {
                volatile unsigned x = mod->functions[q].explicit_bytes;
                (void)x;
                for (unsigned a = 0; a < mod->functions[q].arg_count; a++) {
                    volatile unsigned y = mod->functions[q].args[a].offset;
                    (void)y;
                }
            }
            emu_module_release(mod);
        }
        free(m);
    }
    free(image);
    printf("loaded %ld of %ld\n", loaded, rounds);
}
