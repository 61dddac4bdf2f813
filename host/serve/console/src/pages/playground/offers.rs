//! What the editor completes and checks: the granted tools with their arguments, as JSON.

use ampoule_projection::names::{Style, identifiers};
use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ConsoleError;
use crate::model::{PageQuery, ToolDetail, ToolFilter};
use crate::pages::visit::Visit;

/// The most tools that are offered.
const TOOLS: usize = 300;
/// How much of a declaration is shown beside a completion, in bytes.
const DECLARATION: usize = 1200;

/// What the address asks for.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    language: String,
}

#[derive(Serialize)]
struct Offers {
    servers: Vec<OfferedServer>,
}

#[derive(Serialize)]
struct OfferedServer {
    name: String,
    tools: Vec<OfferedTool>,
}

#[derive(Serialize)]
struct OfferedTool {
    /// As scripts of the language call it.
    name: String,
    /// Its own name, which scripts may also use.
    also: String,
    declaration: String,
    fields: Vec<Field>,
    /// Whether it takes arguments that its schema does not name.
    open: bool,
}

#[derive(Serialize)]
struct Field {
    name: String,
    r#type: String,
    required: bool,
    about: String,
}

/// The answer for the editor.
pub(super) async fn offers(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    match all(&visit, &wanted.language).await {
        Ok(offers) => Json(offers).into_response(),
        Err(problem) => (problem.status(), problem.to_string()).into_response(),
    }
}

async fn all(visit: &Visit, language: &str) -> Result<Offers, ConsoleError> {
    let part = PageQuery {
        cursor: None,
        limit: Some(TOOLS),
    };
    let (console, viewer) = (&visit.console, &visit.viewer);
    let rows = console.tools(viewer, &ToolFilter::default(), &part).await?;
    let mut found: Vec<(String, Vec<ToolDetail>)> = Vec::new();
    for row in rows.items {
        let detail = console.tool(viewer, &row.name).await?;
        match found.iter_mut().find(|(server, _)| *server == row.server) {
            Some((_, tools)) => tools.push(detail),
            None => found.push((row.server, vec![detail])),
        }
    }
    let is_python = language == "python";
    let style = if is_python {
        Style::Snake
    } else {
        Style::Camel
    };
    let names: Vec<&String> = found.iter().map(|(server, _)| server).collect();
    let names = identifiers(&names, style);
    let servers = names.into_iter().zip(found).map(|(name, (_, tools))| {
        let own: Vec<&String> = tools.iter().map(|tool| &tool.row.tool).collect();
        let tool_names = identifiers(&own, style);
        let tools = tool_names.into_iter().zip(&tools);
        OfferedServer {
            name,
            tools: tools
                .map(|(name, tool)| offered(name, tool, is_python))
                .collect(),
        }
    });
    Ok(Offers {
        servers: servers.collect(),
    })
}

fn offered(name: String, tool: &ToolDetail, is_python: bool) -> OfferedTool {
    let declaration = if is_python {
        &tool.python
    } else {
        &tool.typescript
    };
    let cut = declaration.floor_char_boundary(DECLARATION);
    let schema = &tool.input_schema;
    OfferedTool {
        name,
        also: tool.row.tool.clone(),
        declaration: declaration[..cut].to_owned(),
        fields: fields(schema),
        open: schema["additionalProperties"] != Value::Bool(false)
            && schema["properties"]
                .as_object()
                .is_none_or(|all| all.is_empty()),
    }
}

/// The properties of a schema, the required first.
fn fields(schema: &Value) -> Vec<Field> {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map_or_else(Vec::new, |names| {
            names.iter().filter_map(Value::as_str).collect()
        });
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let mut fields: Vec<_> = properties
        .iter()
        .map(|(name, schema)| Field {
            name: name.clone(),
            r#type: type_of(schema),
            required: required.contains(&name.as_str()),
            about: schema["description"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        })
        .collect();
    fields.sort_by_key(|field| !field.required);
    fields
}

fn type_of(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.collect::<Vec<_>>().join(" or ")
        }
        _ if schema["enum"].is_array() => "choice".to_owned(),
        _ => "value".to_owned(),
    }
}
