// SIMD dispatch: compiles a loop for the baseline, for AVX2 and for AVX-512, and picks one at startup.
#pragma once

// Use it only for loops whose result does not depend on the vector width: integers, and doubles and
// floats that are not summed across lanes. Off under sanitizers, which do not support the resolvers, and where lines are
// counted, since only one of the copies would run. GCC before 12 does not know the level of AVX-512 by name.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(SIGHTLINE_COVERAGE)
#if __GNUC__ >= 12
#define SIGHTLINE_SIMD_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define SIGHTLINE_SIMD_DISPATCH __attribute__((target_clones("avx2", "default")))
#endif
#else
#define SIGHTLINE_SIMD_DISPATCH
#endif
