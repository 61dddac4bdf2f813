/* `Array.prototype.sort` where numbers and BigInts decide: they are looked at once, and none of the
 * script's code runs. Included by `quickjs.c` itself, as one of its changes: see `changes`. */

typedef struct Sortable {
    uint64_t key;
    JSValue value;
} Sortable;

/* A BigInt up to here differs from the number that it is nearest to by less than 2^63. */
#define SORT_LARGEST 0x1p115

/* How many neighbours are put in order one by one, before longer and longer runs are merged. */
#define SORT_RUN 12

static void sort_runs(Sortable *items, uint32_t count)
{
    for (uint32_t start = 0; start < count; start += SORT_RUN) {
        uint32_t end = min_uint32(start + SORT_RUN, count);
        for (uint32_t at = start + 1; at < end; at++) {
            Sortable item = items[at];
            uint32_t to = at;
            for (; to > start && items[to - 1].key > item.key; to--)
                items[to] = items[to - 1];
            items[to] = item;
        }
    }
}

/* Two runs as one. Which comes first is a matter of chance: so nothing branches on it. */
static void sort_merge(Sortable *to, const Sortable *left, const Sortable *middle,
                       const Sortable *end)
{
    const Sortable *right = middle;
    const Sortable *left_end = middle;

    while (left < left_end && right < end) {
        bool is_right = right->key < left->key;
        const Sortable *next = is_right ? right : left;
        *to++ = *next;
        right += is_right;
        left += !is_right;
    }
    while (left < left_end)
        *to++ = *left++;
    while (right < end)
        *to++ = *right++;
}

/* Puts items in order, those with equal keys in the order that they had; `spare` has room for as
 * many. Gives whichever of the two holds the result. */
static Sortable *sort_items(Sortable *items, Sortable *spare, uint32_t count)
{
    sort_runs(items, count);
    for (uint64_t width = SORT_RUN; width < count; width *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * width) {
            uint64_t middle = start + width < count ? start + width : count;
            uint64_t end = middle + width < count ? middle + width : count;
            sort_merge(spare + start, items + start, items + middle, items + end);
        }
        Sortable *merged = spare;
        spare = items;
        items = merged;
    }
    return items;
}

/* The number that a value is, or is nearest to; false for what is no number, for NaN, which has no
 * place in any order, and for a BigInt that is too large for `sort_key_of_rest`. */
static bool sort_number(JSContext *ctx, JSValueConst value, double *number, bool *is_big)
{
    int tag = JS_VALUE_GET_TAG(value);

    if (likely(tag == JS_TAG_INT)) {
        *number = JS_VALUE_GET_INT(value);
    } else if (JS_TAG_IS_FLOAT64(tag)) {
        *number = JS_VALUE_GET_FLOAT64(value) + 0.0;
    } else if (tag == JS_TAG_SHORT_BIG_INT) {
        *number = JS_VALUE_GET_SHORT_BIG_INT(value);
        *is_big = true;
    } else if (tag == JS_TAG_BIG_INT) {
        *number = js_bigint_to_float64(ctx, JS_VALUE_GET_PTR(value));
        *is_big = true;
        return fabs(*number) <= SORT_LARGEST;
    } else {
        return false;
    }
    return *number == *number;
}

/* Numbers in order, both zeros as one; false for what has no place in it. BigInts have the place of
 * the number that they are nearest to. */
static bool sort_key_of_number(JSContext *ctx, JSValueConst value, uint64_t *key, bool *is_big)
{
    double number;

    if (!sort_number(ctx, value, &number, is_big))
        return false;
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    *key = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    return true;
}

/* The last 64 bits of an integer. */
static uint64_t sort_last_bits(JSValueConst integer)
{
    if (JS_VALUE_GET_TAG(integer) == JS_TAG_SHORT_BIG_INT)
        return (int64_t)JS_VALUE_GET_SHORT_BIG_INT(integer);
    const JSBigInt *p = JS_VALUE_GET_PTR(integer);
    js_slimb_t sign = js_bigint_sign(p) ? -1 : 0;
    uint64_t bits = 0;
    for (int at = 0; at < 64 / JS_LIMB_BITS; at++)
        bits |= (uint64_t)(js_limb_t)(at < (int)p->len ? p->tab[at] : sign) << at * JS_LIMB_BITS;
    return bits;
}

/* By how much a BigInt differs from the number that it is nearest to, in order. */
static uint64_t sort_key_of_rest(JSContext *ctx, JSValueConst value)
{
    const uint64_t middle = (uint64_t)1 << 63;
    bool is_big = false;
    double number, rest;

    if (!sort_number(ctx, value, &number, &is_big) || !is_big)
        return middle;
    rest = fmod(fabs(number), 18446744073709551616.0);
    uint64_t bits = number < 0 ? -(uint64_t)rest : (uint64_t)rest;
    return sort_last_bits(value) - bits + middle;
}

/* Integers in the order of their digits, as texts: those that begin another come before it. */
static bool sort_key_of_digits(JSValueConst value, uint64_t *key)
{
    if (JS_VALUE_GET_TAG(value) != JS_TAG_INT)
        return false;
    int64_t number = JS_VALUE_GET_INT(value);
    uint64_t digits = number < 0 ? -number : number;
    uint64_t length = 1, scaled = digits;

    for (uint64_t rest = digits; rest >= 10; rest /= 10)
        length++;
    for (uint64_t at = length; at < 10; at++)
        scaled *= 10;
    *key = (number < 0 ? 0 : (uint64_t)1 << 63) | scaled << 4 | length;
    return true;
}

/* What a sort compares. */
typedef struct SortBy {
    bool as_text; /* there is no function that compares */
    bool descending;
    JSAtom property; /* of the items; or none: the items themselves */
    bool has_big; /* there is a BigInt */
} SortBy;

/* Whether a function is `(a, b) => a - b`, or of `a.price - b.price`, or the other way round. */
static bool sort_by(JSValueConst compare, SortBy *by)
{
    *by = (SortBy){ .as_text = true };
    if (JS_IsUndefined(compare))
        return true;
    JSObject *p = JS_VALUE_GET_OBJ(compare);
    if (p->class_id != JS_CLASS_BYTECODE_FUNCTION)
        return false;
    JSFunctionBytecode *b = p->u.func.function_bytecode;
    const uint8_t *code = b->byte_code_buf;
    bool has_property = b->byte_code_len == 14 && code[1] == OP_get_field;
    int next = has_property ? 6 : 1;
    if (!(has_property || b->byte_code_len == 4) || b->arg_count < 2)
        return false;
    by->as_text = false;
    by->descending = code[0] == OP_get_arg1;
    if (code[0] != (by->descending ? OP_get_arg1 : OP_get_arg0) ||
        code[next] != (by->descending ? OP_get_arg0 : OP_get_arg1))
        return false;
    if (has_property) {
        by->property = get_u32(code + 2);
        if (code[next + 1] != OP_get_field || get_u32(code + next + 2) != by->property)
            return false;
    }
    return code[b->byte_code_len - 2] == OP_sub && code[b->byte_code_len - 1] == OP_return;
}

/* What of an item is compared; undefined if the script's code would tell. */
static inline JSValueConst sort_compared(const SortBy *by, JSValueConst value)
{
    if (!by->property)
        return value;
    if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT)
        return JS_UNDEFINED;
    JSObject *p = JS_VALUE_GET_OBJ(value);
    JSProperty *property;
    JSShapeProperty *shape = p->is_exotic ? NULL : find_own_property(&property, p, by->property);
    if (!shape || (shape->flags & JS_PROP_TMASK))
        return JS_UNDEFINED;
    return property->u.value;
}

static bool sort_key(JSContext *ctx, SortBy *by, JSValueConst value, uint64_t *key)
{
    if (by->as_text)
        return sort_key_of_digits(value, key);
    bool is_number = sort_key_of_number(ctx, sort_compared(by, value), key, &by->has_big);
    if (by->descending)
        *key = ~*key;
    return is_number;
}

/* Puts those in order that are nearest to the same number, of sorted items. */
static void sort_big(JSContext *ctx, const SortBy *by, Sortable *items, Sortable *spare,
                     uint32_t count)
{
    for (uint32_t start = 0, end; start < count; start = end) {
        uint64_t key = items[start].key;
        for (end = start + 1; end < count && items[end].key == key;)
            end++;
        if (end - start == 1)
            continue;
        for (uint32_t at = start; at < end; at++) {
            key = sort_key_of_rest(ctx, sort_compared(by, items[at].value));
            items[at].key = by->descending ? ~key : key;
        }
        Sortable *sorted = sort_items(items + start, spare, end - start);
        if (sorted == spare)
            memcpy(items + start, spare, (end - start) * sizeof(*items));
    }
}

/* Puts an array in order, if what is compared are numbers: then what a script would see is the
 * same. So it is with BigInts; of both together, whose difference would be an error, the order is
 * that of `<`. */
static bool sort_numbers(JSContext *ctx, JSValueConst object, int64_t length, JSValueConst compare)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    SortBy by;

    if (p->class_id != JS_CLASS_ARRAY || !p->fast_array || p->u.array.count != length ||
        length < 2 || !sort_by(compare, &by))
        return false;
    uint32_t count = length;
    JSValue *values = p->u.array.u.values;
    uint64_t key;
    /* Before anything is allocated: most that can't be, can't be here. */
    if (!sort_key(ctx, &by, values[0], &key) || !sort_key(ctx, &by, values[count - 1], &key))
        return false;
    Sortable *items = js_malloc_rt(ctx->rt, 2 * sizeof(*items) * (size_t)count);
    if (!items)
        return false;
    uint32_t at = 0;
    for (; at < count && sort_key(ctx, &by, values[at], &items[at].key); at++)
        items[at].value = values[at];
    if (at == count) {
        Sortable *sorted = sort_items(items, items + count, count);
        if (by.has_big)
            sort_big(ctx, &by, sorted, sorted == items ? items + count : items, count);
        for (at = 0; at < count; at++)
            values[at] = sorted[at].value;
    }
    js_free_rt(ctx->rt, items);
    return at == count;
}
