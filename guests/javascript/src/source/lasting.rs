//! What is different in a program of a session. It is a script rather than a function, so that what
//! its top declares is global; imports, which a script has none of, become constants there.

use super::strip::{DEFAULT_EXPORT, Strip};
use super::{Import, LINES_BEFORE, Prepared};

/// What a program of a session is besides.
#[derive(Debug)]
pub(crate) struct Lasting {
    /// The names that its top declares.
    pub(crate) declared: Vec<String>,
    /// It awaits something outside of functions.
    pub(crate) awaits: bool,
}

impl Lasting {
    /// What a visited source is; its names are still there.
    pub(super) fn of(strip: &Strip<'_, '_>) -> Self {
        let declared = strip.names.declared_outermost();
        let declared = declared.into_iter().chain([DEFAULT_EXPORT]);
        Self {
            declared: declared.map(str::to_owned).collect(),
            awaits: strip.found.awaits,
        }
    }

    /// The program.
    pub(super) fn finish(
        self,
        strip: Strip<'_, '_>,
        (imports, before, end): (Vec<Import>, String, String),
        (free, idle): (Vec<String>, Vec<String>),
    ) -> Prepared {
        let before = before + &"\n".repeat(LINES_BEFORE as usize);
        // Without it, the value of the last expression would be the result.
        let after = format!("{end}\nreturn;");
        let (text, map) = strip.edits.apply(strip.source, &before, &after);
        Prepared {
            text,
            map,
            imports,
            free,
            idle,
            module: false,
            lasting: Some(self),
        }
    }
}
