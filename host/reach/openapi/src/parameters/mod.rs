//! The parameters of an operation: what scripts call them, and how they are written into a request.
//!
//! - `style`: the ways to write a value

pub(crate) mod style;

use std::collections::{HashMap, HashSet};

use ampoule_outbound::changes_request;
use http::HeaderName;
use serde_json::{Map, Value, json};

use self::style::{Encoding, Style, StyledValue};
use crate::document::Documents;
use crate::operations::WrittenParameter;
use crate::schema::{Place, Schemas};

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Location {
    Path,
    Query,
    /// All of the query at once.
    QueryString,
    Header,
    Cookie,
}

/// One parameter.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    /// What scripts call it.
    pub(crate) argument: String,
    /// What the server calls it.
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    /// Whether what URLs have a meaning for is sent as it is.
    pub(crate) reserved: bool,
    pub(crate) required: bool,
    /// The media type of a value that is written as one text.
    pub(crate) content: Option<String>,
    /// Whether it may put names of its own into a query: members of an object, each by itself.
    pub(crate) brings_names: bool,
    file: usize,
    schema: Value,
    description: Option<String>,
    deprecated: bool,
}

/// The arguments of an operation, each with a name of its own.
pub(crate) fn of(
    documents: &Documents,
    written: &[WrittenParameter],
    has_body: bool,
    is_set: &dyn Fn(&HeaderName) -> bool,
) -> Vec<Parameter> {
    let read = written.iter();
    let read = read.filter_map(|it| Parameter::read(documents, it.file, &it.text));
    let mut all: Vec<Parameter> = read.filter(|it| !it.is_ours(is_set)).collect();
    // What a path holds keeps its name, whatever else is called so.
    let order = |parameter: &Parameter| match parameter.location {
        Location::Path => 0,
        Location::Query | Location::QueryString => 1,
        Location::Header => 2,
        Location::Cookie => 3,
    };
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by_key(|place| order(&all[*place]));
    let plain: HashMap<String, usize> = all.iter().fold(HashMap::new(), |mut counts, parameter| {
        *counts.entry(parameter.name.clone()).or_default() += 1;
        counts
    });
    let mut taken: HashSet<String> = HashSet::new();
    if has_body {
        taken.insert(BODY.to_owned());
    }
    for place in places {
        let parameter = &mut all[place];
        let mut argument = parameter.name.clone();
        // A name that is made may not be what another one is called.
        while taken.contains(&argument)
            || (argument != parameter.name && plain.contains_key(&argument))
        {
            argument = format!("{argument}_{}", parameter.location.name());
        }
        taken.insert(argument.clone());
        parameter.argument = argument;
    }
    all
}

/// What the addresses of next pages ask for besides the operation's own parameters, such as a cursor
/// that the document does not name.
pub(crate) fn rest() -> Value {
    json!({
        "name": "more",
        "in": "query",
        "description": "Only as `next` of an answer has it",
        "schema": { "type": "object", "additionalProperties": { "type": "string" } },
    })
}

/// The argument that is the request's body.
pub(crate) const BODY: &str = "body";

impl Location {
    fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query | Self::QueryString => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

impl Parameter {
    fn read(documents: &Documents, file: usize, written: &Value) -> Option<Self> {
        let text = |key: &str| written.get(key).and_then(Value::as_str);
        let flag = |key: &str| written.get(key).and_then(Value::as_bool);
        let location = match text("in")? {
            "path" => Location::Path,
            "query" => Location::Query,
            "querystring" => Location::QueryString,
            "header" => Location::Header,
            "cookie" => Location::Cookie,
            _ => return None,
        };
        let content = written.get("content").and_then(Value::as_object);
        let content = content.and_then(|content| content.iter().next());
        let (kind, file, schema) = match content {
            Some((kind, media)) => {
                let (file, media) = documents.meant(file, media)?;
                let schema = media.get("schema").cloned();
                (Some(kind.clone()), file, schema)
            }
            None => (None, file, written.get("schema").cloned()),
        };
        let style = Style::of(text("style"), location);
        let explode = flag("explode").unwrap_or(style.explodes());
        let schema = schema.unwrap_or(Value::Bool(true));
        let is_spread = match &kind {
            Some(kind) => is_form(kind),
            None => style == Style::Form && explode,
        };
        let brings_names = match location {
            Location::Query => is_spread && may_have_members(documents, file, &schema),
            Location::QueryString => true,
            Location::Path | Location::Header | Location::Cookie => false,
        };
        Some(Self {
            argument: String::new(),
            name: text("name")?.to_owned(),
            location,
            style,
            explode,
            brings_names,
            reserved: flag("allowReserved").unwrap_or(false),
            required: location == Location::Path || flag("required").unwrap_or(false),
            content: kind,
            file,
            schema,
            description: text("description").map(str::to_owned),
            deprecated: flag("deprecated").unwrap_or(false),
        })
    }

    /// Whether it is for the host to send, or for nobody, and not for scripts: what HTTP needs, what
    /// says which types are meant, what makes a request another one, and what the operator sets.
    fn is_ours(&self, is_set: &dyn Fn(&HeaderName) -> bool) -> bool {
        if self.location != Location::Header {
            return false;
        }
        let Ok(name) = self.name.parse::<HeaderName>() else {
            return true;
        };
        const OURS: [&str; 4] = ["accept", "authorization", "content-type", "cookie"];
        OURS.contains(&name.as_str()) || changes_request(&name) || is_set(&name)
    }

    /// Whether it is the one of a query that the server calls so.
    pub(crate) fn is_of_query(&self, name: &str) -> bool {
        let is_part = |rest: &str| self.style == Style::DeepObject && rest.starts_with('[');
        self.location == Location::Query
            && name
                .strip_prefix(&self.name)
                .is_some_and(|rest| rest.is_empty() || is_part(rest))
    }

    /// Whether its value is more than one text, in a call or by its schema.
    pub(crate) fn is_compound(&self, value: Option<&Value>) -> bool {
        let kind = self.schema.get("type").and_then(Value::as_str);
        self.content.is_some()
            || value.is_some_and(|value| value.is_array() || value.is_object())
            || matches!(kind, Some("array" | "object"))
    }

    /// The argument by what stands in a query.
    pub(crate) fn read_back(&self, text: &str) -> Value {
        let is = |kind: &str| match self.schema.get("type") {
            Some(Value::String(own)) => own == kind,
            Some(Value::Array(kinds)) => kinds.iter().any(|own| own == kind),
            _ => false,
        };
        let read = serde_json::from_str::<Value>(text).ok();
        let read = read.filter(|value| match value {
            Value::Number(number) => is("number") || (is("integer") && !number.is_f64()),
            Value::Bool(_) => is("boolean"),
            _ => false,
        });
        read.unwrap_or_else(|| text.into())
    }

    /// The schema of its argument.
    pub(crate) fn argument_schema(&self, schemas: &mut Schemas<'_>) -> Value {
        let mut schema = match schemas.of(Place {
            file: self.file,
            schema: &self.schema,
        }) {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        if let Some(said) = &self.description {
            schema.insert("description".to_owned(), said.as_str().into());
        }
        if self.deprecated {
            schema.insert("deprecated".to_owned(), true.into());
        }
        schema.into()
    }

    /// The value as it is sent.
    ///
    /// # Errors
    ///
    /// Why it can't be, in words that follow its name.
    pub(crate) fn write(&self, value: &Value) -> Result<StyledValue, String> {
        match &self.content {
            Some(kind) if is_form(kind) => style::write(&self.way(Style::Form, true), value),
            Some(_) => Ok(style::whole(
                &self.way(self.style, false),
                &value.to_string(),
            )),
            None => style::write(&self.way(self.style, self.explode), value),
        }
    }

    fn way(&self, style: Style, explode: bool) -> style::Way<'_> {
        style::Way {
            name: &self.name,
            style,
            explode,
            encoding: match (self.location, self.style) {
                (Location::Header, _) | (_, Style::Cookie) => Encoding::Nothing,
                (Location::Path, _) if self.reserved => Encoding::Path,
                _ if self.reserved => Encoding::Query,
                _ => Encoding::All,
            },
        }
    }
}

fn is_form(kind: &str) -> bool {
    kind.starts_with("application/x-www-form-urlencoded")
}

/// Whether values of a schema may be objects, as far as it says.
fn may_have_members(documents: &Documents, file: usize, schema: &Value) -> bool {
    let Some((_, meant)) = documents.meant(file, schema) else {
        return true;
    };
    match meant.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => meant.get("enum").is_none(),
    }
}

#[cfg(test)]
mod tests;
