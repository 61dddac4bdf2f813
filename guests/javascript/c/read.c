/* Arrays and objects, and with them a whole document, read. */

/* The object with a node's keys, and with `values`, which this takes. */
static JSValue object_of(Reader *r, uint32_t at, JSValue *values)
{
    JSContext *ctx = r->ctx;
    Node *node = &r->nodes[at];
    JSAtom atoms[KEY_LIMIT];
    uint32_t i;

    _Static_assert(sizeof(JSProperty) == sizeof(JSValue), "a property is its value");
    if (likely(node->shape))
        return JS_NewObjectFromShape(ctx, js_dup_shape(node->shape), JS_CLASS_OBJECT,
                                     (JSProperty *)values);
    JSValue object = JS_NewObject(ctx);
    JSObject *p = JS_IsException(object) ? NULL : JS_VALUE_GET_OBJ(object);
    for (i = node->count; at; at = r->nodes[at].parent)
        atoms[--i] = r->nodes[at].atom;
    for (; i < node->count; i++) {
        JSProperty *property = p ? add_property(ctx, p, atoms[i], JS_PROP_C_W_E) : NULL;
        if (property) {
            property->u.value = values[i];
        } else {
            JS_FreeValue(ctx, values[i]);
            JS_FreeValue(ctx, object);
            object = JS_EXCEPTION;
            p = NULL;
        }
    }
    if (p && p->shape->is_hashed)
        node->shape = js_dup_shape(p->shape);
    return object;
}

/* A node for objects that have one key more. It takes the atom, unless it is 0: then there can
   be none, or it is not worth it. */
static uint32_t new_node(Reader *r, uint32_t parent, const uint8_t *key, uint32_t length,
                         JSAtom atom)
{
    uint32_t siblings = 0, at;

    for (at = r->nodes[parent].child; at; at = r->nodes[at].sibling)
        siblings++;
    if (length > KEY_BYTES || siblings == SIBLING_LIMIT || r->node_count == NODE_LIMIT ||
        r->nodes[parent].count == KEY_LIMIT)
        return 0;
    for (at = parent; at; at = r->nodes[at].parent)
        if (r->nodes[at].atom == atom)
            return 0;
    if (r->node_count == r->node_room) {
        Node *moved = grown(r->ctx, r->nodes, &r->node_room, 16, sizeof(Node));
        if (!moved)
            return 0;
        r->nodes = moved;
    }
    at = r->node_count++;
    Node *node = &r->nodes[at];
    *node = (Node){
        .mask = length < BYTES_WIDTH ? (2u << length) - 1 : 0xffff,
        .length = length,
        .key = key,
        .atom = atom,
        .count = r->nodes[parent].count + 1,
        .parent = parent,
        .sibling = r->nodes[parent].child,
    };
    memcpy(node->beginning, key, min_int(length + 1, BYTES_WIDTH));
    r->nodes[parent].child = at;
    return at;
}

/* The node of a key that begins here, after those so far; 0 if there is none yet. */
static inline uint32_t find_node(Reader *r, uint32_t parent, const uint8_t *key)
{
    uint32_t at = r->nodes[parent].child;

    if (unlikely(r->end - key < BYTES_WIDTH))
        return 0;
    Bytes beginning = bytes_load(key);
    for (; at; at = r->nodes[at].sibling) {
        Node *node = &r->nodes[at];
        uint32_t equal = bytes_mask(bytes_equal(beginning, bytes_load(node->beginning)));
        if ((equal & node->mask) != node->mask)
            continue;
        if (node->length < BYTES_WIDTH)
            return at;
        uint32_t rest = node->length + 1 - BYTES_WIDTH;
        if (r->end - key > node->length &&
            !memcmp(key + BYTES_WIDTH, node->key + BYTES_WIDTH, rest))
            return at;
    }
    return 0;
}

/* Reads a key, `*p` being its first quote. */
static inline bool read_key(Reader *r, const uint8_t **p)
{
    Frame *frame = r->frame;
    const uint8_t *key = *p + 1;
    bool is_alike = !JS_IsObject(frame->object);

    if (likely(is_alike)) {
        uint32_t found = find_node(r, frame->node, key);
        if (likely(found)) {
            frame->node = found;
            *p = key + r->nodes[found].length + 1;
            return true;
        }
    }
    *p = key;
    JSValue name = read_text(r, p);
    if (JS_IsException(name))
        return false;
    JSAtom atom = JS_NewAtomStr(r->ctx, JS_VALUE_GET_STRING(name));
    if (atom == JS_ATOM_NULL)
        return false;
    if (is_alike) {
        uint32_t node = new_node(r, frame->node, key, *p - 1 - key, atom);
        if (node) {
            frame->node = node;
            return true;
        }
        r->value_count = frame->base;
        frame->object = object_of(r, frame->node, r->values + frame->base);
    }
    frame->atom = atom;
    return JS_IsObject(frame->object);
}

static bool open_frame(Reader *r, bool is_array)
{
    if (r->frame == &r->frames[DEPTH_LIMIT - 1])
        return false;
    *++r->frame = (Frame){ .base = r->value_count, .is_array = is_array, .object = JS_UNDEFINED };
    return true;
}

/* What the innermost array or object is, now that all of it was read. */
static inline JSValue close_frame(Reader *r)
{
    Frame *frame = r->frame--;
    JSValue *values = r->values + frame->base;
    uint32_t count = r->value_count - frame->base;

    r->value_count = frame->base;
    if (frame->is_array)
        return JS_NewArrayFrom(r->ctx, count, values);
    if (JS_IsObject(frame->object))
        return frame->object;
    return object_of(r, frame->node, values);
}

/* Puts a value where it belongs: it is the next of an array or object, or all there is. */
static inline bool put_value(Reader *r, JSValue value)
{
    Frame *frame = r->frame;

    if (frame->is_array || !JS_IsObject(frame->object))
        return push_value(r, value);
    int defined = JS_DefinePropertyValue(r->ctx, frame->object, frame->atom, value, JS_PROP_C_W_E);
    JS_FreeAtom(r->ctx, frame->atom);
    frame->atom = JS_ATOM_NULL;
    return defined >= 0;
}

/* Reads the text. Its value is the first of `values` then. */
static bool read_document(Reader *r)
{
    const uint8_t *p = r->start;
    JSValue value;

value:
    p = after_space(p);
    switch (*p) {
    case '{':
        if (!open_frame(r, false))
            return false;
        p = after_space(p + 1);
        if (*p != '}')
            goto key;
        goto close;
    case '[':
        if (!open_frame(r, true))
            return false;
        p = after_space(p + 1);
        if (*p != ']')
            goto value;
    close:
        p++;
        value = close_frame(r);
        break;
    case '"':
        p++;
        value = read_text(r, &p);
        break;
    case 't':
        if (!skip(r, &p, "true", 4))
            return false;
        value = JS_TRUE;
        break;
    case 'f':
        if (!skip(r, &p, "false", 5))
            return false;
        value = JS_FALSE;
        break;
    case 'n':
        if (!skip(r, &p, "null", 4))
            return false;
        value = JS_NULL;
        break;
    default:
        p = read_number(r, p, &value);
        if (!p)
            return false;
    }
    if (JS_IsException(value) || !put_value(r, value))
        return false;
    p = after_space(p);
    if (unlikely(r->frame == r->frames))
        return p == r->end;
    if (*p == ',') {
        if (r->frame->is_array) {
            p++;
            goto value;
        }
        p = after_space(p + 1);
        goto key;
    }
    if (*p == (r->frame->is_array ? ']' : '}'))
        goto close;
    return false;
key:
    if (*p != '"' || !read_key(r, &p))
        return false;
    p = after_space(p);
    if (*p++ != ':')
        return false;
    goto value;
}

/* Gives back all that was held. */
static void finish_reader(Reader *r)
{
    JSContext *ctx = r->ctx;
    uint32_t i;

    for (i = 0; i < r->value_count; i++)
        JS_FreeValue(ctx, r->values[i]);
    for (; r->frame > r->frames; r->frame--) {
        JS_FreeValue(ctx, r->frame->object);
        JS_FreeAtom(ctx, r->frame->atom);
    }
    for (i = 0; i < r->node_count; i++) {
        JS_FreeAtom(ctx, r->nodes[i].atom);
        js_free_shape_null(ctx->rt, r->nodes[i].shape);
    }
    for (i = 0; r->keeps_short && i < SHORT_TEXTS; i++)
        if (r->short_texts[i].string)
            js_free_string(ctx->rt, r->short_texts[i].string);
    js_free(ctx, r->values);
    js_free(ctx, r->nodes);
    js_free(ctx, r->wide);
}

/* The value of a text of which `text[length]` is zero; or JS_EXCEPTION, without an exception, if
   it was not read. */
static JSValue read_json(JSContext *ctx, const uint8_t *text, size_t length, bool latin1,
                         bool exact)
{
    /* The collection of garbage that was put off last. */
    static _Thread_local size_t postponed;
    JSRuntime *rt = ctx->rt;
    size_t threshold = rt->malloc_gc_threshold;
    JSValue value = JS_EXCEPTION;
    Reader reader, *r = &reader;

    if (js_check_stack_overflow(rt, sizeof(Reader)))
        return JS_EXCEPTION;
    r->ctx = ctx;
    r->start = text;
    r->end = text + length;
    r->latin1 = latin1;
    r->exact = exact;
    r->frame = r->frames;
    r->frames[0] = (Frame){ .is_array = true };
    r->values = NULL;
    r->value_count = r->value_room = 0;
    r->node_count = r->node_room = 0;
    r->nodes = grown(ctx, NULL, &r->node_room, 16, sizeof(Node));
    r->wide = NULL;
    r->wide_room = 0;
    r->keeps_short = length >= WORTH_KEEPING;
    if (r->keeps_short)
        memset(r->short_texts, 0, sizeof(r->short_texts));
    /* No garbage is made here, so none is looked for. If that is due at the end, it is put off
       until the heap has grown by half, as it is when it was looked for: but not twice. */
    rt->malloc_gc_threshold = SIZE_MAX;
    if (r->nodes) {
        r->nodes[r->node_count++] = (Node){ .atom = JS_ATOM_NULL };
        if (read_document(r))
            value = r->values[--r->value_count];
    }
    finish_reader(r);
    size_t used = rt->malloc_state.malloc_size;
    if (used > threshold && threshold != postponed)
        threshold = postponed = used + used / 2;
    rt->malloc_gc_threshold = threshold;
    if (JS_IsException(value))
        JS_FreeValue(ctx, JS_GetException(ctx));
    return value;
}
