//! How values are written into paths, queries, headers, cookies and forms: OpenAPI's styles.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::Location;

/// How deep an object may be nested that is written as `name[key][key]=value`.
const MAX_DEPTH: usize = 16;

/// A way to write a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Matrix,
    Label,
    Simple,
    Form,
    SpaceDelimited,
    PipeDelimited,
    /// Of Swagger 2.
    TabDelimited,
    DeepObject,
    /// A cookie as it is.
    Cookie,
}

/// How one value is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) name: &'a str,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) encoding: Encoding,
}

/// What is written as `%20` and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// All that may mean something.
    All,
    /// All but what queries may have as it is.
    Query,
    /// All but what paths may have as it is: a question mark would end the path.
    Path,
    /// Nothing: headers have values as they are.
    Nothing,
}

/// A value that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StyledValue {
    /// Pairs, encoded, such as of a query.
    Pairs(Vec<(String, String)>),
    /// A text that stands where its name stood, encoded.
    Text(String),
}

/// What is encoded in URLs and forms: all but what never means anything.
pub(crate) const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What is encoded in a query where what URLs have a meaning for may stand.
const OF_QUERY: &AsciiSet = &OF_PATH.remove(b'?');

/// The same in a path.
const OF_PATH: &AsciiSet = &ENCODED
    .remove(b':')
    .remove(b'/')
    .remove(b'[')
    .remove(b']')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');

impl Style {
    /// The style of this name, or the usual one of the place: also where the document names one that
    /// would put the value elsewhere, or write it without encoding it.
    pub(crate) fn of(name: Option<&str>, location: Location) -> Self {
        match (location, name) {
            (Location::Path, Some("matrix")) => Self::Matrix,
            (Location::Path, Some("label")) => Self::Label,
            (Location::Path | Location::Header, _) => Self::Simple,
            (Location::Cookie, Some("cookie")) => Self::Cookie,
            (Location::Cookie, _) => Self::Form,
            (_, Some("spaceDelimited")) => Self::SpaceDelimited,
            (_, Some("pipeDelimited")) => Self::PipeDelimited,
            (_, Some("tabDelimited")) => Self::TabDelimited,
            (_, Some("deepObject")) => Self::DeepObject,
            _ => Self::Form,
        }
    }

    /// Whether lists and objects are several values, unless the document says otherwise.
    pub(crate) fn explodes(self) -> bool {
        matches!(self, Self::Form | Self::Cookie | Self::DeepObject)
    }

    fn separator(self) -> &'static str {
        match self {
            Self::SpaceDelimited => "%20",
            Self::PipeDelimited => "%7C",
            Self::TabDelimited => "%09",
            _ => ",",
        }
    }
}

impl Way<'_> {
    fn encoded(&self, text: &str) -> String {
        let set = match self.encoding {
            Encoding::Nothing => return text.to_owned(),
            Encoding::Query => OF_QUERY,
            Encoding::Path => OF_PATH,
            Encoding::All => ENCODED,
        };
        utf8_percent_encode(text, set).to_string()
    }

    fn pair(&self, name: &str, value: &str) -> (String, String) {
        (self.encoded_name(name), self.encoded(value))
    }

    /// Names keep their brackets, which servers read as they are.
    fn encoded_name(&self, name: &str) -> String {
        match self.encoding {
            Encoding::Nothing => name.to_owned(),
            _ => utf8_percent_encode(name, NAME).to_string(),
        }
    }
}

const NAME: &AsciiSet = &ENCODED.remove(b'[').remove(b']').remove(b'$');

/// A value as one text.
pub(crate) fn whole(way: &Way<'_>, text: &str) -> StyledValue {
    let encoded = way.encoded(text);
    match way.style {
        Style::Matrix => StyledValue::Text(format!(";{}={encoded}", way.encoded_name(way.name))),
        Style::Label => StyledValue::Text(format!(".{encoded}")),
        Style::Simple => StyledValue::Text(encoded),
        _ => StyledValue::Pairs(vec![(way.encoded_name(way.name), encoded)]),
    }
}

/// A value in its style.
///
/// # Errors
///
/// Why it has none, in words that follow the parameter's name.
pub(crate) fn write(way: &Way<'_>, value: &Value) -> Result<StyledValue, String> {
    match way.style {
        Style::Simple | Style::Label | Style::Matrix => text(way, value).map(StyledValue::Text),
        _ => pairs(way, value).map(StyledValue::Pairs),
    }
}

/// A value that is one text.
pub(crate) fn primitive(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// The same of a value within a list or an object, where another list or object is JSON.
fn inner(value: &Value) -> String {
    primitive(value).unwrap_or_else(|| value.to_string())
}

fn pairs(way: &Way<'_>, value: &Value) -> Result<Vec<(String, String)>, String> {
    if way.style == Style::DeepObject {
        let mut pairs = Vec::new();
        deep(way, way.name.to_owned(), value, &mut pairs)?;
        return Ok(pairs);
    }
    let joined = |texts: Vec<String>| {
        let texts: Vec<String> = texts.iter().map(|text| way.encoded(text)).collect();
        vec![(
            way.encoded_name(way.name),
            texts.join(way.style.separator()),
        )]
    };
    Ok(match value {
        Value::Array(items) if way.explode => {
            let items = items.iter();
            items.map(|item| way.pair(way.name, &inner(item))).collect()
        }
        // A list of nothing is not there.
        Value::Array(items) if items.is_empty() => Vec::new(),
        Value::Array(items) => joined(items.iter().map(inner).collect()),
        Value::Object(members) if way.explode => {
            let members = members.iter();
            members
                .map(|(name, value)| way.pair(name, &inner(value)))
                .collect()
        }
        Value::Object(members) if members.is_empty() => Vec::new(),
        Value::Object(members) => {
            let texts = members
                .iter()
                .flat_map(|(name, value)| [name.clone(), inner(value)]);
            joined(texts.collect())
        }
        value => vec![way.pair(way.name, &inner(value))],
    })
}

/// `name[key]=value`, and `name[0]=value` for lists, as far as it is nested.
fn deep(
    way: &Way<'_>,
    name: String,
    value: &Value,
    pairs: &mut Vec<(String, String)>,
) -> Result<(), String> {
    if name.matches('[').count() > MAX_DEPTH {
        return Err(format!("is nested more than {MAX_DEPTH} levels deep"));
    }
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                deep(way, format!("{name}[{key}]"), value, pairs)?;
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                deep(way, format!("{name}[{place}]"), value, pairs)?;
            }
        }
        value => pairs.push(way.pair(&name, &inner(value))),
    }
    Ok(())
}

/// A value of a path or a header.
fn text(way: &Way<'_>, value: &Value) -> Result<String, String> {
    let encoded = |value: &Value| way.encoded(&inner(value));
    let members = |between: &str| {
        let members = value.as_object().into_iter().flatten();
        let members = members
            .map(|(name, value)| format!("{}{between}{}", way.encoded(name), encoded(value)));
        members.collect::<Vec<_>>()
    };
    let items = || {
        value
            .as_array()
            .into_iter()
            .flatten()
            .map(encoded)
            .collect::<Vec<_>>()
    };
    let name = way.encoded_name(way.name);
    let (is_list, is_object) = (value.is_array(), value.is_object());
    Ok(match (way.style, way.explode) {
        (Style::Label, false) if is_list => format!(".{}", items().join(",")),
        (Style::Label, true) if is_list => format!(".{}", items().join(".")),
        (Style::Label, false) if is_object => format!(".{}", members(",").join(",")),
        (Style::Label, true) if is_object => format!(".{}", members("=").join(".")),
        (Style::Label, _) => format!(".{}", encoded(value)),
        (Style::Matrix, false) if is_list => format!(";{name}={}", items().join(",")),
        (Style::Matrix, true) if is_list => {
            let each = items().into_iter().map(|item| format!(";{name}={item}"));
            each.collect()
        }
        (Style::Matrix, false) if is_object => format!(";{name}={}", members(",").join(",")),
        (Style::Matrix, true) if is_object => {
            let each = members("=").into_iter().map(|member| format!(";{member}"));
            each.collect()
        }
        (Style::Matrix, _) => format!(";{name}={}", encoded(value)),
        (_, _) if is_list => items().join(","),
        (_, false) if is_object => members(",").join(","),
        (_, true) if is_object => members("=").join(","),
        _ => encoded(value),
    })
}
