//! What JavaScript can't find out about its own objects.

use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Function, Object, Promise, Result, Value, qjs};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("classOf", Function::new(ctx.clone(), class_of)?)?;
    native.set("promiseState", Function::new(ctx.clone(), promise_state)?)?;
    native.set("proxyParts", Function::new(ctx.clone(), proxy_parts)?)?;
    Ok(())
}

/// The number of the engine's class for an object, 0 for what is none.
fn class_of(value: Value<'_>) -> u32 {
    // SAFETY: reads the value's own header; the value is alive for the call.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// Whether a promise was fulfilled, and with what; undefined while it is pending.
fn promise_state<'js>(ctx: Ctx<'js>, promise: Promise<'js>) -> Result<Option<Array<'js>>> {
    let settled = match promise.state() {
        PromiseState::Pending => return Ok(None),
        PromiseState::Resolved => promise.finish::<Value>()?,
        PromiseState::Rejected => match promise.finish::<Value>() {
            Ok(value) => value,
            Err(_) => ctx.catch(),
        },
    };
    let pair = Array::new(ctx)?;
    pair.set(0, promise.state() == PromiseState::Resolved)?;
    pair.set(1, settled)?;
    Ok(Some(pair))
}

/// A proxy's target and handler; undefined once it is revoked.
fn proxy_parts<'js>(ctx: Ctx<'js>, proxy: Value<'js>) -> Result<Option<Array<'js>>> {
    let context = ctx.as_raw().as_ptr();
    // SAFETY: both calls check that the value is a proxy, and give a reference of their own, or an
    // exception.
    let (target, handler) = unsafe {
        let target = qjs::JS_GetProxyTarget(context, proxy.as_raw());
        let handler = qjs::JS_GetProxyHandler(context, proxy.as_raw());
        (
            Value::from_raw(ctx.clone(), target),
            Value::from_raw(ctx.clone(), handler),
        )
    };
    if target.is_exception() || handler.is_exception() {
        ctx.catch();
        return Ok(None);
    }
    let pair = Array::new(ctx)?;
    pair.set(0, target)?;
    pair.set(1, handler)?;
    Ok(Some(pair))
}
