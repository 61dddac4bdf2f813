/* Arrays and objects, written. */

/* The script's code may have run. */
static void look_anew(Writer *w)
{
    JSObject *object = JS_VALUE_GET_OBJ(w->ctx->class_proto[JS_CLASS_OBJECT]);
    JSObject *array = JS_VALUE_GET_OBJ(w->ctx->class_proto[JS_CLASS_ARRAY]);

    w->asked++;
    w->is_pristine = !object->shape->proto && !find_own_property1(object, JS_ATOM_toJSON) &&
                     array->shape->proto == object && !find_own_property1(array, JS_ATOM_toJSON);
}

/* Whether all properties of a shape are plain values, and their keys texts in their order. */
static bool is_plain_shape(JSContext *ctx, JSShape *shape, bool *asks)
{
    JSShapeProperty *property = get_shape_prop(shape);

    *asks = shape->proto && shape->proto != JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT]);
    if (!shape->is_hashed)
        return false;
    for (int i = 0; i < shape->prop_count; i++, property++) {
        if (property->flags != JS_PROP_C_W_E || __JS_AtomIsTaggedInt(property->atom) ||
            JS_AtomGetKind(ctx, property->atom) != JS_ATOM_KIND_STRING)
            return false;
        *asks |= property->atom == JS_ATOM_toJSON;
    }
    return true;
}

/* Remembers of an object's shape that it is plain; NULL if it is not. */
static inline PlainShape *plain_shape(Writer *w, JSObject *p)
{
    JSShape *shape = p->shape;
    PlainShape *known = &w->shapes[(uintptr_t)shape / 64 % SHAPE_MEMO];
    bool asks;

    if (unlikely(p->class_id != JS_CLASS_OBJECT))
        return NULL;
    if (likely(known->shape == shape))
        return known;
    if (!is_plain_shape(w->ctx, shape, &asks))
        return NULL;
    js_free_shape_null(w->ctx->rt, known->shape);
    *known = (PlainShape){ js_dup_shape(shape), asks };
    return known;
}

/* Whether an object is an array that has its items side by side, without holes, and nothing
   else. */
static inline bool is_plain_array(Writer *w, JSObject *p)
{
    if (p->class_id != JS_CLASS_ARRAY || !p->fast_array || p->shape != w->ctx->array_shape)
        return false;
    JSValueConst length = p->prop[0].u.value;
    return JS_VALUE_GET_TAG(length) == JS_TAG_INT && JS_VALUE_GET_INT(length) == p->u.array.count;
}

/* Whether a value may have a `toJSON`. */
static inline bool may_ask(Writer *w, JSValueConst value)
{
    uint32_t tag = JS_VALUE_GET_TAG(value);

    if (tag != JS_TAG_OBJECT)
        return JS_IsBigInt(value);
    if (unlikely(!w->is_pristine))
        return true;
    JSObject *p = JS_VALUE_GET_OBJ(value);
    if (is_plain_array(w, p))
        return false;
    PlainShape *plain = plain_shape(w, p);
    return !plain || plain->asks;
}

/* What is to be written for a value: what its `toJSON` gives, or itself; undefined if it is to
   be left out. Takes the value. */
static JSValue asked_for(Writer *w, JSValue value, JSValueConst key)
{
    JSONStringifyContext without_replacer = { .replacer_func = JS_UNDEFINED };
    JSValue answer = js_json_check(w->ctx, &without_replacer, JS_UNDEFINED, value, key);

    look_anew(w);
    return answer;
}

/* Whether JSON has no such value. */
static inline bool is_left_out(JSContext *ctx, JSValueConst value)
{
    uint32_t tag = JS_VALUE_GET_TAG(value);

    return tag == JS_TAG_UNDEFINED || tag == JS_TAG_SYMBOL ||
           (tag == JS_TAG_OBJECT && JS_IsFunction(ctx, value));
}

static bool begin_line(Writer *w, uint32_t depth)
{
    if (!reserve(w, 1 + (size_t)depth * w->gap_length))
        return false;
    put(w, '\n');
    while (depth--)
        put_all(w, w->gap, w->gap_length);
    return true;
}

/* Begins an item of a list, or a member of an object. */
static inline bool begin_item(Writer *w, bool *has_items)
{
    if (!reserve(w, 1))
        return false;
    if (*has_items)
        put(w, ',');
    *has_items = true;
    return likely(!w->gap_length) || begin_line(w, w->depth);
}

/* Writes an item that was asked for. Takes it. */
static bool write_item(Writer *w, JSValue item, bool *has_items)
{
    if (JS_IsException(item))
        return false;
    bool written = begin_item(w, has_items);
    written = written && write_value(w, JS_IsUndefined(item) ? JS_NULL : item);
    JS_FreeValue(w->ctx, item);
    return written;
}

/* Writes the items of any kind of list, from one on. */
static bool write_any_items(Writer *w, JSValueConst list, int64_t at, int64_t length,
                            bool *has_items)
{
    for (; at < length; at++) {
        JSValue item = JS_GetPropertyInt64(w->ctx, list, at);
        if (JS_IsException(item))
            return false;
        JSValue index = JS_ToStringFree(w->ctx, js_int64(at));
        if (JS_IsException(index)) {
            JS_FreeValue(w->ctx, item);
            return false;
        }
        item = asked_for(w, item, index);
        JS_FreeValue(w->ctx, index);
        if (!write_item(w, item, has_items))
            return false;
    }
    return true;
}

/* Writes the items of a plain array, while it is one. */
static bool write_items(Writer *w, JSObject *p, bool *has_items)
{
    JSValueConst list = JS_MKPTR(JS_TAG_OBJECT, p);
    uint32_t asked = w->asked, length = p->u.array.count;

    for (uint32_t at = 0; at < length; at++) {
        if (unlikely(w->asked != asked))
            return write_any_items(w, list, at, length, has_items);
        JSValueConst item = p->u.array.u.values[at];
        if (unlikely(may_ask(w, item))) {
            if (w->only_plain)
                return false;
            return write_any_items(w, list, at, length, has_items);
        }
        if (unlikely(is_left_out(w->ctx, item))) {
            if (w->only_plain)
                return false;
            item = JS_NULL;
        }
        if (!begin_item(w, has_items) || !write_value(w, item))
            return false;
    }
    return true;
}

static bool write_any_key(Writer *w, JSString *key)
{
    if (!write_text(w, key) || !reserve(w, 2))
        return false;
    put(w, ':');
    if (w->gap_length)
        put(w, ' ');
    return true;
}

/* Writes the key of a plain property. */
static inline bool write_key(Writer *w, JSAtom atom)
{
    KeyText *known = &w->keys[atom % KEY_MEMO];

    if (likely(known->atom == atom)) {
        if (!reserve(w, KEY_TEXT_BYTES))
            return false;
        memcpy(w->out + w->length, known->text, KEY_TEXT_BYTES);
        w->length += known->length;
        return true;
    }
    size_t start = w->length;
    if (!write_any_key(w, w->ctx->rt->atom_array[atom]))
        return false;
    size_t length = w->length - start;
    if (length <= KEY_TEXT_BYTES) {
        JS_FreeAtom(w->ctx, known->atom);
        known->atom = JS_DupAtom(w->ctx, atom);
        known->length = length;
        memcpy(known->text, w->out + start, length);
    }
    return true;
}

/* Writes a member of any object, unless it is to be left out. Takes the key. */
static bool write_any_member(Writer *w, JSValueConst object, JSValue key, bool *has_items)
{
    bool written = false;

    JSValue value = JS_EXCEPTION;
    if (!JS_IsException(key))
        value = JS_GetPropertyValue(w->ctx, object, js_dup(key));
    if (!JS_IsException(value))
        value = asked_for(w, value, key);
    if (JS_IsUndefined(value)) {
        written = true;
    } else if (!JS_IsException(value)) {
        written = begin_item(w, has_items) && write_any_key(w, JS_VALUE_GET_STRING(key)) &&
                  write_value(w, value);
        JS_FreeValue(w->ctx, value);
    }
    JS_FreeValue(w->ctx, key);
    return written;
}

/* Writes the members of any kind of object. */
static bool write_any_members(Writer *w, JSValueConst object, bool *has_items)
{
    int64_t length;
    JSValue keys = js_object_keys(w->ctx, JS_UNDEFINED, 1, &object, JS_ITERATOR_KIND_KEY);

    look_anew(w);
    if (JS_IsException(keys))
        return false;
    bool written = !js_get_length64(w->ctx, &length, keys);
    for (int64_t at = 0; written && at < length; at++)
        written = write_any_member(w, object, JS_GetPropertyInt64(w->ctx, keys, at), has_items);
    JS_FreeValue(w->ctx, keys);
    return written;
}

/* Writes the members of a plain object, by the keys that it has now. */
static bool write_members(Writer *w, JSObject *p, bool *has_items)
{
    JSShape *shape = js_dup_shape(p->shape);
    JSShapeProperty *property = get_shape_prop(shape);
    uint32_t asked = w->asked;
    bool written = true;

    for (int at = 0; written && at < shape->prop_count; at++, property++) {
        JSValueConst value = JS_UNDEFINED;
        bool asks = w->asked != asked && p->shape != shape;
        if (likely(!asks)) {
            value = p->prop[at].u.value;
            asks = may_ask(w, value);
        }
        if (unlikely(asks)) {
            JSValue key = w->only_plain ? JS_EXCEPTION : JS_AtomToString(w->ctx, property->atom);
            written = write_any_member(w, JS_MKPTR(JS_TAG_OBJECT, p), key, has_items);
        } else if (unlikely(is_left_out(w->ctx, value))) {
            written = !w->only_plain;
        } else {
            written = begin_item(w, has_items) && write_key(w, property->atom) &&
                      write_value(w, value);
        }
    }
    js_free_shape(w->ctx->rt, shape);
    return written;
}

/* Begins an object: holds it while it is written, and sees that it is not in itself. */
static bool enter(Writer *w, JSObject *p)
{
    if (js_check_stack_overflow(w->ctx->rt, 0)) {
        JS_ThrowStackOverflow(w->ctx);
        return false;
    }
    for (uint32_t i = w->depth; i-- > 0;) {
        if (w->around[i] == p) {
            JS_ThrowTypeError(w->ctx, "circular reference");
            return false;
        }
    }
    if (w->depth == w->depth_limit)
        return false;
    if (w->depth == w->around_room) {
        JSObject **moved = grown(w->ctx, w->around, &w->around_room, 16, sizeof(*moved));
        if (!moved)
            return false;
        w->around = moved;
    }
    js_dup(JS_MKPTR(JS_TAG_OBJECT, p));
    w->around[w->depth++] = p;
    return true;
}

static bool write_object(Writer *w, JSObject *p)
{
    JSValueConst object = JS_MKPTR(JS_TAG_OBJECT, p);
    bool has_items = false, written;
    int64_t length;

    if (!enter(w, p) || !reserve(w, 1))
        return false;
    bool is_plain = is_plain_array(w, p);
    int is_list = is_plain || js_is_array(w->ctx, object);
    if (is_list < 0)
        return false;
    put(w, is_list ? '[' : '{');
    if (is_plain) {
        written = write_items(w, p, &has_items);
    } else if (is_list) {
        written = !js_get_length64(w->ctx, &length, object);
        look_anew(w);
        written = written && write_any_items(w, object, 0, length, &has_items);
    } else if (plain_shape(w, p)) {
        written = write_members(w, p, &has_items);
    } else {
        written = write_any_members(w, object, &has_items);
    }
    if (!written || (has_items && w->gap_length && !begin_line(w, w->depth - 1)) || !reserve(w, 1))
        return false;
    put(w, is_list ? ']' : '}');
    w->depth--;
    JS_FreeValue(w->ctx, unsafe_unconst(object));
    return true;
}

/* Writes a value in a box, or a text that is JSON already, as the engine does. */
static bool write_boxed(Writer *w, JSValueConst box)
{
    StringBuffer b;
    JSONStringifyContext engine = { .b = &b };
    JSValue text = JS_EXCEPTION;
    bool written = false;

    if (!string_buffer_init(w->ctx, &b, 0) &&
        !js_json_to_str(w->ctx, &engine, JS_UNDEFINED, js_dup(box), JS_UNDEFINED))
        text = string_buffer_end(&b);
    else
        string_buffer_free(&b);
    look_anew(w);
    if (JS_IsException(text))
        return false;
    JSString *string = JS_VALUE_GET_STRING(text);
    if (reserve(w, 4 * (size_t)string->len)) {
        for (int i = 0; i < string->len;) {
            uint32_t c = string_getc(string, &i);
            w->length += utf8_encode(w->out + w->length, c);
            w->seen |= c & ~0x7f;
        }
        written = true;
    }
    JS_FreeValue(w->ctx, text);
    return written;
}

/* Writes a BigInt as a text: whoever reads a number may round it. */
static bool write_digits(Writer *w, JSValueConst integer)
{
    JSValue digits = JS_ToString(w->ctx, integer);

    if (JS_IsException(digits))
        return false;
    bool written = write_text(w, JS_VALUE_GET_STRING(digits));
    JS_FreeValue(w->ctx, digits);
    return written;
}

/* Writes a value that was asked for, or need not be. */
static bool write_value(Writer *w, JSValueConst value)
{
    JSContext *ctx = w->ctx;

    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_STRING:
        return write_text(w, JS_VALUE_GET_STRING(value));
    case JS_TAG_INT:
        return write_integer(w, JS_VALUE_GET_INT(value));
    case JS_TAG_FLOAT64:
        return write_number(w, JS_VALUE_GET_FLOAT64(value));
    case JS_TAG_BOOL:
        if (!reserve(w, 5))
            return false;
        if (JS_VALUE_GET_BOOL(value))
            put_all(w, "true", 4);
        else
            put_all(w, "false", 5);
        return true;
    case JS_TAG_OBJECT:
        switch (JS_VALUE_GET_OBJ(value)->class_id) {
        case JS_CLASS_STRING:
        case JS_CLASS_NUMBER:
        case JS_CLASS_BOOLEAN:
        case JS_CLASS_BIG_INT:
        case JS_CLASS_RAWJSON:
            return write_boxed(w, value);
        }
        return write_object(w, JS_VALUE_GET_OBJ(value));
    case JS_TAG_STRING_ROPE: {
        JSValue text = js_linearize_string_rope(ctx, value);
        bool written = !JS_IsException(text) && write_text(w, JS_VALUE_GET_STRING(text));
        JS_FreeValue(ctx, text);
        return written;
    }
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT:
        return write_digits(w, value);
    default:
        if (!reserve(w, 4))
            return false;
        put_all(w, "null", 4);
        return true;
    }
}

/* Makes a writer, the first bytes of which are left free. */
static bool start_writer(Writer *w, JSContext *ctx, size_t free)
{
    *w = (Writer){ .ctx = ctx, .length = free, .room = free + 256, .depth_limit = UINT32_MAX };
    w->out = js_malloc(ctx, w->room);
    look_anew(w);
    return w->out;
}

/* Gives back all that was held but for what was written. */
static void finish_writer(Writer *w)
{
    JSContext *ctx = w->ctx;

    while (w->depth--)
        JS_FreeValue(ctx, JS_MKPTR(JS_TAG_OBJECT, w->around[w->depth]));
    js_free(ctx, w->around);
    for (int i = 0; i < SHAPE_MEMO; i++)
        js_free_shape_null(ctx->rt, w->shapes[i].shape);
    for (int i = 0; i < KEY_MEMO; i++)
        JS_FreeAtom(ctx, w->keys[i].atom);
}
