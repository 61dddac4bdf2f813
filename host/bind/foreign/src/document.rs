//! An outcome as the one document that `ampoule run --json` prints.

use ampoule::Outcome;
use serde::Serialize;

use crate::Fault;

/// The outcome, with the language of its script; `call` where there was none.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    language: &'static str,
}

pub(crate) fn document(outcome: &Outcome, language: &'static str) -> Result<String, Fault> {
    let document = Document { outcome, language };
    serde_json::to_string(&document)
        .map_err(|error| Fault::host(format!("the outcome can't be written: {error}")))
}
