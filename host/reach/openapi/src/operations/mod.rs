//! The operations of a document: which there are, and what each is called. What an operation takes
//! and gives is read when somebody asks.

mod names;

use std::borrow::Cow;

use ampoule_projection::Hints;
use http::Method;
use serde_json::{Map, Value};

use self::names::Names;
use crate::document::{Documents, Version, escaped};
use crate::swagger2;

/// How many operations a document may have.
pub(crate) const MAX_OPERATIONS: usize = 1 << 15;

/// How much of what a document says of an operation is kept, in bytes.
const MAX_DESCRIPTION: usize = 16 << 10;

/// The methods that a path may have, by the keys of the document.
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];

/// One operation: where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The tool's name.
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) method: Method,
    /// The path as it is written, with `{name}` for what a call puts in.
    pub(crate) path: String,
    /// The path's item and the operation: each a file's number and a pointer.
    item: (usize, String),
    place: (usize, String),
}

/// An operation's text, in the words of OpenAPI 3.
pub(crate) struct OperationText {
    pub(crate) file: usize,
    pub(crate) operation: Map<String, Value>,
    pub(crate) item: Map<String, Value>,
    /// Of all its path's operations and of its own.
    pub(crate) parameters: Vec<WrittenParameter>,
}

/// A parameter's text.
#[derive(Debug, Clone)]
pub(crate) struct WrittenParameter {
    pub(crate) file: usize,
    pub(crate) text: Value,
}

/// The operations, and what is wrong with others, a sentence each.
pub(crate) fn all(documents: &Documents) -> Result<(Vec<Operation>, Vec<String>), String> {
    let mut names = Names::default();
    let (mut operations, mut problems) = (Vec::new(), Vec::new());
    for path in documents.names(0, "/paths") {
        if !path.starts_with('/') {
            continue;
        }
        let pointer = format!("/paths/{}", escaped(&path));
        let Some(item) = documents.at(0, &pointer) else {
            problems.push(format!("the path {} can't be read", shown(&path)));
            continue;
        };
        let item_place = match item.get("$ref").and_then(Value::as_str) {
            None => Some((0, pointer)),
            Some(reference) => documents.target(0, reference),
        };
        let item_place =
            item_place.filter(|(file, pointer)| documents.at(*file, pointer).is_some());
        let Some(item_place) = item_place else {
            problems.push(format!("the path {} refers to nothing", shown(&path)));
            continue;
        };
        let item = match item.get("$ref") {
            None => item,
            Some(_) => documents
                .at(item_place.0, &item_place.1)
                .unwrap_or_default(),
        };
        for (method, key) in methods(&item) {
            let place = (item_place.0, format!("{}/{key}", item_place.1));
            let Some(Value::Object(written)) = item.pointer(&format!("/{key}")) else {
                continue;
            };
            if method == Method::TRACE || method == Method::CONNECT {
                problems.push(format!(
                    "{method} {} is left out: the method is never sent",
                    shown(&path)
                ));
                continue;
            }
            if operations.len() == MAX_OPERATIONS {
                return Err(format!("it has more than {MAX_OPERATIONS} operations"));
            }
            operations.push(Operation {
                name: names.name(
                    written.get("operationId").and_then(Value::as_str),
                    &method,
                    &path,
                ),
                title: text(written, "summary").map(|it| cut(it).into_owned()),
                description: description(written, &method, &path),
                method,
                path: path.clone(),
                item: item_place.clone(),
                place,
            });
        }
    }
    Ok((operations, problems))
}

/// The methods of a path, and the keys of the document that have them.
fn methods(item: &Value) -> Vec<(Method, String)> {
    let known = METHODS.iter().filter(|key| item.get(**key).is_some());
    let known = known.filter_map(|key| {
        let method = Method::from_bytes(key.to_ascii_uppercase().as_bytes()).ok()?;
        Some((method, (*key).to_owned()))
    });
    let more = item.get("additionalOperations").and_then(Value::as_object);
    let more = more.into_iter().flat_map(Map::keys).filter_map(|key| {
        let method = Method::from_bytes(key.as_bytes()).ok()?;
        Some((method, format!("additionalOperations/{}", escaped(key))))
    });
    known.chain(more).collect()
}

fn text<'a>(written: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    let text = written.get(key)?.as_str()?.trim();
    Some(text).filter(|text| !text.is_empty())
}

/// What is said of an operation: its summary, its description, and what is sent.
fn description(written: &Map<String, Value>, method: &Method, path: &str) -> String {
    let (summary, more) = (text(written, "summary"), text(written, "description"));
    let mut said: Vec<Cow<'_, str>> = Vec::new();
    if written.get("deprecated") == Some(&Value::Bool(true)) {
        said.push("Deprecated.".into());
    }
    let repeats = matches!((summary, more), (Some(summary), Some(more)) if more.starts_with(summary.trim_end_matches('.')));
    said.extend(summary.filter(|_| !repeats).map(cut));
    said.extend(more.map(cut));
    said.push(format!("`{method} {path}`").into());
    said.join("\n\n")
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.len() > MAX_DESCRIPTION {
        true => format!("{}…", &text[..text.floor_char_boundary(MAX_DESCRIPTION)]).into(),
        false => text.into(),
    }
}

fn shown(path: &str) -> Cow<'_, str> {
    ampoule_untrusted::text::one_line(&path[..path.floor_char_boundary(200)])
}

impl Operation {
    /// What it says of its effects, by its method.
    pub(crate) fn hints(&self) -> Hints {
        let reads = ["GET", "HEAD", "OPTIONS", "QUERY"].contains(&self.method.as_str());
        let replaces = [Method::PUT, Method::DELETE].contains(&self.method);
        Hints {
            read_only: Some(reads),
            destructive: match reads {
                true => Some(false),
                // What is only added destroys nothing; but POST is sent for anything.
                false if self.method == Method::POST => None,
                false => Some(true),
            },
            idempotent: (reads || replaces).then_some(true),
            open_world: Some(true),
        }
    }

    /// Its text.
    pub(crate) fn read(&self, documents: &Documents) -> Option<OperationText> {
        let object = |(file, pointer): &(usize, String)| match documents.at(*file, pointer)? {
            Value::Object(object) => Some(object),
            _ => None,
        };
        let (item, mut operation) = (object(&self.item)?, object(&self.place)?);
        let file = self.place.0;
        let mut parameters = parameters(documents, file, &item, &operation);
        if documents.version() == Version::Swagger2 {
            operation = swagger2::operation(documents, file, operation, &mut parameters);
        }
        Some(OperationText {
            file,
            operation,
            item,
            parameters,
        })
    }
}

/// The parameters of a path's item, but for those that the operation has anew, and then its own.
fn parameters(
    documents: &Documents,
    file: usize,
    item: &Map<String, Value>,
    operation: &Map<String, Value>,
) -> Vec<WrittenParameter> {
    let listed = |from: &Map<String, Value>| -> Vec<WrittenParameter> {
        let all = from.get("parameters").and_then(Value::as_array);
        let meant = |parameter| documents.meant(file, parameter);
        let meant = all.into_iter().flatten().filter_map(meant);
        meant
            .map(|(file, meant)| WrittenParameter {
                file,
                text: meant.into_owned(),
            })
            .collect()
    };
    let which = |parameter: &WrittenParameter| {
        let part = |key: &str| {
            (parameter.text)
                .get(key)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        (part("name"), part("in"))
    };
    let own = listed(operation);
    let mut all = listed(item);
    all.retain(|shared| own.iter().all(|own| which(own) != which(shared)));
    all.extend(own);
    all
}

#[cfg(test)]
mod tests;
