//! Documents and schemas of so many operations, as large APIs have them: each operation with a few
//! parameters, and results that refer to types which refer to one another.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// How an API is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    OpenApi,
    Graphql,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::OpenApi, Self::Graphql];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OpenApi => "openapi",
            Self::Graphql => "graphql",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Writes a description into a folder.
    pub(super) fn write(self, folder: &Path, count: usize) -> PathBuf {
        let (name, text) = match self {
            Self::OpenApi => ("api.json", document(count).to_string()),
            Self::Graphql => ("api.graphql", schema(count)),
        };
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

/// How many types there are for so many operations.
fn types(count: usize) -> usize {
    (count / 5).max(2)
}

fn document(count: usize) -> Value {
    let parameter = |name: &str, place: &str, of: &str| json!({ "name": name, "in": place, "required": place == "path", "schema": { "type": of } });
    let paths = (0..count).map(|n| {
        let schema = json!({ "$ref": format!("#/components/schemas/Thing{}", n % types(count)) });
        let parameters = [
            parameter("id", "path", "string"),
            parameter("limit", "query", "integer"),
            parameter("filter", "query", "string"),
        ];
        let operation = json!({
            "operationId": format!("getThing{n}"),
            "summary": format!("Gets the thing of group {n}, with its owner and its parts"),
            "parameters": parameters,
            "responses": { "200": {
                "description": "The thing.", "content": { "application/json": { "schema": schema } } } },
        });
        (format!("/groups/{n}/things/{{id}}"), json!({ "get": operation }))
    });
    let paths: Map<String, Value> = paths.collect();
    let schemas = (0..types(count)).map(|n| {
        let next = format!("#/components/schemas/Thing{}", (n + 1) % types(count));
        let schema = json!({ "type": "object", "required": ["id"], "properties": {
            "id": { "type": "string" },
            "name": { "type": "string", "description": "What people call it." },
            "amount": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "owner": { "$ref": next },
        } });
        (format!("Thing{n}"), schema)
    });
    let schemas: Map<String, Value> = schemas.collect();
    json!({
        "openapi": "3.1.0",
        "info": { "title": "An estate", "version": "1" },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

fn schema(count: usize) -> String {
    let mut text = "type Query {\n".to_owned();
    for n in 0..count {
        let of = n % types(count);
        let about = format!("Gets the thing of group {n}, with its owner and its parts");
        writeln!(
            text,
            "  \"{about}\"\n  getThing{n}(id: ID!, limit: Int, filter: String): Thing{of}"
        )
        .expect("a text");
    }
    text += "}\n";
    for n in 0..types(count) {
        let next = (n + 1) % types(count);
        writeln!(
            text,
            "type Thing{n} {{ id: ID! name: String amount: Float tags: [String!] owner: Thing{next} }}"
        )
        .expect("a text");
    }
    text
}
