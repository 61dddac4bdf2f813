//! What is said of properties and tools.

use super::super::doc::{self, Detail};
use super::super::interface::Function;
use super::super::names;
use super::super::types::{Docs, Type};

/// What is said of a property, which is called `name` in WIT.
pub(super) fn of_property(property: &str, name: &str, docs: &Docs, ty: &Type) -> Vec<String> {
    let mut said = doc::of_value(property, docs, ty, Detail::Full);
    if names::canonical(name) != names::canonical(property) {
        said.push(format!(
            "The property {}.",
            doc::json(&property.into(), 200)
        ));
    }
    if docs.deprecated {
        said.push("Deprecated.".to_owned());
    }
    said
}

/// What is said of a tool, which is called `name` in WIT.
pub(super) fn of_tool(function: &Function, name: &str) -> Vec<String> {
    let detail = Detail::Full;
    let text = function.description.as_ref().or(function.title.as_ref());
    let mut lines = text.map_or_else(Vec::new, |text| {
        doc::lines(text, detail, detail.tool_chars())
    });
    doc::append(&mut lines, &doc::hints(function.hints));
    if names::canonical(name) != names::canonical(&function.tool) {
        lines.push(format!(
            "The tool {}.",
            doc::json(&function.tool.as_str().into(), 200)
        ));
    }
    for (what, documented) in [
        ("Arguments", Some(&function.arguments)),
        ("Result", function.result.as_ref()),
    ] {
        let Some(documented) = documented else {
            continue;
        };
        let docs = Docs {
            title: None,
            ..documented.docs.clone()
        };
        let said = doc::of_value(what, &docs, &documented.ty, detail);
        if !said.is_empty() {
            lines.push(format!("{what}: {}", said.join(" ")));
        }
    }
    if function.arguments.docs.deprecated {
        lines.push("Deprecated.".to_owned());
    }
    lines
}
