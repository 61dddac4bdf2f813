//! Any tools, as text or made from bytes, are declared soundly in each language, and their documents come back from values of WIT.

#![no_main]

use ampoule::projection::{self, Tool};
use arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Value, json};

#[path = "../../../host/src/projection/tests/support/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the library's own tests use more of it"
)]
mod support;

fuzz_target!(|data: &[u8]| -> Corpus {
    let mut u = Unstructured::new(data);
    let tools = if data.starts_with(b"{") {
        written(data)
    } else {
        support::tools(&mut u).ok()
    };
    let Some(tools) = tools else {
        return Corpus::Reject;
    };
    support::assert_sound(&tools, &mut u);
    Corpus::Keep
});

/// What is written as JSON: a list of tools, as in the files of `tests/corpora`, or a schema, which is then that of a tool's arguments and of its result.
fn written(text: &[u8]) -> Option<Vec<Tool>> {
    let document: Value = serde_json::from_slice(text).ok()?;
    let mut tools: Vec<Tool> = match document.get("tools") {
        Some(tools) => serde_json::from_value(tools.clone()).ok()?,
        None => {
            let tool = json!({ "name": "tool", "inputSchema": document, "outputSchema": document });
            vec![serde_json::from_value(tool).ok()?]
        }
    };
    // No binding has two of the same name.
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools.dedup_by(|a, b| a.name == b.name);
    Some(tools)
}
