/* A CUDA program by hand: registers a fatbinary from a file with any number of kernels, as nvcc's
 * host code would, and launches them. Prints what took how long, and what memory it had in the end.
 *
 *   scale_program FATBINARY KERNELS USED LAUNCHES DISTINCT
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    unsigned x, y, z;
} dim3;

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaUnregisterFatBinary(void **handle);
int cudaMalloc(void **pointer, size_t bytes);
int cudaMemset(void *at, int value, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                     void *stream);
int cudaDeviceSynchronize(void);
const char *cudaGetErrorString(int error);

/* Processor time: other programs must not count. */
static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Not ru_maxrss: a process inherits that from the one that started it. */
static long peak_kib(void) {
    char line[256];
    long found = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %ld", &found) == 1) break;
    if (file != NULL) fclose(file);
    return found;
}

static void check(int error) {
    if (error == 0) return;
    fprintf(stderr, "CUDA error %d: %s\n", error, cudaGetErrorString(error));
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 6) return 2;
    long kernels = atol(arguments[2]), used = atol(arguments[3]), launches = atol(arguments[4]),
         distinct = atol(arguments[5]);
    struct stat status;
    int file = open(arguments[1], O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) return 2;
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    char *stubs = malloc((size_t)kernels), (*names)[16] = malloc((size_t)kernels * sizeof *names);
    if (data == MAP_FAILED || stubs == NULL || names == NULL) return 2;
    struct { /* __fatBinC_Wrapper_t of the toolkit's fatbinary_section.h */
        uint32_t magic, version;
        const void *data, *file;
    } wrapper = {0x466243b1, 1, data, NULL};
    double began = now_ms();
    void **handle = __cudaRegisterFatBinary(&wrapper);
    for (long i = 0; i < kernels; i++) {
        snprintf(names[i], sizeof names[i], "k%d", (int)i);
        __cudaRegisterFunction(handle, stubs + i, names[i], names[i], -1, NULL, NULL, NULL, NULL,
                               NULL);
    }
    __cudaRegisterFatBinaryEnd(handle);
    double registered = now_ms();
    unsigned *buffer, sum = 0, wanted = 0;
    check(cudaMalloc((void **)&buffer, 32 * sizeof *buffer));
    check(cudaMemset(buffer, 0, 32 * sizeof *buffer));
    void *values[] = {&buffer};
    for (long i = 0; i < used; i++)
        check(cudaLaunchKernel(stubs + i, (dim3){1, 1, 1}, (dim3){32, 1, 1}, values, 0, NULL));
    check(cudaDeviceSynchronize());
    double first = now_ms();
    for (long i = 0; i < launches; i++)
        check(
            cudaLaunchKernel(stubs + i % used, (dim3){1, 1, 1}, (dim3){32, 1, 1}, values, 0, NULL));
    check(cudaDeviceSynchronize());
    double launched = now_ms();
    check(cudaMemcpy(&sum, buffer + 31, sizeof sum, 2));
    for (long i = 0; i < used; i++) wanted += (unsigned)(i % distinct) + 1;
    for (long i = 0; i < launches; i++) wanted += (unsigned)(i % used % distinct) + 1;
    __cudaUnregisterFatBinary(handle);
    printf("register %.3f first %.3f launches %.3f memory %ld %s\n", registered - began,
           first - registered, launched - first, peak_kib(), sum == wanted ? "right" : "WRONG");
    return sum != wanted;
}
