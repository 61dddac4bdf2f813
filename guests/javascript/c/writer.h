/* Values as JSON texts.
 *
 * Plain objects, lists, texts and numbers are written as they lie in memory, into one buffer of
 * UTF-8; the keys that occur again and again are quoted once. Whatever else there is (`toJSON`,
 * getters, proxies, boxed values) is asked for as the engine's own `JSON.stringify` asks, by the
 * same functions, in the same order.
 *
 * Asking may run code of the script, which may change anything. So what is being written is held
 * meanwhile, and what was known of it is looked at anew: `asked` counts how often that was.
 *
 * Relied on: a hashed shape that is held besides by others than its one object is not changed,
 * but cloned (an unhashed one is changed in place, so it is never held); an object of the class
 * of literals lists its properties in the order of its shape, unless some are indices; an array
 * whose shape is the context's `array_shape` inherits from `Array.prototype`, and has nothing
 * but a length and items. */

/* How many shapes and keys are remembered. */
#define SHAPE_MEMO 16
#define KEY_MEMO 64
/* The longest key that is, with its quotes and a colon. */
#define KEY_TEXT_BYTES 24
/* The longest text of a number. */
#define NUMBER_BYTES 32

/* A shape all of whose properties are plain values with texts for keys; NULL if there is none
   here. */
typedef struct PlainShape {
    JSShape *shape;
    bool asks; /* whether its objects may have a `toJSON`, even where prototypes are pristine */
} PlainShape;

typedef struct KeyText {
    JSAtom atom;
    uint32_t length;
    uint8_t text[KEY_TEXT_BYTES];
} KeyText;

typedef struct Writer {
    JSContext *ctx;
    uint8_t *out;
    size_t length, room;
    uint32_t seen; /* all characters that are not ASCII, by or */
    /* Only plain values are written. At any other, `fail` gives up without an exception. */
    bool only_plain;
    /* Whether the prototypes of literals have no `toJSON`. */
    bool is_pristine;
    uint32_t asked;
    const uint8_t *gap;
    uint32_t gap_length;
    /* The objects that the one at hand is in. */
    JSObject **around;
    uint32_t depth, around_room, depth_limit;
    PlainShape shapes[SHAPE_MEMO];
    KeyText keys[KEY_MEMO];
} Writer;

static bool write_value(Writer *w, JSValueConst value);

static no_inline bool grow_out(Writer *w, size_t more)
{
    size_t room = w->length + more > w->room * 2 ? w->length + more : w->room * 2;

    if (w->length + more > JS_STRING_LEN_MAX) {
        JS_ThrowRangeError(w->ctx, "invalid string length");
        return false;
    }
    uint8_t *moved = js_realloc(w->ctx, w->out, room);
    if (!moved)
        return false;
    w->out = moved;
    w->room = room;
    return true;
}

/* Makes room for so many bytes more. */
static inline bool reserve(Writer *w, size_t more)
{
    return likely(w->room - w->length >= more) || grow_out(w, more);
}

static inline void put(Writer *w, uint8_t byte)
{
    w->out[w->length++] = byte;
}

static inline void put_all(Writer *w, const void *bytes, size_t length)
{
    memcpy(w->out + w->length, bytes, length);
    w->length += length;
}
