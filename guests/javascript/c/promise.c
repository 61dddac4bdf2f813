/* Promises that the crate settles itself: without the two functions that a script would settle
 * them by, which take longer to make than the promise. */

JSValue ampoule_promise_new(JSContext *ctx)
{
    JSValue promise = js_create_from_ctor(ctx, JS_UNDEFINED, JS_CLASS_PROMISE);

    if (JS_IsException(promise))
        return promise;
    JSPromiseData *data = js_mallocz(ctx, sizeof(*data));
    if (!data) {
        JS_FreeValue(ctx, promise);
        return JS_EXCEPTION;
    }
    data->promise_state = JS_PROMISE_PENDING;
    init_list_head(&data->promise_reactions[0]);
    init_list_head(&data->promise_reactions[1]);
    data->promise_result = JS_UNDEFINED;
    JS_SetOpaqueInternal(promise, data);
    return promise;
}

/* As the first of those functions does; once for each promise. */
void ampoule_promise_resolve(JSContext *ctx, JSValueConst promise, JSValueConst value)
{
    JSValue then = JS_UNDEFINED;

    if (JS_IsObject(value))
        then = JS_GetProperty(ctx, value, JS_ATOM_then);
    if (JS_IsException(then)) {
        JSValue error = JS_GetException(ctx);
        fulfill_or_reject_promise(ctx, promise, error, true);
        JS_FreeValue(ctx, error);
    } else if (JS_IsFunction(ctx, then)) {
        JSValueConst args[] = { promise, value, then };
        JS_EnqueueJob(ctx, js_promise_resolve_thenable_job, countof(args), args);
    } else {
        fulfill_or_reject_promise(ctx, promise, value, false);
    }
    JS_FreeValue(ctx, then);
}

/* As the second does. */
void ampoule_promise_reject(JSContext *ctx, JSValueConst promise, JSValueConst reason)
{
    fulfill_or_reject_promise(ctx, promise, reason, true);
}

/* Frees the jobs that wait. None of them runs. */
void ampoule_forget_jobs(JSContext *ctx)
{
    JSRuntime *rt = ctx->rt;
    struct list_head *el, *next;

    list_for_each_safe(el, next, &rt->job_list) {
        JSJobEntry *job = list_entry(el, JSJobEntry, link);

        list_del(&job->link);
        for (int at = 0; at < job->argc; at++)
            JS_FreeValue(ctx, job->argv[at]);
        js_free(ctx, job);
    }
}
