//! What the guest itself uses of the language, as it was before any script could change it.

use rquickjs::{Ctx, Function, Object, Result};

use crate::prelude;
use crate::session::Session;

const PRELUDE: &str = include_str!("../prelude/intrinsics.js");

/// Prototypes and functions that no script reaches.
pub(crate) struct Intrinsics<'js> {
    /// `Error.prototype`.
    pub(crate) error: Object<'js>,
    /// `ReferenceError.prototype`.
    pub(crate) reference_error: Object<'js>,
    /// `SyntaxError.prototype`.
    pub(crate) syntax_error: Object<'js>,
    /// The promise of what all promises of a list settle to.
    pub(crate) all: Function<'js>,
    /// Calls a module's default export once it is evaluated: the promise of that, and the module's
    /// namespace.
    pub(crate) start: Function<'js>,
    /// The pairs of a map.
    pub(crate) entries: Function<'js>,
    /// The items of a set.
    pub(crate) items: Function<'js>,
    /// The value in an object that is one of `new Number(1)` and the like; undefined for another.
    pub(crate) unboxed: Function<'js>,
}

/// Keeps them in the session, before the snapshot. `shared` is what the prelude's files gave each
/// other.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, shared: &Object<'js>) -> Result<()> {
    let made: Object<'js> =
        prelude::evaluate(ctx, "intrinsics", PRELUDE)?.call((shared.clone(),))?;
    let intrinsics = Intrinsics {
        error: made.get("error")?,
        reference_error: made.get("referenceError")?,
        syntax_error: made.get("syntaxError")?,
        all: made.get("all")?,
        start: made.get("start")?,
        entries: made.get("entries")?,
        items: made.get("items")?,
        unboxed: made.get("unboxed")?,
    };
    // Set once: a session begins with a realm.
    let _ = Session::of(ctx).intrinsics.set(intrinsics);
    Ok(())
}
