//! Texts of descriptions, as they are shown.

/// How much of a name or a title is shown, in bytes.
const SHOWN_BYTES: usize = 200;

/// The beginning of a text on one line.
pub fn line(text: &str) -> String {
    let cut = &text[..text.floor_char_boundary(SHOWN_BYTES)];
    ampoule_untrusted::text::one_line(cut.trim()).into_owned()
}
