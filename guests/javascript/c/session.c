/* Programs of a session: what they declare at their top is global, and a later one may declare it
 * again. */

/* Compiles a program: a strict script whose top may return, and await if it is `async`. Running it
   gives what it returns, or a promise of that. */
JSValue ampoule_compile_program(JSContext *ctx, const char *text, size_t length, const char *name,
                                int first_line, bool async)
{
    JSEvalOptions options = {
        .version = JS_EVAL_OPTIONS_VERSION,
        .eval_flags = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT | JS_EVAL_FLAG_COMPILE_ONLY |
                      (async ? JS_EVAL_FLAG_ASYNC : 0),
        .filename = name,
        .line_num = first_line,
    };

    ampoule_may_return = true;
    JSValue program = JS_Eval2(ctx, text, length, &options);
    ampoule_may_return = false;
    return program;
}

static void forget_property(JSContext *ctx, JSValueConst of, JSAtom name)
{
    JSObject *p = JS_VALUE_GET_OBJ(of);
    JSShapeProperty *found = find_own_property1(p, name);

    if (!found)
        return;
    if (!(found->flags & JS_PROP_CONFIGURABLE)) {
        if (js_shape_prepare_update(ctx, p, &found))
            return;
        found->flags |= JS_PROP_CONFIGURABLE;
    }
    delete_property(ctx, p, name);
}

/* Makes a name free that an earlier program declared: one of `let`, `const` and `class` in any
   case, one of `var` and `function` if the session `owns` it, since it may be the language's. */
void ampoule_forget_global(JSContext *ctx, const char *text, size_t length, bool owns)
{
    JSAtom name = JS_NewAtomLen(ctx, text, length);

    if (name == JS_ATOM_NULL)
        return;
    forget_property(ctx, ctx->global_var_obj, name);
    if (owns)
        forget_property(ctx, ctx->global_obj, name);
    JS_FreeAtom(ctx, name);
}

/* Makes a name that an earlier program declared one of `var`, with the value that it has. */
void ampoule_keep_global(JSContext *ctx, const char *text, size_t length)
{
    JSAtom name = JS_NewAtomLen(ctx, text, length);
    JSProperty *held;

    if (name == JS_ATOM_NULL)
        return;
    if (find_own_property(&held, JS_VALUE_GET_OBJ(ctx->global_var_obj), name)) {
        JSValue value = js_dup(held->u.value);

        forget_property(ctx, ctx->global_var_obj, name);
        if (!JS_IsUninitialized(value))
            JS_DefinePropertyValue(ctx, ctx->global_obj, name, value, JS_PROP_C_W_E);
    }
    JS_FreeAtom(ctx, name);
}

/* What a name at the top holds; throws where that was never set. */
JSValue ampoule_global(JSContext *ctx, const char *text, size_t length)
{
    JSAtom name = JS_NewAtomLen(ctx, text, length);

    if (name == JS_ATOM_NULL)
        return JS_EXCEPTION;
    JSValue value = JS_GetGlobalVar(ctx, name, true);
    JS_FreeAtom(ctx, name);
    return value;
}
