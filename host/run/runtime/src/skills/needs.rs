//! The tools that code calls, and whether their types are what they were.

use std::collections::BTreeSet;

use ampoule_persistence::skills::{Need, Skill};
use ampoule_projection::{SchemaText, Tool};
use ampoule_tools::{GrantedTools, ResolvedTool};
use serde_json::{Map, Value};

/// What a schema says beside types: it may change, and the type is the same.
const NO_TYPE: [&str; 8] = [
    "title",
    "description",
    "examples",
    "example",
    "$comment",
    "$schema",
    "$id",
    "deprecated",
];

/// A tool that was called.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CalledTool {
    pub(super) server: String,
    pub(super) tool: String,
}

/// The tools that some code names, `server.tool` as a script would write it, and those that were
/// seen to be called.
pub(super) fn needs(code: &str, called: &BTreeSet<CalledTool>, tools: &GrantedTools) -> Vec<Need> {
    let named = pairs(code);
    let known = tools
        .servers()
        .filter(|server| **server.name() != *super::SKILLS_SERVER);
    let known = known.flat_map(|server| tools.known_tools_of(server).unwrap_or_default());
    let needed = known.filter(|tool| {
        let call = CalledTool {
            server: tool.server().to_string(),
            tool: tool.name().to_string(),
        };
        let signature = tool.signature();
        let written = match tool.its_server().is_called_by_its_name() {
            true => signature.split('(').next().unwrap_or_default(),
            false => "",
        };
        called.contains(&call) || named.contains(written) || named.contains(&*tool.qualified_name())
    });
    let need = |tool: ResolvedTool| Need {
        server: tool.server().to_string(),
        tool: tool.name().to_string(),
        digest: digest(tool.definition()),
    };
    needed.map(need).collect()
}

/// What has changed of the tools that a skill needs, a sentence each.
pub(super) fn changes(skill: &Skill, tools: &GrantedTools) -> Vec<String> {
    let mut changes = Vec::new();
    for Need {
        server,
        tool,
        digest: then,
    } in &skill.needs
    {
        let Ok(known) = tools.server(server) else {
            changes.push(format!(
                "it needs {server}.{tool}, which is not available here"
            ));
            continue;
        };
        // A server that has not told its tools yet says nothing of them.
        let Some(now) = tools.known_tools_of(known) else {
            continue;
        };
        match now.iter().find(|now| **now.name() == **tool) {
            None => changes.push(format!("it needs {server}.{tool}, which is not available here")),
            Some(now) if digest(now.definition()) != *then => changes.push(format!(
                "the declaration of {server}.{tool} has changed since this was saved: look at it, and save the skill again"
            )),
            Some(_) => {}
        }
    }
    changes
}

/// The pairs of words with a dot between them.
fn pairs(code: &str) -> BTreeSet<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-');
    let mut pairs = BTreeSet::new();
    let (mut before, mut begin) = (None, 0);
    let ends = code.char_indices().filter(|(_, letter)| !is_part(*letter));
    for (end, letter) in ends.chain([(code.len(), ' ')]) {
        if begin < end
            && let Some(start) = before
        {
            pairs.insert(&code[start..end]);
        }
        before = (letter == '.' && begin < end).then_some(begin);
        begin = end + letter.len_utf8().min(code.len() - end);
    }
    pairs
}

/// A tool's type, as a hash: what it takes and gives.
fn digest(tool: &Tool) -> String {
    let mut types = tool.input_schema.parse();
    let result = tool.output_schema.as_ref().map(SchemaText::parse);
    let mut result = result.unwrap_or_default();
    strip(&mut types);
    strip(&mut result);
    let both = Value::Array(vec![types, result]).to_string();
    blake3::hash(both.as_bytes()).to_hex()[..32].to_owned()
}

/// Takes out of a schema what is not a type, and puts its keys in order.
fn strip(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(members) => {
            let taken = std::mem::take(members);
            let mut kept: Vec<_> = taken.into_iter().collect();
            kept.retain(|(key, value)| !NO_TYPE.contains(&&**key) || is_schema(value));
            kept.sort_by(|(one, _), (other, _)| one.cmp(other));
            kept.iter_mut().for_each(|(_, value)| strip(value));
            *members = Map::from_iter(kept);
        }
        _ => {}
    }
}

/// A property may be called `title` or `description`.
fn is_schema(value: &Value) -> bool {
    value.is_object()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(input: Value, output: Option<Value>) -> Tool {
        let tool = json!({ "name": "t", "inputSchema": input, "outputSchema": output });
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn a_type_is_the_same_whatever_is_said_about_it() {
        let one = tool(
            json!({ "type": "object", "title": "T", "properties": { "title": { "type": "string", "description": "a" } } }),
            None,
        );
        let same = tool(
            json!({ "properties": { "title": { "description": "b", "type": "string" } }, "type": "object" }),
            None,
        );
        assert_eq!(digest(&one), digest(&same));
        for other in [
            json!({ "type": "object", "properties": { "title": { "type": "number" } } }),
            json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] }),
            json!({ "type": "object" }),
        ] {
            assert_ne!(digest(&one), digest(&tool(other, None)));
        }
        let gives = tool(one.input_schema.parse(), Some(json!({ "type": "object" })));
        assert_ne!(digest(&one), digest(&gives));
    }

    #[test]
    fn pairs_of_words_are_found() {
        let code = "const a = await tools.demo.listOrders({}); b.c(äö.ü)\nx.y";
        let found = pairs(code);
        for pair in ["tools.demo", "demo.listOrders", "b.c", "äö.ü", "x.y"] {
            assert!(found.contains(pair), "{pair}: {found:?}");
        }
        assert!(!found.contains("a.await"));
        assert!(pairs("").is_empty() && pairs(".").is_empty() && pairs("a.").is_empty());
    }
}
