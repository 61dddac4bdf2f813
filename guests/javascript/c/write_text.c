/* Texts and numbers, written. */

static void put_escaped_unit(Writer *w, uint32_t unit)
{
    put_all(w, "\\u", 2);
    for (int shift = 12; shift >= 0; shift -= 4)
        put(w, "0123456789abcdef"[unit >> shift & 15]);
}

/* Puts a character; there is room for six bytes. */
static void put_character(Writer *w, uint32_t c)
{
    static const char NAMED[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
    };

    if (c >= 0x80) {
        w->seen |= c;
        w->length += utf8_encode(w->out + w->length, c);
    } else if (c == '"' || c == '\\') {
        put(w, '\\');
        put(w, c);
    } else if (c >= 0x20) {
        put(w, c);
    } else if (NAMED[c]) {
        put(w, '\\');
        put(w, NAMED[c]);
    } else {
        put_escaped_unit(w, c);
    }
}

static bool put_text8(Writer *w, const uint8_t *p, size_t length)
{
    const uint8_t *end = p + length;

    while (p < end) {
        size_t left = end - p;
        if (!reserve(w, BYTES_WIDTH + 6))
            return false;
        /* Bytes behind the end may be loaded, if they are surely memory. */
        if (unlikely(left < BYTES_WIDTH && ((uintptr_t)p & 4095) > 4096 - BYTES_WIDTH)) {
            put_character(w, *p++);
            continue;
        }
        Bytes bytes = bytes_load(p);
        uint32_t special = bytes_special(bytes) | 1 << BYTES_WIDTH;
        size_t plain = ctz32(special);
        bytes_store(w->out + w->length, bytes);
        if (plain >= left) {
            w->length += left;
            break;
        }
        w->length += plain;
        p += plain;
        if (plain < BYTES_WIDTH)
            put_character(w, *p++);
    }
    return true;
}

static bool put_text16(Writer *w, const uint16_t *p, size_t length)
{
    const uint16_t *end = p + length;

    while (p < end) {
        uint32_t c = *p++;
        if (!reserve(w, 6))
            return false;
        if (c < 0x80 && !byte_special(c)) {
            put(w, c);
            continue;
        }
        if (unlikely(is_surrogate(c))) {
            if (is_hi_surrogate(c) && p < end && is_lo_surrogate(*p)) {
                c = from_surrogate(c, *p++);
            } else {
                if (w->only_plain)
                    return false;
                put_escaped_unit(w, c);
                continue;
            }
        }
        put_character(w, c);
    }
    return true;
}

static bool write_text(Writer *w, JSString *text)
{
    if (!reserve(w, 1))
        return false;
    put(w, '"');
    bool written = text->is_wide_char ? put_text16(w, str16(text), text->len)
                                      : put_text8(w, str8(text), text->len);
    if (!written || !reserve(w, 1))
        return false;
    put(w, '"');
    return true;
}

/* Puts an integer of so many digits at least. */
static inline void put_integer(Writer *w, uint32_t integer, int least)
{
    uint8_t digits[10], *end = digits + sizeof(digits), *p = end;

    while (integer || end - p < least) {
        *--p = '0' + integer % 10;
        integer /= 10;
    }
    put_all(w, p, end - p);
}

/* Puts a number below a billion with up to six places behind the point. That are 15 digits at
 * most, and of all decimals of so many digits a double has no more than one that it is nearest
 * to: where there is one, it is the shortest. */
static inline bool put_short_decimal(Writer *w, double number)
{
    static const uint32_t POWERS_OF_TEN[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
    double size = fabs(number);

    if (!(size < 1e9))
        return false;
    uint32_t integer = size;
    for (int places = 0; places < (int)countof(POWERS_OF_TEN); places++) {
        double power = POWERS_OF_TEN[places];
        uint64_t decimal = size * power + 0.5;
        if ((double)decimal / power != size)
            continue;
        if (number < 0)
            put(w, '-');
        put_integer(w, integer, 1);
        if (places) {
            put(w, '.');
            put_integer(w, decimal - (uint64_t)integer * POWERS_OF_TEN[places], places);
        }
        return true;
    }
    return false;
}

/* Writes a finite number's text, as JavaScript has it; gives its length. It is the crate's. */
size_t ampoule_json_number(double number, uint8_t *text);

static bool write_number(Writer *w, double number)
{
    if (!reserve(w, NUMBER_BYTES))
        return false;
    if (put_short_decimal(w, number))
        return true;
    /* What is not finite is a text in results. To a tool, digits of so large an integer would
       tell more than there is. */
    if (w->only_plain && !(fabs(number) < 1e18))
        return false;
    if (isfinite(number))
        w->length += ampoule_json_number(number, w->out + w->length);
    else
        put_all(w, "null", 4);
    return true;
}

static inline bool write_integer(Writer *w, int32_t integer)
{
    if (!reserve(w, NUMBER_BYTES))
        return false;
    if (integer < 0)
        put(w, '-');
    put_integer(w, integer < 0 ? -(uint32_t)integer : integer, 1);
    return true;
}
