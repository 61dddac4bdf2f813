//! JSON, as `c/` reads and writes it: faster than the engine does, and to the same end, but that
//! integers which numbers can't tell apart are BigInts in what the host gives.

use rquickjs::{Ctx, Error, Result, Value, qjs};

use crate::engine::checked;

unsafe extern "C" {
    fn ampoule_json_install(context: *mut qjs::JSContext) -> i32;
    fn ampoule_json_parse(
        context: *mut qjs::JSContext,
        text: *const u8,
        length: usize,
    ) -> qjs::JSValue;
    fn ampoule_json_of_plain(
        context: *mut qjs::JSContext,
        value: qjs::JSValue,
        depth_limit: u32,
        length: *mut usize,
    ) -> *mut u8;
}

/// Writes a finite number as JavaScript does; gives the length of its text.
///
/// # Safety
///
/// There is room for 32 bytes, which is more than any number takes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ampoule_json_number(number: f64, text: *mut u8) -> usize {
    let mut buffer = dragonbox_ecma::Buffer::new();
    let written = buffer.format_finite(number).as_bytes();
    // SAFETY: The caller's promise.
    unsafe { text.copy_from_nonoverlapping(written.as_ptr(), written.len()) };
    written.len()
}

/// Replaces `JSON.parse` and `JSON.stringify`. To be called before anything keeps them.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    // SAFETY: The context is alive.
    match unsafe { ampoule_json_install(ctx.as_raw().as_ptr()) } {
        0 => Ok(()),
        _ => Err(Error::Exception),
    }
}

/// The value of a JSON text of the host. An integer beyond `Number.MAX_SAFE_INTEGER` is a `BigInt`,
/// so that all of its digits are there.
///
/// # Errors
///
/// It is none, or has an integer of more digits than a `BigInt` can have; the context has the
/// exception.
pub(crate) fn parse<'js>(ctx: &Ctx<'js>, mut text: String) -> Result<Value<'js>> {
    let length = text.len();
    text.push('\0');
    // SAFETY: The context is alive; the text ends in a zero byte, which its length leaves out.
    unsafe {
        checked(
            ctx,
            ampoule_json_parse(ctx.as_raw().as_ptr(), text.as_ptr(), length),
        )
    }
}

/// The JSON text of a value in which there are only plain objects, arrays, texts, finite numbers,
/// booleans and null, no deeper than the limit. Runs nothing of the script.
pub(crate) fn of_plain(ctx: &Ctx<'_>, value: qjs::JSValue, depth_limit: usize) -> Option<String> {
    let context = ctx.as_raw().as_ptr();
    let depth_limit = u32::try_from(depth_limit).unwrap_or(u32::MAX);
    let mut length = 0;
    // SAFETY: Context and value are alive. What is given is so many bytes of UTF-8, freed once.
    unsafe {
        let start = ampoule_json_of_plain(context, value, depth_limit, &raw mut length);
        if start.is_null() {
            return None;
        }
        let bytes = std::slice::from_raw_parts(start, length).to_vec();
        qjs::js_free(context, start.cast());
        Some(String::from_utf8_unchecked(bytes))
    }
}

#[cfg(test)]
mod tests;
