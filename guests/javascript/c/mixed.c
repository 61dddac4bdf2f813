/* What is said where a BigInt and a number meet. Integers of tools that numbers can't tell apart are
 * BigInts, so this happens to who did not write one. Included by `quickjs.c` itself, as one of its
 * changes: see `changes`. */

/* How much of an operand is shown, in bytes. */
#define SHOWN_OPERAND 48

static const char *written_operator(OPCodeEnum op)
{
    switch (op) {
    case OP_add: return "+";
    case OP_sub: return "-";
    case OP_mul: return "*";
    case OP_div: return "/";
    case OP_mod: return "%";
    case OP_pow: return "**";
    case OP_and: return "&";
    case OP_or:  return "|";
    case OP_xor: return "^";
    case OP_shl: return "<<";
    default:     return ">>";
    }
}

/* An operand as it would be written in a script; the beginning of a long one. */
static void show_operand(JSContext *ctx, JSValueConst operand, char shown[SHOWN_OPERAND])
{
    const char *text = JS_ToCString(ctx, operand);
    const char *sign = JS_IsBigInt(operand) ? "n" : "";

    if (!text)
        JS_FreeValue(ctx, JS_GetException(ctx));
    size_t length = text ? strlen(text) : 0;
    bool is_long = length > SHOWN_OPERAND - 8;
    snprintf(shown, SHOWN_OPERAND, "%.*s%s", is_long ? SHOWN_OPERAND - 8 : (int)length,
             text ? text : "", is_long ? "…" : sign);
    JS_FreeCString(ctx, text);
}

/* Throws that two operands, of which one is a BigInt and one a number, can't be used together, and
 * what to write. */
static void throw_mixed(JSContext *ctx, JSValueConst left, JSValueConst right, OPCodeEnum op)
{
    bool is_left = JS_IsBigInt(left);
    JSValueConst number = is_left ? right : left;
    char shown[2][SHOWN_OPERAND];
    const char *sign = written_operator(op);
    double value;

    show_operand(ctx, left, shown[0]);
    show_operand(ctx, right, shown[1]);
    if (JS_ToFloat64(ctx, &value, number) || value != trunc(value) || !(fabs(value) < 1e15))
        JS_ThrowTypeError(ctx, "%s is a %s and %s a %s, and %s takes two of a kind: write `Number(…)` "
                          "for the BigInt, which rounds it", shown[0], is_left ? "BigInt" : "number",
                          shown[1], is_left ? "number" : "BigInt", sign);
    else if (is_left)
        JS_ThrowTypeError(ctx, "%s is a BigInt and %s a number, and %s takes two of a kind: write "
                          "`%s %sn`, or of a variable `%s BigInt(…)`", shown[0], shown[1], sign, sign,
                          shown[1], sign);
    else
        JS_ThrowTypeError(ctx, "%s is a number and %s a BigInt, and %s takes two of a kind: write "
                          "`%sn %s`, or of a variable `BigInt(…) %s`", shown[0], shown[1], sign,
                          shown[0], sign, sign);
}

/* A BigInt against zero, as comparing functions tell it: negative, zero or positive. */
static int order_of_bigint(JSValueConst integer)
{
    if (JS_VALUE_GET_TAG(integer) == JS_TAG_SHORT_BIG_INT) {
        js_slimb_t value = JS_VALUE_GET_SHORT_BIG_INT(integer);
        return (value > 0) - (value < 0);
    }
    const JSBigInt *p = JS_VALUE_GET_PTR(integer);
    if (p->len == 1 && p->tab[0] == 0)
        return 0;
    return js_bigint_sign(p) ? -1 : 1;
}
