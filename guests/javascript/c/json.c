/* `JSON.parse` and `JSON.stringify`, and what the crate takes of both. */

static JSValue ampoule_parse(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    JSValueConst given = argv[0];
    JSValue value = JS_EXCEPTION;

    if (!JS_IsString(given) || (argc > 1 && JS_IsFunction(ctx, argv[1])))
        return js_json_parse(ctx, this_val, argc, argv);
    JSValue text = JS_ToString(ctx, given);
    if (JS_IsException(text))
        return text;
    JSString *string = JS_VALUE_GET_STRING(text);
    if (!string->is_wide_char && string->kind == JS_STRING_KIND_NORMAL &&
        !str8(string)[string->len]) {
        value = read_json(ctx, str8(string), string->len, true, false);
    } else {
        size_t length;
        const char *utf8 = JS_ToCStringLen(ctx, &length, text);
        if (utf8) {
            value = read_json(ctx, (const uint8_t *)utf8, length, false, false);
            JS_FreeCString(ctx, utf8);
        }
    }
    if (JS_IsException(value))
        value = js_json_parse(ctx, this_val, 1, vc(&text));
    JS_FreeValue(ctx, text);
    return value;
}

/* The text that a level is indented by, if it is ASCII, which needs nothing of the script to
   tell. */
static bool plain_gap(Writer *w, JSValueConst space)
{
    static const uint8_t SPACES[] = "          ";
    int length;

    if (JS_IsNumber(space)) {
        if (JS_ToInt32Clamp(w->ctx, &length, space, 0, 10, 0))
            return false;
        w->gap = SPACES;
        w->gap_length = length;
    } else if (JS_VALUE_GET_TAG(space) == JS_TAG_STRING) {
        JSString *string = JS_VALUE_GET_STRING(space);
        if (string->is_wide_char)
            return false;
        w->gap = str8(string);
        w->gap_length = min_int(string->len, 10);
        for (uint32_t i = 0; i < w->gap_length; i++)
            if (w->gap[i] >= 0x80)
                return false;
    } else {
        return !JS_IsObject(space) && !JS_IsString(space);
    }
    return true;
}

/* A text in UTF-8, of which a character needs more than a byte here. */
static JSValue text_of_utf8(JSContext *ctx, const uint8_t *p, size_t length)
{
    const uint8_t *end = p + length;
    JSString *string = js_alloc_string(ctx, length, 1);

    if (!string)
        return JS_EXCEPTION;
    uint16_t *start = str16(string), *to = start;
    while (p < end) {
        uint32_t special = 0xffff;
        if (end - p >= BYTES_WIDTH) {
            special = bytes_mask(bytes_load(p));
            if (!special) {
                for (int i = 0; i < BYTES_WIDTH; i++)
                    *to++ = *p++;
                continue;
            }
        }
        for (uint32_t plain = ctz32(special); plain > 0; plain--)
            *to++ = *p++;
        uint32_t c = utf8_decode(p, &p);
        if (c > 0xffff) {
            *to++ = get_hi_surrogate(c);
            c = get_lo_surrogate(c);
        }
        *to++ = c;
    }
    string->len = to - start;
    JSString *fitting = js_realloc(ctx, string, sizeof(JSString) + 2 * (size_t)string->len);
    return JS_MKPTR(JS_TAG_STRING, fitting ? fitting : string);
}

/* The text that was written behind a string's header. It is the writer's no longer. */
static JSValue take_text(Writer *w)
{
    size_t length = w->length - sizeof(JSString);

    if (w->seen > 0xff)
        return text_of_utf8(w->ctx, w->out + sizeof(JSString), length);
    if (w->seen)
        return JS_NewStringLen(w->ctx, (const char *)w->out + sizeof(JSString), length);
    JSString *string = js_realloc(w->ctx, w->out, w->length + 1);
    if (!string)
        return JS_EXCEPTION;
    w->out = NULL;
    JS_REF_COUNT(string) = 1;
    *string = (JSString){ .len = length, .kind = JS_STRING_KIND_NORMAL };
    str8(string)[length] = '\0';
    return JS_MKPTR(JS_TAG_STRING, string);
}

static JSValue ampoule_stringify(JSContext *ctx, JSValueConst this_val, int argc,
                                 JSValueConst *argv)
{
    Writer writer, *w = &writer;
    JSValue text = JS_EXCEPTION;

    if (js_check_stack_overflow(ctx->rt, sizeof(Writer)) || JS_IsObject(argv[1]))
        return js_json_stringify(ctx, this_val, argc, argv);
    if (!start_writer(w, ctx, sizeof(JSString)))
        return JS_EXCEPTION;
    if (!plain_gap(w, argv[2])) {
        js_free(ctx, w->out);
        return js_json_stringify(ctx, this_val, argc, argv);
    }
    JSValue value = js_dup(argv[0]);
    if (may_ask(w, value)) {
        JSValue key = js_empty_string(ctx->rt);
        value = asked_for(w, value, key);
        JS_FreeValue(ctx, key);
    }
    if (is_left_out(ctx, value))
        text = JS_UNDEFINED;
    else if (!JS_IsException(value) && write_value(w, value))
        text = take_text(w);
    js_free(ctx, w->out);
    JS_FreeValue(ctx, value);
    finish_writer(w);
    return text;
}

/* Puts both where scripts find them. Returns 0 unless it threw. */
int ampoule_json_install(JSContext *ctx)
{
    JSValue json = JS_GetPropertyStr(ctx, ctx->global_obj, "JSON");
    JSValue parse = JS_NewCFunction(ctx, ampoule_parse, "parse", 2);
    JSValue stringify = JS_NewCFunction(ctx, ampoule_stringify, "stringify", 3);
    int flags = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
    int failed = JS_DefinePropertyValueStr(ctx, json, "parse", parse, flags) < 0;

    failed |= JS_DefinePropertyValueStr(ctx, json, "stringify", stringify, flags) < 0;
    JS_FreeValue(ctx, json);
    return failed;
}

/* What a text in UTF-8 is, as `JSON.parse` would have it, but for integers beyond those that
 * numbers tell apart: they are BigInts. `text[length]` is zero. */
JSValue ampoule_json_parse(JSContext *ctx, const char *text, size_t length)
{
    JSValue value = read_json(ctx, (const uint8_t *)text, length, false, true);
    if (!JS_IsException(value))
        return value;
    /* Says what is wrong with it. What it reads nevertheless, it rounds. */
    value = JS_ParseJSON(ctx, text, length, "<input>");
    if (JS_IsException(value))
        return value;
    JS_FreeValue(ctx, value);
    return JS_ThrowRangeError(ctx, "what was answered has an integer of too many digits, nests "
                                   "too deeply, or needs more memory than there is");
}

/* The JSON text of a value in which there are only plain objects, arrays, texts, finite numbers,
 * booleans and null, no deeper than `depth_limit`; NULL, without an exception, for any other.
 * None of the script's code runs. To be freed by `js_free`. */
uint8_t *ampoule_json_of_plain(JSContext *ctx, JSValueConst value, uint32_t depth_limit,
                               size_t *length)
{
    Writer writer, *w = &writer;

    if (!start_writer(w, ctx, 0))
        goto thrown;
    w->only_plain = true;
    w->depth_limit = depth_limit;
    bool written = !may_ask(w, value) && !is_left_out(ctx, value) && write_value(w, value);
    finish_writer(w);
    *length = w->length;
    if (written)
        return w->out;
    js_free(ctx, w->out);
thrown:
    JS_FreeValue(ctx, JS_GetException(ctx));
    return NULL;
}
