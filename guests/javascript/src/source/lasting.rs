//! What is different in a program of a session. It is a script rather than a function, so that what
//! its top declares is global; imports, which a script has none of, become constants there.

use super::strip::{DEFAULT_EXPORT, Strip};
use super::{Import, LINES_BEFORE, Prepared, Wanted, WrittenCalls};

/// Whether a module of the grant has what is wanted of it.
pub(crate) type Has<'h> = &'h dyn Fn(&str, &Wanted) -> bool;

/// A name that the top of a program declares.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// By `var`, which leaves it the value that it has.
    pub(crate) is_var: bool,
}

impl Declared {
    pub(super) fn anew(name: &str) -> Self {
        let name = name.to_owned();
        Self {
            name,
            is_var: false,
        }
    }
}

/// What a program of a session is besides.
#[derive(Debug)]
pub(crate) struct Lasting {
    pub(crate) declared: Vec<Declared>,
    /// It awaits something outside of functions.
    pub(crate) awaits: bool,
}

impl Lasting {
    /// What a visited source is; its names are still there.
    pub(super) fn of(strip: &Strip<'_, '_>) -> Self {
        let declared = strip.names.declared_outermost();
        let declared = declared.into_iter().map(|(name, is_var)| Declared {
            name: name.to_owned(),
            is_var,
        });
        let export = Declared::anew(DEFAULT_EXPORT);
        Self {
            declared: declared.chain([export]).collect(),
            awaits: strip.found.awaits,
        }
    }

    /// The program.
    pub(super) fn finish(
        self,
        strip: Strip<'_, '_>,
        (imports, before, end): (Vec<Import>, String, String),
        (free, called, idle): (Vec<String>, Vec<String>, Vec<String>),
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
            called,
            shows: strip.found.shows,
            idle,
            module: false,
            lasting: Some(self),
            written: WrittenCalls::default(),
        }
    }
}
