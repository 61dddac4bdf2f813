/* Sixteen bytes looked at together. */
#ifndef AMPOULE_BYTES_H
#define AMPOULE_BYTES_H

#define BYTES_WIDTH 16

#if defined(__wasm_simd128__)

#include <wasm_simd128.h>

typedef v128_t Bytes;
#define bytes_load(from) wasm_v128_load(from)
#define bytes_store(to, bytes) wasm_v128_store(to, bytes)
#define bytes_all(byte) wasm_i8x16_splat(byte)
#define bytes_or(a, b) wasm_v128_or(a, b)
#define bytes_equal(a, b) wasm_i8x16_eq(a, b)
#define bytes_less(a, b) wasm_i8x16_lt(a, b)
#define bytes_mask(bytes) ((uint32_t)wasm_i8x16_bitmask(bytes))

#else

typedef struct Bytes {
    int8_t at[BYTES_WIDTH];
} Bytes;

static inline Bytes bytes_load(const void *from)
{
    Bytes bytes;
    memcpy(&bytes, from, sizeof(bytes));
    return bytes;
}

static inline void bytes_store(void *to, Bytes bytes)
{
    memcpy(to, &bytes, sizeof(bytes));
}

#define BYTES_LANEWISE(name, parameters, value) \
    static inline Bytes name parameters \
    { \
        Bytes result; \
        for (int i = 0; i < BYTES_WIDTH; i++) \
            result.at[i] = value; \
        return result; \
    }

BYTES_LANEWISE(bytes_all, (int8_t byte), byte)
BYTES_LANEWISE(bytes_or, (Bytes a, Bytes b), a.at[i] | b.at[i])
BYTES_LANEWISE(bytes_equal, (Bytes a, Bytes b), -(a.at[i] == b.at[i]))
BYTES_LANEWISE(bytes_less, (Bytes a, Bytes b), -(a.at[i] < b.at[i]))

static inline uint32_t bytes_mask(Bytes bytes)
{
    uint32_t mask = 0;
    for (int i = 0; i < BYTES_WIDTH; i++)
        mask |= (uint32_t)(bytes.at[i] < 0) << i;
    return mask;
}

#endif

/* A bit for each byte that a JSON string does not hold as it is, or that is not ASCII: as signed
 * numbers, control characters and what is not ASCII lie below the space. */
static inline uint32_t bytes_special(Bytes bytes)
{
    Bytes quote = bytes_equal(bytes, bytes_all('"'));
    Bytes escaped = bytes_or(quote, bytes_equal(bytes, bytes_all('\\')));
    return bytes_mask(bytes_or(bytes_less(bytes, bytes_all(0x20)), escaped));
}

static inline bool byte_special(uint8_t byte)
{
    return (int8_t)byte < 0x20 || byte == '"' || byte == '\\';
}

/* The first special byte from here on. There must be one: the zero at the end of a text is. */
static inline const uint8_t *bytes_until_special(const uint8_t *from, const uint8_t *end)
{
    while (end - from >= BYTES_WIDTH) {
        uint32_t special = bytes_special(bytes_load(from));
        if (special)
            return from + ctz32(special);
        from += BYTES_WIDTH;
    }
    while (!byte_special(*from))
        from++;
    return from;
}

static inline uint64_t load_u64(const uint8_t *from)
{
    uint64_t loaded;
    memcpy(&loaded, from, sizeof(loaded));
    return loaded;
}

#endif
