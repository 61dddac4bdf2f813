//! Which type of a union a document fits best.

use std::collections::HashMap;

use ampoule_projection::wit::shape::Case;

/// What was found out of the unions in one document, so that nested ones are looked at once.
#[derive(Default)]
pub(super) struct Fits {
    known: HashMap<(usize, usize), Option<Fit>>,
}

/// The case that a document fits best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    pub(super) case: usize,
    /// How many of the document's properties it has no place for.
    pub(super) lost: usize,
}

impl Fits {
    /// What is known of the document at `text` and the union declared at `place`.
    pub(super) fn known(&self, text: &str, place: usize) -> Option<Option<Fit>> {
        self.known.get(&(text.as_ptr().addr(), place)).copied()
    }

    pub(super) fn learn(&mut self, text: &str, place: usize, fit: Option<Fit>) {
        self.known.insert((text.as_ptr().addr(), place), fit);
    }
}

/// The first of the cases that lose least. `lost` says what a case loses, if the document fits it.
pub(super) fn best(cases: &[Case], mut lost: impl FnMut(&Case) -> Option<usize>) -> Option<Fit> {
    let mut best: Option<Fit> = None;
    for (case, candidate) in cases.iter().enumerate() {
        let Some(lost) = lost(candidate) else {
            continue;
        };
        if best.is_none_or(|best| lost < best.lost) {
            best = Some(Fit { case, lost });
        }
        if lost == 0 {
            break;
        }
    }
    best
}
