//! Files → policies.

use std::sync::Arc;

use cedar_policy::Policy;
use miette::Diagnostic;

use crate::diagnostic::{Diagnostics, Lines, Place, PolicyDiagnostic};
use crate::guard::{self, Statement};
use crate::rule::{Author, UncheckedPolicy};
use crate::source::File;

/// The policies of a file, in their order; what is wrong with it goes to `found`.
pub(crate) fn policies(file: &File, found: &mut Diagnostics) -> Vec<UncheckedPolicy> {
    let lines = Lines::of(&file.text);
    let at = |offset| Place::in_file(&file.name, &lines, offset);
    let mut made = Vec::new();
    for Statement { at: span, refused } in guard::statements(&file.text) {
        if let Some((offset, why)) = refused {
            found.add(PolicyDiagnostic::error(Some(at(offset)), why));
            continue;
        }
        let text = &file.text[span.clone()];
        let policy = match Policy::parse(None, text) {
            Ok(policy) => policy,
            Err(errors) => {
                for error in errors.iter() {
                    let offset = span.start + offset_of(error).unwrap_or_default();
                    let help = error.help().map(|help| format!(" ({help})"));
                    let told = format!("{error}{}", help.unwrap_or_default());
                    found.add(PolicyDiagnostic::error(Some(at(offset)), told));
                }
                continue;
            }
        };
        let place = policy.as_ref().loc();
        let own = place.map_or(0..text.len(), |place| place.start()..place.end());
        made.push(UncheckedPolicy {
            policy,
            maker: Author::File,
            place: at(span.start + own.start),
            offset: span.start + own.start,
            base: span.start,
            text: text.get(own).map_or_else(|| Arc::from(text), Arc::from),
        });
    }
    made
}

/// Where in its text a problem is, in bytes.
pub(crate) fn offset_of(problem: &dyn Diagnostic) -> Option<usize> {
    problem.labels()?.next().map(|label| label.offset())
}
