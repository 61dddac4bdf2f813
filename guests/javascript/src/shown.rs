//! Content blocks that a script makes and does nothing with, as scripts for other code modes do to
//! show them: `image(bytes);`. They are the result where there is no other.

use rquickjs::{Array, Ctx, Result, Value};

use crate::session::Session;

/// Begins to gather them: a source has statements that only make one.
pub(crate) fn gather(ctx: &Ctx<'_>) {
    Session::of(ctx).shown.borrow_mut().get_or_insert_default();
}

/// A content block was made.
pub(crate) fn note<'js>(ctx: Ctx<'js>, block: Value<'js>) {
    if let Some(shown) = Session::of(&ctx).shown.borrow_mut().as_mut() {
        shown.push(block);
    }
}

/// A block goes elsewhere.
pub(crate) fn forget_block<'js>(ctx: &Ctx<'js>, block: &Value<'js>) {
    if let Some(shown) = Session::of(ctx).shown.borrow_mut().as_mut() {
        shown.retain(|known| known != block);
    }
}

/// Lets go of them.
pub(crate) fn forget(ctx: &Ctx<'_>) {
    Session::of(ctx).shown.borrow_mut().take();
}

/// The result, where the program gave nothing or one of them: the only one, or all of them as a
/// list.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn instead_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let shown = Session::of(ctx).shown.borrow_mut().take();
    let shown = shown.unwrap_or_default();
    if shown.is_empty() || !value.is_undefined() && !shown.contains(&value) {
        return Ok(value);
    }
    if let [only] = &shown[..] {
        return Ok(only.clone());
    }
    let list = Array::new(ctx.clone())?;
    for (at, block) in shown.into_iter().enumerate() {
        list.set(at, block)?;
    }
    Ok(list.into_value())
}
