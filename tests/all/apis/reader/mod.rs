//! A reader of OpenAPI documents that knows nothing of Ampoule's: what an operation takes, made-up
//! arguments for it, and what the specification says is sent then. It holds whole documents as trees,
//! and knows what the documents of the tests need.
//!
//! - `styles`: how values are written into paths, queries and forms

mod styles;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use styles::{pairs, plain, simple};

/// A document, as one tree.
pub(super) struct Reader {
    root: Value,
}

/// An operation of it.
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) id: Option<String>,
    parameters: Vec<Value>,
    body: Option<Value>,
}

/// Made-up arguments, and what is sent for them: decoded, in no order.
pub(super) struct Example {
    pub(super) arguments: Map<String, Value>,
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) cookies: Vec<(String, String)>,
    pub(super) body: Sent,
}

/// What is sent as a body.
#[derive(Debug)]
pub(super) enum Sent {
    Nothing,
    Json(Value),
    Form(Vec<(String, String)>),
    /// The fields of a form in parts, with what is in them.
    Parts(Vec<(String, String)>),
    Text(String),
}

/// Numbers that look random, and are the same each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

impl Reader {
    pub(super) fn new(text: &str) -> Self {
        Self {
            root: serde_json::from_str(text).expect("JSON"),
        }
    }

    fn resolved<'v>(&'v self, mut value: &'v Value) -> &'v Value {
        while let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference
                .strip_prefix('#')
                .expect("a reference within the document");
            let pointer = pointer.replace("%7B", "{").replace("%7D", "}");
            value = self.root.pointer(&pointer).unwrap_or(&Value::Null);
        }
        value
    }

    /// All operations but `trace`.
    pub(super) fn operations(&self) -> Vec<Operation> {
        const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
        let mut found = Vec::new();
        let paths = self.root["paths"].as_object().into_iter().flatten();
        for (path, item) in paths.filter(|(path, _)| path.starts_with('/')) {
            let item = self.resolved(item);
            for method in METHODS {
                let Some(operation) = item.get(method).filter(|it| it.is_object()) else {
                    continue;
                };
                found.push(Operation {
                    method: method.to_uppercase(),
                    path: path.clone(),
                    id: operation["operationId"].as_str().map(str::to_owned),
                    parameters: self.parameters(item, operation),
                    body: operation
                        .get("requestBody")
                        .map(|body| self.resolved(body).clone()),
                });
            }
        }
        found
    }

    fn parameters(&self, item: &Value, operation: &Value) -> Vec<Value> {
        let mut by_place: BTreeMap<(String, String), Value> = BTreeMap::new();
        for from in [item, operation] {
            for parameter in from["parameters"].as_array().into_iter().flatten() {
                let parameter = self.resolved(parameter);
                let part = |key: &str| parameter[key].as_str().unwrap_or_default().to_owned();
                by_place.insert((part("in"), part("name")), parameter.clone());
            }
        }
        by_place.into_values().collect()
    }

    /// Arguments for an operation; nothing where this reader can't make any.
    pub(super) fn example(&self, operation: &Operation, random: &mut Random) -> Option<Example> {
        let mut example = Example {
            arguments: Map::new(),
            // Two operations of one path are told apart by what is not sent.
            path: operation.path.split('#').next()?.to_owned(),
            query: Vec::new(),
            headers: Vec::new(),
            cookies: Vec::new(),
            body: Sent::Nothing,
        };
        let names: Vec<&str> = operation
            .parameters
            .iter()
            .filter_map(|it| it["name"].as_str())
            .collect();
        let is_alone =
            |name: &str| names.iter().filter(|it| **it == name).count() == 1 && name != "body";
        for parameter in &operation.parameters {
            let (name, place) = (parameter["name"].as_str()?, parameter["in"].as_str()?);
            let is_hosts = ["accept", "authorization", "content-type", "host"]
                .contains(&&*name.to_lowercase());
            if place == "header" && (is_hosts || name.is_empty()) {
                continue;
            }
            let is_needed = place == "path" || parameter["required"] == true;
            if !is_needed && random.below(3) == 0 {
                continue;
            }
            let argument = match place == "path" || is_alone(name) {
                true => name.to_owned(),
                false => return None,
            };
            let value = match parameter.get("content") {
                Some(_) => return None,
                None => self.value(&parameter["schema"], random, 0)?,
            };
            self.send(parameter, &value, &mut example)?;
            example.arguments.insert(argument, value);
        }
        if let Some(body) = &operation.body
            && (body["required"] == true || random.below(4) > 0)
        {
            let (value, sent) = self.body(body, random)?;
            example.arguments.insert("body".to_owned(), value);
            example.body = sent;
        }
        Some(example)
    }

    /// What the table of styles says of a parameter.
    fn send(&self, parameter: &Value, value: &Value, example: &mut Example) -> Option<()> {
        let name = parameter["name"].as_str()?;
        let place = parameter["in"].as_str()?;
        let usual = match place {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = parameter["style"].as_str().unwrap_or(usual);
        let explode = parameter["explode"]
            .as_bool()
            .unwrap_or(style == "form" || style == "deepObject");
        match place {
            "path" => {
                let text = simple(value, explode)?;
                example.path = example.path.replace(&format!("{{{name}}}"), &text);
            }
            "header" => example
                .headers
                .push((name.to_lowercase(), simple(value, explode)?)),
            "cookie" => example
                .cookies
                .push((name.to_owned(), simple(value, false)?)),
            "query" => example.query.extend(pairs(name, style, explode, value)?),
            _ => return None,
        }
        Some(())
    }

    fn body(&self, body: &Value, random: &mut Random) -> Option<(Value, Sent)> {
        let kinds = body["content"].as_object()?;
        let find = |is: &dyn Fn(&str) -> bool| kinds.iter().find(|(kind, _)| is(kind));
        let is_json = |kind: &str| {
            kind == "*/*"
                || kind.starts_with("application/json")
                || kind
                    .split(';')
                    .next()
                    .is_some_and(|it| it.ends_with("+json"))
        };
        if let Some((_, media)) = find(&is_json) {
            let value = self.value(&media["schema"], random, 0)?;
            return Some((value.clone(), Sent::Json(value)));
        }
        if let Some((_, media)) =
            find(&|kind| kind.starts_with("application/x-www-form-urlencoded"))
        {
            let value = self.value(&media["schema"], random, 0)?;
            let mut sent = Vec::new();
            for (name, value) in value.as_object()? {
                let said = &media["encoding"][name];
                let style = said["style"].as_str().unwrap_or("form");
                let explode = said["explode"].as_bool().unwrap_or(true);
                match value {
                    Value::Object(_) if said.is_null() => {
                        sent.push((name.clone(), value.to_string()))
                    }
                    value => sent.extend(pairs(name, style, explode, value)?),
                }
            }
            return Some((value, Sent::Form(sent)));
        }
        if let Some((_, media)) = find(&|kind| kind.starts_with("multipart/")) {
            let value = self.value(&media["schema"], random, 0)?;
            let mut sent = Vec::new();
            for (name, value) in value.as_object()? {
                match value {
                    Value::Array(items) => {
                        sent.extend(items.iter().map(|it| (name.clone(), plain(it))))
                    }
                    value => sent.push((name.clone(), plain(value))),
                }
            }
            return Some((value, Sent::Parts(sent)));
        }
        let text = "some text";
        Some((json!(text), Sent::Text(text.to_owned())))
    }

    /// A value that a schema allows, as far as its types, choices and required properties say it.
    fn value(&self, schema: &Value, random: &mut Random, level: usize) -> Option<Value> {
        let schema = self.resolved(schema);
        if level > 6 {
            return None;
        }
        if let Some(choices) = schema["enum"].as_array() {
            let choices: Vec<&Value> = choices.iter().filter(|it| !it.is_null()).collect();
            return choices
                .get(random.below(choices.len()))
                .map(|it| (*it).clone());
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[choice].as_array() {
                return choices
                    .iter()
                    .find_map(|it| self.value(it, random, level + 1));
            }
        }
        let merged;
        let schema = match schema["allOf"].as_array() {
            Some(_) => {
                merged = self.merged(schema, 0);
                &merged
            }
            None => schema,
        };
        let kind = match &schema["type"] {
            Value::String(kind) => kind.as_str(),
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .find(|it| *it != "null")?,
            _ if schema.get("properties").is_some() => "object",
            _ => "string",
        };
        Some(match kind {
            "string" => match schema["format"].as_str() {
                Some("date") => json!("2024-01-02"),
                Some("date-time") => json!("2024-01-02T03:04:05Z"),
                _ => json!(["plain", "a b&c=d", "ü/?#%", "x+y"][random.below(4)]),
            },
            "integer" => json!(7 + random.below(90)),
            "number" => json!(1.5),
            "boolean" => json!(random.below(2) == 0),
            "array" => {
                let items = &schema["items"];
                let items: Option<Vec<Value>> = (0..2)
                    .map(|_| self.value(items, random, level + 1))
                    .collect();
                json!(items?)
            }
            "object" => {
                let required = schema["required"].as_array();
                let mut object = Map::new();
                for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                    let is_needed = required.is_some_and(|it| it.iter().any(|it| it == name));
                    if !is_needed && (random.below(3) > 0 || level > 2 || object.len() > 8) {
                        continue;
                    }
                    match self.value(property, random, level + 1) {
                        Some(value) => object.insert(name.clone(), value),
                        None if is_needed => return None,
                        None => None,
                    };
                }
                object.into()
            }
            _ => return None,
        })
    }

    /// All parts of a schema as one.
    fn merged(&self, schema: &Value, level: usize) -> Value {
        let mut all = Map::new();
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let parts: Vec<Value> = match level < 8 {
            true => parts
                .map(|part| self.merged(self.resolved(part), level + 1))
                .collect(),
            false => Vec::new(),
        };
        for part in parts.iter().chain([schema]) {
            for (key, value) in part.as_object().into_iter().flatten() {
                match (all.get_mut(key), value) {
                    (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
                    (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                        known.extend(more.clone())
                    }
                    _ if key == "allOf" => {}
                    _ => {
                        all.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        all.into()
    }
}
