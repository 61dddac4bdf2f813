//! A run that is run again has the session and the files that its record tells of.

use super::step;
use crate::run::draft::Draft;
use crate::run::isolate::Origin;

/// Puts what the run is given into the draft, in place of what its session and its files are.
pub(super) fn open(draft: &mut Draft) {
    step("opens", "replay");
    if let Origin::Replay(inputs) = &mut draft.origin {
        draft.setup.session = inputs.session.take();
        if let Some(files) = inputs.files.take() {
            draft.setup.files = files;
        }
    }
}
