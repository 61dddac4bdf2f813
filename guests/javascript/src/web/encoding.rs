//! Text to bytes and back: what `TextEncoder` and `TextDecoder` do. Two classes do not justify
//! `encoding_rs`, whose tables for legacy encodings would be in every guest: UTF-8 and UTF-16 come
//! from the standard library, and windows-1252 differs from Latin-1 in one row.

use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray, Value};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("encodeUtf8", Function::new(ctx.clone(), encode_utf8)?)?;
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    Ok(())
}

fn encode_utf8(ctx: Ctx<'_>, text: String) -> Result<TypedArray<'_, u8>> {
    TypedArray::new(ctx, text.into_bytes())
}

/// Decodes all of the bytes; `undefined` if they are malformed and `fatal` says that this matters.
fn decode<'js>(
    ctx: Ctx<'js>,
    encoding: String,
    bytes: TypedArray<'js, u8>,
    fatal: bool,
) -> Result<Value<'js>> {
    // SAFETY: nothing runs or is allocated in the engine while the slice is in use.
    let bytes = unsafe { bytes.as_bytes() }.unwrap_or_default();
    let text = match encoding.as_str() {
        "utf-8" => utf8(bytes, fatal),
        "utf-16le" => utf16(bytes, u16::from_le_bytes, fatal),
        "utf-16be" => utf16(bytes, u16::from_be_bytes, fatal),
        "windows-1252" => Some(bytes.iter().map(|&byte| windows_1252(byte)).collect()),
        _ => return Err(Exception::throw_range(&ctx, "no such encoding")),
    };
    match text {
        Some(text) => Ok(rquickjs::String::from_str(ctx, &text)?.into_value()),
        None => Ok(Value::new_undefined(ctx)),
    }
}

fn utf8(bytes: &[u8], fatal: bool) -> Option<String> {
    if fatal {
        return str::from_utf8(bytes).ok().map(str::to_owned);
    }
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, fatal: bool) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        match decoded {
            Ok(character) => text.push(character),
            Err(_) if fatal => return None,
            Err(_) => text.push(char::REPLACEMENT_CHARACTER),
        }
    }
    if !rest.is_empty() {
        if fatal {
            return None;
        }
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Some(text)
}

/// Bytes 0x80 to 0x9F; all others mean the code point of the same number.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
