/* Numbers and texts, read. */

static const double POWERS[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19 };
#define EXACT_INTEGERS (1ull << 53)
/* `Number.MAX_SAFE_INTEGER`: a number that is larger may stand for other integers, too. */
#define SAFE_INTEGERS (EXACT_INTEGERS - 1)

/* The double nearest to `digits` / 10^`places`, for places up to 19. */
static double decimal(uint64_t digits, int places)
{
    if (digits <= EXACT_INTEGERS)
        return (double)digits / POWERS[places];
    uint64_t divisor = (uint64_t)POWERS[places];
    int up = clz64(digits), down = clz64(divisor);
    digits <<= up;
    divisor <<= down;
    /* A quotient of 64 bits, the last of which also stands for all that follow: it rounds as the
       true one does. */
    int bits = digits < divisor ? 64 : 63;
    unsigned __int128 dividend = (unsigned __int128)digits << bits;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    quotient |= (uint64_t)quotient * divisor != (uint64_t)dividend;
    return ldexp((double)quotient, down - up - bits);
}

/* The BigInt of the digits from `start` to `end`, which may have a sign; or JS_EXCEPTION. `digits`
   are they without it, if there are no more than 19. */
static no_inline JSValue big_integer(JSContext *ctx, const uint8_t *start, const uint8_t *end,
                                     uint64_t digits)
{
    bool negative = *start == '-';

    if (end - start - negative <= 19 && digits <= INT64_MAX)
        return JS_NewBigInt64(ctx, negative ? -(int64_t)digits : (int64_t)digits);
    char *text = js_strndup(ctx, (const char *)start, end - start);
    JSBigInt *integer = text ? js_bigint_from_string(ctx, text, 10) : NULL;
    js_free(ctx, text);
    return integer ? JS_CompactBigInt(ctx, integer) : JS_EXCEPTION;
}

/* Reads a number, of which `p` is the beginning; gives where it ends, or NULL. */
static inline const uint8_t *read_number(Reader *r, const uint8_t *p, JSValue *value)
{
    const uint8_t *start = p, *integer;
    bool negative = *p == '-', has_exponent = false;
    uint64_t digits = 0; /* of no meaning where they are more than 19 */
    size_t count, places = 0;

    integer = p += negative;
    while (is_digit(*p))
        digits = digits * 10 + (*p++ - '0');
    count = p - integer;
    if (count == 0 || (*integer == '0' && count > 1))
        return NULL;
    if (*p == '.') {
        const uint8_t *fraction = ++p;
        while (is_digit(*p))
            digits = digits * 10 + (*p++ - '0');
        places = p - fraction;
        if (places == 0)
            return NULL;
        count += places;
    }
    if ((*p | 0x20) == 'e') {
        has_exponent = true;
        p++;
        p += *p == '+' || *p == '-';
        if (!is_digit(*p))
            return NULL;
        while (is_digit(*p))
            p++;
    }
    if (unlikely(r->exact && places == 0 && !has_exponent &&
                 (digits > SAFE_INTEGERS || count > 19))) {
        *value = big_integer(r->ctx, start, p, digits);
    } else if (unlikely(has_exponent || count > 19)) {
        *value = js_float64(strtod((const char *)start, NULL));
    } else if (places == 0 && digits <= INT32_MAX && (digits || !negative)) {
        *value = js_int32(negative ? -(int32_t)digits : (int32_t)digits);
    } else {
        double number = decimal(digits, places);
        *value = js_float64(negative ? -number : number);
    }
    return p;
}

/* The character that an escape stands for, `*p` being what follows the backslash; or -1. */
static int read_escape(const uint8_t **p)
{
    int unit = 0, digit;

    switch (*(*p)++) {
    case '"':  return '"';
    case '\\': return '\\';
    case '/':  return '/';
    case 'b':  return '\b';
    case 'f':  return '\f';
    case 'n':  return '\n';
    case 'r':  return '\r';
    case 't':  return '\t';
    case 'u':
        for (int i = 0; i < 4; i++) {
            digit = from_hex(**p);
            if (digit < 0)
                return -1;
            unit = unit << 4 | digit;
            (*p)++;
        }
        return unit;
    default:
        return -1;
    }
}

/* Reads a text that is not all plain ASCII, of which `start` is the first byte, and `*end` a
   special one. */
static no_inline JSValue read_any_text(Reader *r, const uint8_t *start, const uint8_t **end)
{
    const uint8_t *p = start, *special = *end;
    size_t count = 0;
    uint32_t seen = 0;

    for (;;) {
        /* Room for what is plain, and for a pair of surrogates. */
        size_t needed = count + (special - p) + 2;
        if (needed > r->wide_room) {
            uint16_t *moved = js_realloc(r->ctx, r->wide, 2 * needed * sizeof(uint16_t));
            if (!moved)
                return JS_EXCEPTION;
            r->wide = moved;
            r->wide_room = 2 * needed;
        }
        while (p < special)
            r->wide[count++] = *p++;
        uint32_t c = *p++;
        if (c == '"')
            break;
        if (c == '\\') {
            int unit = read_escape(&p);
            if (unit < 0)
                return JS_EXCEPTION;
            c = unit;
        } else if (c < 0x20) {
            return JS_EXCEPTION;
        } else if (!r->latin1) {
            const uint8_t *next;
            c = utf8_decode(p - 1, &next);
            if (next == p)
                return JS_EXCEPTION;
            p = next;
        }
        seen |= c;
        if (c > 0xffff) {
            r->wide[count++] = get_hi_surrogate(c);
            c = get_lo_surrogate(c);
        }
        r->wide[count++] = c;
        special = bytes_until_special(p, r->end);
    }
    *end = p;
    if (count == 0)
        return js_empty_string(r->ctx->rt);
    if (seen > 0xff)
        return js_new_string16_len(r->ctx, r->wide, count);
    JSString *string = js_alloc_string(r->ctx, count, 0);
    if (!string)
        return JS_EXCEPTION;
    uint8_t *to = str8(string);
    for (size_t i = 0; i < count; i++)
        to[i] = r->wide[i];
    to[count] = '\0';
    return JS_MKPTR(JS_TAG_STRING, string);
}

/* A short text of ASCII: one that was made before, if there is one. */
static inline JSValue short_text(Reader *r, const uint8_t *start, uint32_t length)
{
    uint64_t first = load_u64(start), last = 0;
    if (length < 8)
        first &= (1ull << 8 * length) - 1;
    else
        last = load_u64(start + length - 8);
    uint64_t hash = (first ^ (last + length) * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
    ShortText *kept = &r->short_texts[hash >> 32 & (SHORT_TEXTS - 1)];
    if (likely(kept->first == first && kept->last == last && kept->length == length))
        return js_dup(JS_MKPTR(JS_TAG_STRING, kept->string));
    JSValue made = js_new_string8_len(r->ctx, (const char *)start, length);
    if (JS_IsException(made))
        return made;
    if (kept->string)
        js_free_string(r->ctx->rt, kept->string);
    js_dup(made);
    *kept = (ShortText){ first, last, length, JS_VALUE_GET_STRING(made) };
    return made;
}

/* Reads a text, `*p` being what follows its first quote. */
static inline JSValue read_text(Reader *r, const uint8_t **p)
{
    const uint8_t *start = *p, *end = bytes_until_special(start, r->end);
    if (unlikely(*end != '"')) {
        *p = end;
        return read_any_text(r, start, p);
    }
    *p = end + 1;
    uint32_t length = end - start;
    if (length == 0)
        return js_empty_string(r->ctx->rt);
    if (length <= SHORT_BYTES && r->keeps_short && r->end - start >= 8)
        return short_text(r, start, length);
    return js_new_string8_len(r->ctx, (const char *)start, length);
}
