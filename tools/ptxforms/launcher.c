/* Runs the probes of one cubin on a CUDA GPU through the driver API and writes what they gave.
 *
 * launcher CUBIN LIST FIRST LAST OUT: LIST has a line "seed" (decimal) per probe; probes FIRST..LAST-1 are the kernels
 * p0, p1 ... of the whole list's module. OUT gets per probe, for the first KEPT threads, 8 result words and 16 cell words, the cell as
 * what changed (exclusive or with what it was). Inputs are those of cass_shim/selftest/inputs.py. Exit 1: CUDA failed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 256, KEPT = 128, WORDS = 20, RESULT = 8, CELL = 16, BLOCK = 64 };

static const uint32_t special[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x40000000,
	0x3F000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF,
	0x4F000000, 0x4F800000, 0xCF000000, 0x5F000000, 0x3EFFFFFF, 0x3F800001, 0x4B000000, 0x4B800001, 0x7FF00000,
	0xFFF00000, 0x7FF80000, 0x3FF00000, 0x00100000, 0x000FFFFF, 0x41DFFFFF, 0x41F00000, 0x3C003C00, 0x7C00FC00,
	0x7E000001, 0x7BFFFBFF, 0x04000001, 0x80008000, 0x3F803F80, 0x7F80FF80, 0x0000FFFF, 0xFFFF0000, 0x00008000,
	0x0000007F, 0x000000FF, 0x00000020, 0x0000001F, 0x00000040,
};

static uint32_t word_of(uint64_t counter)
{
	uint64_t z = counter * 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	z ^= z >> 31;
	uint32_t low = (uint32_t)z, kind = (uint32_t)(z >> 32) & 7;
	if (kind < 2)
		return special[(z >> 40) % (sizeof special / sizeof *special)];
	if (kind < 4)
		return (low & 0x83FFFFFF) + 0x3C000000;
	return kind == 4 ? (low & 63) - (low >> 31) * 64 : low;
}

static void *cuda;

static int call(const char *name, void *a, void *b, void *c, void *d)
{
	int (*function)(void *, void *, void *, void *) = (int (*)(void *, void *, void *, void *))dlsym(cuda, name);
	int code = function ? function(a, b, c, d) : -1;
	if (code)
		fprintf(stderr, "%s: %d\n", name, code);
	return code;
}

typedef int launch_function(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
			    void **);

static int run(void *module, int number, uint64_t seed, uint64_t in, uint64_t out, uint64_t cells, FILE *file)
{
	static uint32_t words[LANES][WORDS], results[LANES][RESULT], before[LANES][CELL], after[LANES][CELL];
	uint8_t block[BLOCK];
	char name[32];
	void *function;
	for (int lane = 0; lane < LANES; lane++)
		for (int word = 0; word < WORDS; word++)
			words[lane][word] = word_of(seed + (uint64_t)(lane * WORDS + word));
	for (int lane = 0; lane < LANES; lane++)
		memcpy(before[lane], words[lane], sizeof before[lane]);
	memset(results, 0xA5, sizeof results);
	for (int byte = 0; byte < BLOCK; byte++)
		block[byte] = (uint8_t)(29 * byte + 7);
	snprintf(name, sizeof name, "p%d", number);
	void *arguments[] = {&in, &out, &cells, block};
	if (call("cuModuleGetFunction", &function, module, name, 0) ||
	    call("cuMemcpyHtoD_v2", (void *)in, words, (void *)sizeof words, 0) ||
	    call("cuMemcpyHtoD_v2", (void *)out, results, (void *)sizeof results, 0) ||
	    call("cuMemcpyHtoD_v2", (void *)cells, before, (void *)sizeof before, 0))
		return 1;
	int code = ((launch_function *)dlsym(cuda, "cuLaunchKernel"))(function, 1, 1, 1, LANES, 1, 1, 0, 0, arguments, 0);
	if (code)
		return fprintf(stderr, "%s: launch %d\n", name, code), 1;
	if (call("cuMemcpyDtoH_v2", results, (void *)out, (void *)sizeof results, 0) ||
	    call("cuMemcpyDtoH_v2", after, (void *)cells, (void *)sizeof after, 0))
		return 1;
	for (int lane = 0; lane < KEPT; lane++) {
		for (int word = 0; word < CELL; word++)
			after[lane][word] ^= before[lane][word];
		fwrite(results[lane], sizeof results[lane], 1, file);
		fwrite(after[lane], sizeof after[lane], 1, file);
	}
	return 0;
}

int main(int count, char **argument)
{
	if (count != 6)
		return fprintf(stderr, "usage: launcher CUBIN LIST FIRST LAST OUT\n"), 2;
	int first = atoi(argument[3]), last = atoi(argument[4]), device = 0;
	FILE *list = fopen(argument[2], "r"), *file = fopen(argument[5], "wb");
	void *context, *module;
	uint64_t in, out, cells, seed;
	cuda = dlopen("libcuda.so.1", RTLD_NOW);
	if (!list || !file || !cuda)
		return fprintf(stderr, "missing: %s\n", !list ? argument[2] : !file ? argument[5] : dlerror()), 2;
	if (call("cuInit", 0, 0, 0, 0) || call("cuDeviceGet", &device, 0, 0, 0) ||
	    call("cuDevicePrimaryCtxRetain", &context, (void *)(intptr_t)device, 0, 0) ||
	    call("cuCtxSetCurrent", context, 0, 0, 0) || call("cuModuleLoad", &module, argument[1], 0, 0) ||
	    call("cuMemAlloc_v2", &in, (void *)(LANES * WORDS * 4), 0, 0) ||
	    call("cuMemAlloc_v2", &out, (void *)(LANES * RESULT * 4), 0, 0) ||
	    call("cuMemAlloc_v2", &cells, (void *)(LANES * CELL * 4), 0, 0))
		return 1;
	for (int number = 0; number < last && fscanf(list, "%lu", &seed) == 1; number++)
		if (number >= first && run(module, number, seed, in, out, cells, file))
			return 1;
	return fclose(file) ? 1 : 0;
}
