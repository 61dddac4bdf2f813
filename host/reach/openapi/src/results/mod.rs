//! What an operation answers, as its document says: by status and media type.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::document::Documents;
use crate::schema::{Place, Schemas};
use ampoule_api::answer::{comes_with_answers, may_be_told};
use ampoule_api::{essence, is_json, is_text};

/// How many media types are asked for.
const MAX_ACCEPTED: usize = 8;

/// What is said of the arguments for the next page.
const NEXT: &str = "The arguments of the call that gives the next page; null on the last one. `pages(tool, …)` of the module `ampoule/pages` (in Python `ampoule.pages`) gives all pages, by `for await` or `async for`";

/// What is answered where all is well.
pub(crate) struct Results {
    kinds: Vec<Kind>,
    /// The names of headers that come with it, in small letters, and what the document says of them.
    headers: BTreeMap<String, Option<String>>,
    /// The header `Accept`.
    pub(crate) accept: String,
}

/// What one status comes with.
enum Kind {
    Json(usize, Value),
    Text,
    Bytes,
    Nothing,
}

impl Results {
    pub(crate) fn of(documents: &Documents, file: usize, operation: &Map<String, Value>) -> Self {
        let responses = operation.get("responses").and_then(Value::as_object);
        let mut kinds = Vec::new();
        let mut accepted: Vec<String> = Vec::new();
        let mut headers = BTreeMap::new();
        let responses = responses.into_iter().flatten();
        let (well, others): (Vec<_>, Vec<_>) =
            responses.partition(|(status, _)| status.starts_with('2'));
        let default = others
            .into_iter()
            .filter(|(status, _)| *status == "default");
        let well = match well.is_empty() {
            true => default.collect(),
            false => well,
        };
        let alone = well.len() == 1;
        for (status, response) in well {
            let Some((file, response)) = documents.meant(file, response) else {
                continue;
            };
            headers.extend(declared(documents, file, &response));
            let content = response.get("content").and_then(Value::as_object);
            let content = content.filter(|content| !content.is_empty());
            match content {
                Some(content) => kinds.extend(Kind::of(documents, file, content, &mut accepted)),
                None if !alone || matches!(status.as_str(), "204" | "205") => {
                    kinds.push(Kind::Nothing)
                }
                None => {}
            }
        }
        let is_asked = accepted.iter().take(MAX_ACCEPTED).map(String::as_str);
        let accept = match accepted.is_empty() {
            true => "application/json, */*;q=0.8".to_owned(),
            false => is_asked.chain(["*/*;q=0.1"]).collect::<Vec<_>>().join(", "),
        };
        Self {
            kinds,
            headers,
            accept,
        }
    }

    /// Whether an answer is more than its body.
    pub(crate) fn is_whole(&self) -> bool {
        let mut names = self.headers.keys();
        names.any(|name| comes_with_answers(name))
    }

    /// Whether answers say where the next page is.
    pub(crate) fn has_pages(&self) -> bool {
        self.headers.contains_key("link")
    }

    /// Whether something is said of results.
    pub(crate) fn is_known(&self) -> bool {
        !self.kinds.is_empty() || self.is_whole()
    }

    /// The schema of results. `next`: that of the arguments for the next page.
    pub(crate) fn schema(&self, schemas: &mut Schemas<'_>, next: Option<Value>) -> Value {
        let body = self.of_body(schemas);
        if !self.is_whole() {
            return body;
        }
        let header = |(name, said): (&String, &Option<String>)| {
            let mut schema = json!({ "type": "string" });
            if let Some(said) = said {
                schema["description"] = said.as_str().into();
            }
            (name.clone(), schema)
        };
        let headers: Map<String, Value> = self.headers.iter().map(header).collect();
        let mut properties = Map::new();
        properties.insert("body".to_owned(), body);
        properties.insert(
            "headers".to_owned(),
            json!({ "type": "object", "properties": headers, "additionalProperties": { "type": "string" } }),
        );
        if let Some(next) = next {
            properties.insert(
                "next".to_owned(),
                json!({ "anyOf": [next, { "type": "null" }], "description": NEXT }),
            );
        }
        let required: Vec<&String> = properties.keys().collect();
        json!({ "type": "object", "required": required, "properties": properties })
    }

    fn of_body(&self, schemas: &mut Schemas<'_>) -> Value {
        if self.kinds.is_empty() {
            return json!({});
        }
        let mut choices: Vec<Value> = Vec::new();
        for kind in &self.kinds {
            let choice = match kind {
                Kind::Json(file, schema) => schemas.of(Place {
                    file: *file,
                    schema,
                }),
                Kind::Text => json!({ "type": "string" }),
                Kind::Bytes => bytes(),
                Kind::Nothing => json!({ "type": "null" }),
            };
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        match choices.len() {
            1 => choices.remove(0),
            _ => json!({ "anyOf": choices }),
        }
    }
}

/// The headers that a response comes with and scripts may see, and what is said of them.
fn declared(documents: &Documents, file: usize, response: &Value) -> Vec<(String, Option<String>)> {
    let headers = response.get("headers").and_then(Value::as_object);
    let told = headers.into_iter().flatten().filter_map(|(name, header)| {
        let name = name.to_ascii_lowercase();
        let (_, header) = may_be_told(&name).then(|| documents.meant(file, header))??;
        let said = header.get("description").and_then(Value::as_str);
        Some((name, said.map(ampoule_api::line)))
    });
    told.collect()
}

/// The schema of what is not text.
fn bytes() -> Value {
    json!({
        "type": "object",
        "properties": {
            "base64": { "type": "string", "contentEncoding": "base64" },
            "type": { "type": "string", "description": "The media type" },
        },
        "required": ["base64", "type"],
    })
}

impl Kind {
    /// Of several media types, JSON, or else a text.
    fn of(
        documents: &Documents,
        file: usize,
        content: &Map<String, Value>,
        accepted: &mut Vec<String>,
    ) -> Option<Self> {
        let read = |(kind, media): (&String, &Value)| {
            let (file, media) = documents.meant(file, media)?;
            let schema = media.get("schema").cloned().unwrap_or(Value::Bool(true));
            let plain = essence(kind);
            let is_any = plain.contains('*');
            Some(match plain {
                plain if is_json(&plain) || (is_any && schema.is_object()) => {
                    (0, kind.clone(), Self::Json(file, schema))
                }
                plain if is_text(&plain) => (1, kind.clone(), Self::Text),
                _ => (2, kind.clone(), Self::Bytes),
            })
        };
        let mut all: Vec<_> = content.iter().filter_map(read).collect();
        all.sort_by_key(|(order, ..)| *order);
        for (_, kind, _) in &all {
            if !accepted.contains(kind) && !kind.contains(|c: char| c.is_control() || !c.is_ascii())
            {
                accepted.push(kind.clone());
            }
        }
        all.into_iter().next().map(|(.., kind)| kind)
    }
}

#[cfg(test)]
mod tests;
