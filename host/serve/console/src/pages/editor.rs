//! The editor for scripts: a text area, which the editor's script takes over where there are scripts.

use maud::{Markup, html};

use super::assets::assets;

/// The languages that people write.
pub(super) const LANGUAGES: [(&str, &str); 2] = [
    ("typescript", "TypeScript or JavaScript"),
    ("python", "Python"),
];

/// The language to write in for a run's language.
pub(super) fn chosen(language: &str) -> &'static str {
    match language {
        "python" => "python",
        _ => "typescript",
    }
}

/// An editor in a form: its fields are `code` and `language`.
pub(super) struct Editor<'e> {
    /// What stands in it.
    pub(super) code: &'e str,
    /// The language, as [`chosen`] gives it.
    pub(super) language: &'e str,
    /// Whether the language stays as it is.
    pub(super) is_fixed: bool,
    /// The height of the text area, in lines.
    pub(super) rows: usize,
}

impl Editor<'_> {
    /// The fields.
    pub(super) fn show(&self) -> Markup {
        html! {
            div.field {
                label for="code" { "Code" }
                textarea.code #code name="code" rows=(self.rows) required spellcheck="false" autocapitalize="off" autocomplete="off"
                    aria-describedby="editor-hint" data-editor=(assets().editor.address) data-language="language" data-offers="/console/offers" {
                    // The parser drops a line break that an element begins with.
                    "\n" (self.code)
                }
                p.hint #editor-hint { "Ctrl+Enter runs, Ctrl+Space completes, Tab leaves the editor." }
            }
            @if self.is_fixed {
                input #language type="hidden" name="language" value=(self.language);
            } @else {
                div.field {
                    label for="language" { "Language" }
                    select #language name="language" {
                        @for (value, words) in LANGUAGES {
                            option value=(value) selected[self.language == value] { (words) }
                        }
                    }
                }
            }
        }
    }
}
