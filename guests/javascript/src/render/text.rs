//! Texts and numbers of the engine as JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

use rquickjs::{Error, Result, qjs};

/// A text that the engine made, as UTF-8 but for halves of characters.
pub(super) struct Text {
    context: *mut qjs::JSContext,
    start: *const std::ffi::c_char,
    length: usize,
}

impl Text {
    /// What a value is as a text.
    pub(super) fn of(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Result<Self> {
        let mut length = 0;
        // SAFETY: Context and value are alive.
        let start = unsafe { qjs::JS_ToCStringLen2(context, &raw mut length, raw, false) };
        Self::checked(context, start, length as usize)
    }

    /// A property's name.
    pub(super) fn of_atom(context: *mut qjs::JSContext, atom: qjs::JSAtom) -> Result<Self> {
        let mut length = 0;
        // SAFETY: Context and atom are alive.
        let start = unsafe { qjs::JS_AtomToCStringLen(context, &raw mut length, atom) };
        Self::checked(context, start, length as usize)
    }

    fn checked(
        context: *mut qjs::JSContext,
        start: *const std::ffi::c_char,
        length: usize,
    ) -> Result<Self> {
        if start.is_null() {
            return Err(Error::Exception);
        }
        Ok(Self {
            context,
            start,
            length,
        })
    }

    /// The text, with halves of characters replaced.
    pub(super) fn lossy(&self) -> Cow<'_, str> {
        // SAFETY: The engine gave so many bytes, and keeps them until they are freed.
        let bytes = unsafe { std::slice::from_raw_parts(self.start.cast::<u8>(), self.length) };
        match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(mended(bytes)),
        }
    }
}

/// Replaces each half of a character, which the engine writes as three bytes.
fn mended(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Err(error) = std::str::from_utf8(rest) {
        let (valid, after) = rest.split_at(error.valid_up_to());
        text.push_str(&String::from_utf8_lossy(valid));
        text.push(char::REPLACEMENT_CHARACTER);
        rest = &after[after.len().min(3)..];
    }
    text.push_str(&String::from_utf8_lossy(rest));
    text
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: The text came from the engine, and is freed once.
        unsafe { qjs::JS_FreeCString(self.context, self.start) };
    }
}

/// Writes a number whose digits are the same in Rust and JavaScript: an integer of no more than 15
/// digits.
pub(super) fn push_number(json: &mut String, number: f64) -> bool {
    let whole = number.trunc() == number && number.abs() < 1e15;
    if whole {
        let _ = write!(json, "{}", number as i64);
    }
    whole
}

/// Writes a text as a JSON string.
pub(super) fn push_quoted(json: &mut String, text: &str) {
    json.reserve(text.len() + 2);
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest
        .bytes()
        .position(|byte| matches!(byte, b'"' | b'\\' | ..=0x1f))
    {
        let (plain, special) = rest.split_at(at);
        json.push_str(plain);
        match special.as_bytes()[0] {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            0x08 => json.push_str("\\b"),
            0x0c => json.push_str("\\f"),
            byte => {
                let _ = write!(json, "\\u{byte:04x}");
            }
        }
        rest = &special[1..];
    }
    json.push_str(rest);
    json.push('"');
}
