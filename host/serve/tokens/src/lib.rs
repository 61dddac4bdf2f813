//! What a model reads of tools, in tokens: o200k's, which GPT-4o and later have; others differ by a
//! tenth or so.
//!
//! - `client`: a client that says what it was sent; `cost`: what tools cost directly,
//!   and through Ampoule

mod client;
mod cost;

use std::sync::LazyLock;

use serde_json::{Value, json};

pub use self::client::Client;
pub use self::cost::{Cost, Spread};

/// How many tokens models read in a text.
pub fn count(text: &str) -> usize {
    // Reading the vocabulary takes about a tenth of a second. By its own function: the one that
    // takes a name would have eleven others in every binary, too.
    static O200K: LazyLock<tiktoken::CoreBpe> = LazyLock::new(tiktoken::encoding::o200k_base);
    O200K.count(text)
}

/// The tokens of some tools, as `tools/list` has them: what a client gives of them to a model in
/// every conversation, their names, descriptions and input schemas.
pub fn of_tools(tools: &[Value]) -> usize {
    let read = tools
        .iter()
        .map(|tool| json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string());
    read.map(|text| count(&text)).sum()
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn tokens_are_o200ks() {
        for (text, tokens) in [
            ("", 0),
            ("hello world", 2),
            ("   \n\n  x", 3),
            ("été, 東京, Здравствуйте", 6),
            // One token of o200k alone.
            (".\n/", 1),
        ] {
            assert_eq!(count(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn of_tools_names_descriptions_and_input_schemas_count() {
        let tool = json!({ "name": "add", "description": "Adds.", "inputSchema": {} });
        let mut more = tool.clone();
        more["outputSchema"] = json!({ "type": "object" });
        assert_eq!(of_tools(from_ref(&tool)), count(r#"["add","Adds.",{}]"#));
        assert_eq!(of_tools(&[more]), of_tools(&[tool]));
    }
}
