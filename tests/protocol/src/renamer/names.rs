//! Names of tools: the suite's, and those of `ampoule serve`.

use axum::body::Bytes;
use http::{HeaderMap, HeaderValue};
use serde_json::Value;

/// The tools that both know by the same name.
const OWN: [&str; 3] = ["execute_code", "search_tools", "call_tool"];
/// The header that repeats what a request is about.
const NAME: &str = "mcp-name";

/// How the tools of a server are named.
#[derive(Clone)]
pub(super) struct Names {
    /// What stands before each.
    prefix: String,
}

impl Names {
    pub(super) fn of(server: &str) -> Self {
        Self {
            prefix: format!("{server}__"),
        }
    }

    /// A call of a tool, by the name that `ampoule serve` has for it; none if this is something else.
    pub(super) fn in_call(&self, message: &[u8]) -> Option<Vec<u8>> {
        let mut message: Value = serde_json::from_slice(message).ok()?;
        if message.get("method")? != "tools/call" {
            return None;
        }
        let name = message.get_mut("params")?.get_mut("name")?;
        *name = self.of_serve(name.as_str()?)?.into();
        serde_json::to_vec(&message).ok()
    }

    /// The same, where the headers of a call repeat it.
    pub(super) fn in_headers(&self, headers: &mut HeaderMap) {
        let name = headers.get(NAME).and_then(|name| name.to_str().ok());
        let name = name.and_then(|name| self.of_serve(name));
        if let Some(name) = name.and_then(|name| HeaderValue::from_str(&name).ok()) {
            headers.insert(NAME, name);
        }
    }

    fn of_serve(&self, name: &str) -> Option<String> {
        (!OWN.contains(&name)).then(|| format!("{}{name}", self.prefix))
    }

    /// A line of an answer, with the suite's names.
    fn of_suite(&self, line: &str) -> String {
        let listed = format!(r#""name":"{}"#, self.prefix);
        line.replace(&listed, r#""name":""#)
    }
}

/// An answer that is renamed line by line, as it comes.
pub(super) struct Lines {
    names: Names,
    begun: Vec<u8>,
}

impl Lines {
    pub(super) fn new(names: Names) -> Self {
        let begun = Vec::new();
        Self { names, begun }
    }

    /// What can be passed on once this has come: whole lines.
    pub(super) fn next(&mut self, piece: &[u8]) -> Bytes {
        self.begun.extend_from_slice(piece);
        let end = self.begun.iter().rposition(|byte| *byte == b'\n');
        let rest = self.begun.split_off(end.map_or(0, |end| end + 1));
        let whole = std::mem::replace(&mut self.begun, rest);
        self.renamed(whole)
    }

    /// The last line, which does not end.
    pub(super) fn rest(&mut self) -> Bytes {
        let rest = std::mem::take(&mut self.begun);
        self.renamed(rest)
    }

    fn renamed(&self, text: Vec<u8>) -> Bytes {
        match String::from_utf8(text) {
            Ok(text) => self.names.of_suite(&text).into(),
            Err(other) => other.into_bytes().into(),
        }
    }
}
