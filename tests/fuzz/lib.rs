//! What the targets try. Each gives whether there was anything to try in the bytes.

use ampoule_projection::Tool;
use ampoule_projection_tests as support;
use arbitrary::Unstructured;
use serde_json::{Value, json};

/// Any tools, as text or made from bytes, are declared soundly in each language, and their
/// documents come back from values of WIT.
pub fn projection(data: &[u8]) -> bool {
    let mut u = Unstructured::new(data);
    let tools = if data.starts_with(b"{") {
        written(data)
    } else {
        support::tools(&mut u).ok()
    };
    let Some(tools) = tools else {
        return false;
    };
    support::assert_sound(&tools, &mut u);
    true
}

/// Tools whose every text is made of what ends, escapes and hides things: their declarations differ
/// from harmless ones in names and comments alone.
pub fn words(data: &[u8]) -> bool {
    support::assert_words_stay_words(&mut Unstructured::new(data)).is_ok()
}

/// What is written as JSON: a list of tools, as in the files of `tests/corpora`, or a schema, which
/// is then that of a tool's arguments and of its result.
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
