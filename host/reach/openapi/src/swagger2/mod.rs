//! Swagger 2 in the words of OpenAPI 3, one operation at a time.

use ampoule_api::Source;
use serde_json::{Map, Value, json};
use url::Url;

use crate::document::Documents;
use crate::operations::WrittenParameter;

/// The keys of a parameter that is not a body which are its schema's.
const OF_SCHEMA: [&str; 16] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
];

/// An operation, and its parameters, of which those that are a body become that.
pub(crate) fn operation(
    documents: &Documents,
    file: usize,
    mut operation: Map<String, Value>,
    parameters: &mut Vec<WrittenParameter>,
) -> Map<String, Value> {
    let consumes = kinds(documents, &operation, "consumes");
    let produces = kinds(documents, &operation, "produces");
    let all = std::mem::take(parameters);
    let mut fields = Vec::new();
    for WrittenParameter { file, text } in all {
        match text.get("in").and_then(Value::as_str) {
            Some("body") => {
                operation.insert("requestBody".to_owned(), body(&text, &consumes));
            }
            Some("formData") => fields.push(text),
            _ => parameters.push(WrittenParameter {
                file,
                text: plain(&text),
            }),
        }
    }
    if !fields.is_empty() {
        operation.insert("requestBody".to_owned(), form(&fields, &consumes));
    }
    if let Some(Value::Object(responses)) = operation.get_mut("responses") {
        for response in responses.values_mut() {
            if let Some((_, meant)) = documents.meant(file, response) {
                *response = self::response(&meant, &produces);
            }
        }
    }
    operation
}

/// The media types of the operation, or else of all operations.
fn kinds(documents: &Documents, operation: &Map<String, Value>, key: &str) -> Vec<String> {
    let of_all = documents.at(0, &format!("/{key}"));
    let listed = operation.get(key).or(of_all.as_ref());
    let listed = listed.and_then(Value::as_array).into_iter().flatten();
    let kinds: Vec<String> = listed
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    match kinds.is_empty() {
        true => vec!["application/json".to_owned()],
        false => kinds,
    }
}

fn body(parameter: &Value, consumes: &[String]) -> Value {
    let schema = parameter
        .get("schema")
        .cloned()
        .unwrap_or_else(|| json!({}));
    // A form is for fields, unless the operation takes nothing else.
    let takes_others = consumes.iter().any(|kind| !is_form(kind));
    let content: Map<String, Value> = consumes
        .iter()
        .filter(|kind| !(takes_others && is_form(kind)))
        .map(|kind| (kind.clone(), json!({ "schema": schema })))
        .collect();
    json!({
        "description": parameter.get("description"),
        "required": parameter.get("required"),
        "content": content,
    })
}

fn is_form(kind: &str) -> bool {
    kind.starts_with("multipart/") || kind.starts_with("application/x-www-form-urlencoded")
}

/// The fields of a form as one object.
fn form(fields: &[Value], consumes: &[String]) -> Value {
    let (mut properties, mut required, mut encoding) = (Map::new(), Vec::new(), Map::new());
    let mut has_file = false;
    for field in fields {
        let Some(name) = field.get("name").and_then(Value::as_str) else {
            continue;
        };
        let plain = plain(field);
        let mut schema = plain["schema"].clone();
        if schema.get("format").and_then(Value::as_str) == Some("binary") {
            has_file = true;
        }
        if let (Some(schema), Some(said)) = (schema.as_object_mut(), field.get("description")) {
            schema.insert("description".to_owned(), said.clone());
        }
        if field.get("required") == Some(&Value::Bool(true)) {
            required.push(Value::from(name));
        }
        if let (Some(style), Some(explode)) = (plain.get("style"), plain.get("explode")) {
            encoding.insert(
                name.to_owned(),
                json!({ "style": style, "explode": explode }),
            );
        }
        properties.insert(name.to_owned(), schema);
    }
    let kind = match has_file || consumes.iter().any(|kind| kind.starts_with("multipart/")) {
        true => "multipart/form-data",
        false => "application/x-www-form-urlencoded",
    };
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({
        "required": !required.is_empty(),
        "content": { kind: { "schema": schema, "encoding": encoding } },
    })
}

/// A parameter with a schema, and how lists in it are written.
fn plain(parameter: &Value) -> Value {
    let Some(members) = parameter.as_object() else {
        return parameter.clone();
    };
    let (schema, mut rest): (Map<_, _>, Map<_, _>) = members
        .clone()
        .into_iter()
        .partition(|(key, _)| OF_SCHEMA.contains(&key.as_str()));
    let schema = match schema.get("type").and_then(Value::as_str) {
        Some("file") => json!({ "type": "string", "format": "binary" }),
        _ => schema.into(),
    };
    if schema.get("type").and_then(Value::as_str) == Some("array") {
        let is_query = matches!(
            members.get("in").and_then(Value::as_str),
            Some("query" | "formData")
        );
        let (style, explode) = match members.get("collectionFormat").and_then(Value::as_str) {
            Some("multi") => ("form", true),
            Some("ssv") => ("spaceDelimited", false),
            Some("pipes") => ("pipeDelimited", false),
            Some("tsv") => ("tabDelimited", false),
            _ if is_query => ("form", false),
            _ => ("simple", false),
        };
        rest.insert("style".to_owned(), style.into());
        rest.insert("explode".to_owned(), explode.into());
    }
    rest.insert("schema".to_owned(), schema);
    rest.into()
}

fn response(response: &Value, produces: &[String]) -> Value {
    let mut out = response.clone();
    let schema = response.get("schema");
    if let (Some(out), Some(schema)) = (out.as_object_mut(), schema) {
        let is_file = schema.get("type").and_then(Value::as_str) == Some("file");
        let schema = match is_file {
            true => json!({ "type": "string", "format": "binary" }),
            false => schema.clone(),
        };
        let content: Map<String, Value> = produces
            .iter()
            .map(|kind| (kind.clone(), json!({ "schema": schema })))
            .collect();
        out.remove("schema");
        out.insert("content".to_owned(), content.into());
    }
    out
}

/// Where the server is: `host`, `basePath` and `schemes`.
pub(crate) fn servers(documents: &Documents) -> Value {
    let text = |pointer: &str| documents.at(0, pointer)?.as_str().map(str::to_owned);
    let path = text("/basePath").unwrap_or_default();
    let path = path.trim_end_matches('/');
    let Some(host) = text("/host").filter(|host| !host.is_empty()) else {
        return json!([{ "url": match path { "" => "/", path => path } }]);
    };
    let schemes = documents.at(0, "/schemes");
    let schemes = schemes.as_ref().and_then(Value::as_array);
    let has = |scheme: &str| schemes.is_some_and(|all| all.iter().any(|one| one == scheme));
    let scheme = match documents.source() {
        _ if has("https") => "https",
        _ if has("http") => "http",
        Source::Address(url) => Url::scheme(url),
        Source::File(_) => "https",
    };
    json!([{ "url": format!("{scheme}://{host}{path}") }])
}

/// The kinds of signing in, in the words of OpenAPI 3.
pub(crate) fn security_scheme(scheme: &Value) -> Value {
    match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => json!({ "type": "http", "scheme": "basic" }),
        _ => scheme.clone(),
    }
}

#[cfg(test)]
mod tests;
