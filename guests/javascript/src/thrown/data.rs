//! What a tool told of its failure as data, for the reader of an uncaught error.

use rquickjs::{Object, Value};

use super::{TEXT_LIMIT, cut};
use crate::json;
use crate::render::render;

/// The data of a tool's error, as a line after its message. Nothing where there is none, or where
/// the message says the same.
pub(super) fn of(error: &Object<'_>, message: &str) -> Option<String> {
    let text = text_of(error);
    let text = text.filter(|text| !message.contains(text) && !is_same(error, message, text));
    Some(format!("\nThe error's `data`: {}", cut(text?, TEXT_LIMIT)))
}

/// The data as JSON. What throws, or can't be written, is none.
fn text_of(error: &Object<'_>) -> Option<String> {
    let data = error.get::<_, Value<'_>>("data");
    let data = data.and_then(|data| match data.is_undefined() {
        true => Ok(None),
        false => render(error.ctx(), &data).map(Some),
    });
    match data {
        Ok(rendered) => rendered.map(|rendered| rendered.json),
        Err(_) => {
            error.ctx().catch();
            None
        }
    }
}

/// Whether a message is a JSON document of the same value.
fn is_same(error: &Object<'_>, message: &str, data: &str) -> bool {
    if !message.starts_with(['{', '[']) {
        return false;
    }
    let ctx = error.ctx();
    let value = json::parse(ctx, message.to_owned());
    match value.and_then(|value| render(ctx, &value)) {
        Ok(rendered) => rendered.json == data,
        Err(_) => {
            ctx.catch();
            false
        }
    }
}
