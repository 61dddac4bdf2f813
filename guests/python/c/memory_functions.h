// Functions of the C library that the guest is linked with, as liblzma and libzstd see them.
//
// The crates that carry these libraries bring a `string.h` whose functions are written in Rust, so that
// even a copy of four bytes is a call. The compiler knows these, and makes instructions of such copies.

#ifndef _STRING_H
#define _STRING_H 1

#include <stddef.h>

int memcmp(const void *one, const void *other, size_t bytes);
void *memchr(const void *in, int byte, size_t bytes);
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
size_t strlen(const char *text);

#endif
