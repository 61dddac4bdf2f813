/* JSON texts as values.
 *
 * Rows of data have the same keys in the same order, so the keys seen so far are kept as a tree:
 * each node stands for the objects that begin with the keys on the way to it. A key that is that
 * of the last such object is known by comparing its bytes, and at an object's end the node has
 * its shape: it is made at once, and no property is looked up. Short texts that occurred before
 * are not made again.
 *
 * Only what is right is read here. At anything else the reader gives up, and the engine's own
 * parser, which says what is wrong, reads the text again. It is also left what nests deeply, for
 * it says how deep is too deep. So whatever is read here must be what the engine would have made
 * of it, but for integers that it would have rounded, where they are to be exact.
 *
 * Relied on: a shape that is held besides by others than its one object is not changed, but
 * cloned; `JS_NewObjectFromShape` takes one value for each property of the shape; a plain object
 * is its properties in the order in which they were added, whatever they are called (`__proto__`
 * is no exception, for they are defined and not set); a string of the kind `NORMAL` that is not
 * wide ends in a zero byte. Garbage is counted by references, so what is held here outlives a
 * collection. */

/* How deep arrays and objects may nest that are read here. */
#define DEPTH_LIMIT 200
/* How many beginnings of objects are kept, and how many that differ in one key alone. */
#define NODE_LIMIT 2048
#define SIBLING_LIMIT 8
/* How many keys an object may have that is made at once. */
#define KEY_LIMIT 200
/* The longest key of such an object. */
#define KEY_BYTES 64
/* Texts of up to so many bytes are kept, in a table of so many. */
#define SHORT_BYTES 16
#define SHORT_TEXTS 256
/* From how long a text on it pays. */
#define WORTH_KEEPING 512

/* The objects that begin with certain keys. The first node is that of all objects. */
typedef struct Node {
    uint8_t beginning[BYTES_WIDTH]; /* of the last key as it is written, with the closing quote */
    uint32_t mask; /* which bytes these are */
    uint32_t length; /* of the key without the quote */
    const uint8_t *key; /* all of it, in the text */
    JSAtom atom;
    JSShape *shape; /* of an object with just these keys; NULL if there was none yet */
    uint32_t count; /* how many keys */
    uint32_t parent, child, sibling; /* 0 if there is none; the newest child comes first */
} Node;

/* An array or an object whose end was not read yet. */
typedef struct Frame {
    uint32_t base; /* where its values begin */
    uint32_t node; /* of an object, by its keys so far */
    bool is_array;
    /* An object to which properties are added one by one, since it is unlike others: else not an
       object. */
    JSValue object;
    JSAtom atom; /* the key of its next value */
} Frame;

/* A text that was made before, by all of its bytes. */
typedef struct ShortText {
    uint64_t first, last;
    uint32_t length;
    JSString *string;
} ShortText;

typedef struct Reader {
    JSContext *ctx;
    const uint8_t *start, *end; /* `*end` is zero */
    bool latin1; /* else UTF-8 */
    bool exact; /* integers beyond those of doubles are BigInts, else rounded */
    /* The first is the text's, a list of one value; `frame` is the innermost one. */
    Frame frames[DEPTH_LIMIT], *frame;
    JSValue *values; /* those of unfinished arrays and objects */
    uint32_t value_count, value_room;
    Node *nodes;
    uint32_t node_count, node_room;
    uint16_t *wide; /* for texts that are not ASCII, or have escapes */
    size_t wide_room;
    bool keeps_short;
    ShortText short_texts[SHORT_TEXTS];
} Reader;

static void *grown(JSContext *ctx, void *items, uint32_t *room, uint32_t first, size_t size)
{
    uint32_t more = *room ? *room * 2 : first;
    void *moved = js_realloc(ctx, items, more * size);
    if (moved)
        *room = more;
    return moved;
}

static inline bool push_value(Reader *r, JSValue value)
{
    if (unlikely(r->value_count == r->value_room)) {
        JSValue *moved = grown(r->ctx, r->values, &r->value_room, 64, sizeof(JSValue));
        if (!moved) {
            JS_FreeValue(r->ctx, value);
            return false;
        }
        r->values = moved;
    }
    r->values[r->value_count++] = value;
    return true;
}

static inline const uint8_t *after_space(const uint8_t *p)
{
    while (unlikely(*p <= ' ') && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

static inline bool skip(Reader *r, const uint8_t **p, const char *word, ptrdiff_t length)
{
    if (r->end - *p < length || memcmp(*p, word, length))
        return false;
    *p += length;
    return true;
}
