//! Scripts that are part of the guest. They are evaluated before the snapshot, so they cost a run
//! nothing.

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Function, Result};

/// What the file names of the prelude begin with; stacks leave such frames out.
pub(crate) const FILE_PREFIX: &str = "ampoule:";

/// Evaluates a script that is one function.
///
/// # Errors
///
/// It does not compile.
pub(crate) fn evaluate<'js>(ctx: &Ctx<'js>, name: &str, source: &str) -> Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(format!("{FILE_PREFIX}{name}"));
    ctx.eval_with_options(source, options)
}
