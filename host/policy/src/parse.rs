//! Files → policies.

use std::sync::Arc;

use cedar_policy::PolicySet;
use miette::Diagnostic;

use crate::guard;
use crate::problem::{Found, Lines, Place, Problem};
use crate::rule::{Made, Maker};
use crate::source::File;

/// The policies of a file, in their order; what is wrong with it goes to `found`.
pub(crate) fn policies(file: &File, found: &mut Found) -> Vec<Made> {
    let lines = Lines::of(&file.text);
    let at = |offset| Place::in_file(&file.name, &lines, offset);
    if let Some((offset, why)) = guard::refused(&file.text) {
        found.add(Problem::error(Some(at(offset)), why));
        return Vec::new();
    }
    let set: PolicySet = match file.text.parse() {
        Ok(set) => set,
        Err(errors) => {
            for error in errors.iter() {
                let offset = offset_of(error).unwrap_or_default();
                let help = error.help().map(|help| format!(" ({help})"));
                let told = format!("{error}{}", help.unwrap_or_default());
                found.add(Problem::error(Some(at(offset)), told));
            }
            return Vec::new();
        }
    };
    for template in set.templates() {
        let told = format!(
            "`{}` has slots (`?principal`, `?resource`), which nothing fills",
            template.id()
        );
        found.add(Problem::error(Some(at(0)), told));
    }
    let mut made: Vec<Made> = set
        .policies()
        .map(|policy| {
            let span = policy
                .as_ref()
                .loc()
                .map(|place| (place.start(), place.end()));
            let (offset, end) = span.unwrap_or_default();
            Made {
                policy: policy.clone(),
                maker: Maker::File,
                place: at(offset),
                text: file
                    .text
                    .get(offset..end)
                    .map_or_else(|| Arc::from(""), Arc::from),
                offset,
            }
        })
        .collect();
    made.sort_by_key(|made| made.offset);
    made
}

/// Where in its file a problem is, in bytes.
pub(crate) fn offset_of(problem: &dyn Diagnostic) -> Option<usize> {
    problem.labels()?.next().map(|label| label.offset())
}
