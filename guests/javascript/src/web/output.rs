//! The console's way out, and the clocks.

use rquickjs::{Ctx, Exception, Function, Object, Result};

use crate::exit;
use crate::host::{self, Level};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("write", Function::new(ctx.clone(), write)?)?;
    native.set("elapsedMs", Function::new(ctx.clone(), elapsed_ms)?)?;
    native.set("originMs", Function::new(ctx.clone(), origin_ms)?)?;
    Ok(())
}

fn write(ctx: Ctx<'_>, level: String, text: String) -> Result<()> {
    let level = match level.as_str() {
        "debug" => Level::Debug,
        "log" => Level::Log,
        "info" => Level::Info,
        "warn" => Level::Warn,
        "error" => Level::Error,
        _ => return Err(Exception::throw_type(&ctx, "no such level")),
    };
    exit::check(&ctx)?;
    host::write(level, &text);
    Ok(())
}

/// Milliseconds since the run began.
fn elapsed_ms() -> f64 {
    host::elapsed_ns() as f64 / 1e6
}

/// When the run began, in milliseconds since 1970-01-01 00:00 UTC.
fn origin_ms() -> f64 {
    host::now_ns().saturating_sub(host::elapsed_ns()) as f64 / 1e6
}
