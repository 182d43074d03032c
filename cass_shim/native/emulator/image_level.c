/* The level of detail that gradients ask for, as 926 lines recorded on an H200 have it
 * (tests/vectors/texture, tests/vectors/ptx/texture_forms.txt.xz): the longest of the two gradients
 * and of their scaled sum and difference, which approximates the longer axis of the ellipse that a
 * pixel is. Every number on the way keeps 9 fraction bits; AMD's own approximation is not
 * published. */
#include "emulator/image_sample.h"

#include <math.h>

enum { KEPT_BITS = 9 };
static const double DIAGONAL = 0.68795; /* of sum and difference; 1/sqrt(2) would be exact */
static const double MIDDLE = 0.343975, SMALLEST = 0.25; /* shares of the smaller coordinates */

/* The leading 1 and KEPT_BITS behind it. */
static double kept(double x) {
    int exponent;
    double part = frexp(x, &exponent);
    return isfinite(x) ? ldexp(trunc(ldexp(part, KEPT_BITS + 1)), exponent - KEPT_BITS - 1) : x;
}

static double length_of(const double v[3]) {
    double a = fabs(v[0]), b = fabs(v[1]), c = fabs(v[2]);
    double most = fmax(fmax(a, b), c), least = fmin(fmin(a, b), c);
    double middle = fmax(fmin(a, b), fmin(fmax(a, b), c));
    return most + kept(MIDDLE * middle) + kept(SMALLEST * least);
}

/* log2 in 256ths: the exponent, and a table of the 8 bits behind the leading 1, which gives the
 * middle of each step and at both ends the end itself. */
static double level_of(double length) {
    int exponent;
    if (!(length > 0)) return isnan(length) ? length : -INFINITY;
    if (isinf(length)) return length;
    double part = 2 * frexp(length, &exponent) - 1;
    double step = floor(part * IMAGE_STEPS);
    double middle = floor(log2(1 + (step + 0.47) / IMAGE_STEPS) * IMAGE_STEPS + 0.5);
    double fraction = step > 0 ? fmin(middle, IMAGE_STEPS - 1) : 0;
    return exponent - 1 + fraction / IMAGE_STEPS;
}

double emu_level_of_gradients(const double dx[3], const double dy[3]) {
    double x[3], y[3], sum[3], difference[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = kept(dx[i]);
        y[i] = kept(dy[i]);
        sum[i] = kept(DIAGONAL * kept(x[i] + y[i]));
        difference[i] = kept(DIAGONAL * kept(x[i] - y[i]));
    }
    return level_of(
        fmax(fmax(length_of(x), length_of(y)), fmax(length_of(sum), length_of(difference))));
}
