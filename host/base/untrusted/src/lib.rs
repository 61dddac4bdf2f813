//! What strangers wrote: text is shown through one function that escapes it, JSON is measured
//! before it is used.
//!
//! - `text`: how text is shown; `json`: JSON, measured
//! - `document`: JSON that is read, with errors in its words

pub mod document;
pub mod json;
pub mod text;

/// A name for an entry in the log that the operator finds it by, where others see nothing more.
pub fn log_id() -> String {
    format!("{:08x}", getrandom::u32().unwrap_or_default())
}
