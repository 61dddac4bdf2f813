//! Forms: as one text, or in parts.

use bytes::{BufMut as _, Bytes, BytesMut};
use serde_json::{Map, Value, json};

use super::files::{self, File};
use crate::document::Documents;
use crate::parameters::Location;
use crate::parameters::style::{self, Encoding, Style, StyledValue, Way, primitive};
use crate::schema::{Place, Schemas};

/// A form as one text.
pub(super) fn url_encoded(encoding: &Map<String, Value>, value: &Value) -> Result<String, String> {
    let mut pairs = Vec::new();
    for (name, value) in fields(value)? {
        let said = encoding.get(name);
        let kind = said.and_then(|it| it.get("contentType")?.as_str());
        let named = said.and_then(|it| it.get("style")?.as_str());
        let style = Style::of(named, Location::Query);
        let explode = said.and_then(|it| it.get("explode")?.as_bool());
        let way = Way {
            name,
            style,
            explode: explode.unwrap_or(style.explodes()),
            encoding: Encoding::All,
        };
        let is_json = kind.is_some_and(ampoule_api::is_json)
            || (value.is_object() && named.is_none() && explode.is_none());
        let written = match is_json {
            true => style::whole(&way, &value.to_string()),
            false => style::write(&way, value).map_err(|why| format!("`{name}` {why}"))?,
        };
        match written {
            StyledValue::Pairs(written) => pairs.extend(written),
            StyledValue::Text(text) => pairs.push((name.to_owned(), text)),
        }
    }
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={value}"));
    Ok(pairs.collect::<Vec<_>>().join("&"))
}

fn fields(value: &Value) -> Result<impl Iterator<Item = (&str, &Value)>, String> {
    let fields = value
        .as_object()
        .ok_or("the body is a form, so it must be an object")?;
    // What is null is not there: a form has no way to say it.
    let fields = fields.iter().filter(|(_, value)| !value.is_null());
    Ok(fields.map(|(name, value)| (name.as_str(), value)))
}

/// The schema of a form in parts, in which files may be given as bytes.
pub(super) fn schema(documents: &Documents, place: Place<'_>, schemas: &mut Schemas<'_>) -> Value {
    let Some((file, meant)) = documents.meant(place.file, place.schema) else {
        return json!({ "type": "object" });
    };
    let mut schema = schemas.of(Place {
        file,
        schema: &meant,
    });
    let properties = meant.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(written) =
            schema.pointer_mut(&format!("/properties/{}", crate::document::escaped(name)))
        else {
            continue;
        };
        let said = written.get("description").cloned();
        match kind_of(documents, file, property) {
            Kind::File => *written = files::schema(),
            Kind::Files => *written = json!({ "type": "array", "items": files::schema() }),
            Kind::Other => continue,
        }
        if let (Some(said), Some(written)) = (said, written.as_object_mut()) {
            written.insert("description".to_owned(), said);
        }
    }
    schema
}

/// What a part is.
enum Kind {
    File,
    Files,
    Other,
}

fn kind_of(documents: &Documents, file: usize, property: &Value) -> Kind {
    let Some((file, meant)) = documents.meant(file, property) else {
        return Kind::Other;
    };
    if files::is_file(&meant) {
        return Kind::File;
    }
    let items = meant
        .get("items")
        .and_then(|items| documents.meant(file, items));
    match items.is_some_and(|(_, items)| files::is_file(&items)) {
        true => Kind::Files,
        false => Kind::Other,
    }
}

/// A form in parts, and its media type with the boundary.
pub(super) fn multipart(
    documents: &Documents,
    place: Place<'_>,
    encoding: &Map<String, Value>,
    kind: &str,
    value: &Value,
) -> Result<(String, Bytes), String> {
    let meant = documents.meant(place.file, place.schema);
    let (file, schema) = meant.unwrap_or_default();
    let boundary = boundary();
    let mut body = BytesMut::new();
    for (name, value) in fields(value)? {
        let property = schema.get("properties").and_then(|it| it.get(name));
        let part = property.map_or(Kind::Other, |property| kind_of(documents, file, property));
        let said = encoding
            .get(name)
            .and_then(|it| it.get("contentType")?.as_str());
        // One type of several is the file's own to say.
        let said = said.filter(|said| !said.contains([',', '*']));
        let values = match value {
            Value::Array(items) => items.iter().collect(),
            value => vec![value],
        };
        for value in values {
            let part = match part {
                Kind::File | Kind::Files => {
                    let file = File::of(value).map_err(|why| format!("`{name}`: {why}"))?;
                    Part {
                        kind: file.kind.or_else(|| said.map(str::to_owned)),
                        name: Some(file.name.unwrap_or_else(|| name.to_owned())),
                        bytes: file.bytes,
                    }
                }
                Kind::Other => Part::plain(value, said),
            };
            part.write(name, &boundary, &mut body)?;
        }
    }
    body.put(format!("--{boundary}--\r\n").as_bytes());
    let kind = ampoule_api::essence(kind);
    Ok((format!("{kind}; boundary={boundary}"), body.freeze()))
}

/// A part of a form.
struct Part {
    kind: Option<String>,
    name: Option<String>,
    bytes: Bytes,
}

impl Part {
    /// A text, or JSON where it is none.
    fn plain(value: &Value, said: Option<&str>) -> Self {
        let text = primitive(value).filter(|_| !said.is_some_and(ampoule_api::is_json));
        let kind = said.map(str::to_owned);
        Self {
            kind: match text {
                Some(_) => kind,
                None => kind.or_else(|| Some("application/json".to_owned())),
            },
            name: None,
            bytes: text.unwrap_or_else(|| value.to_string()).into(),
        }
    }

    fn write(self, field: &str, boundary: &str, body: &mut BytesMut) -> Result<(), String> {
        // As browsers write names.
        let quoted = |name: &str| {
            name.replace('"', "%22")
                .replace('\r', "%0D")
                .replace('\n', "%0A")
        };
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(field)
        );
        if let Some(name) = &self.name {
            head += &format!("; filename=\"{}\"", quoted(name));
        }
        head += "\r\n";
        let kind = self
            .kind
            .or_else(|| self.name.map(|_| "application/octet-stream".to_owned()));
        if let Some(kind) = kind {
            if kind.contains(|c: char| c.is_control()) {
                return Err(format!("`{field}` has a media type that can't be sent"));
            }
            head += &format!("Content-Type: {kind}\r\n");
        }
        body.put(head.as_bytes());
        body.put(&b"\r\n"[..]);
        body.put(self.bytes);
        body.put(&b"\r\n"[..]);
        Ok(())
    }
}

/// What no part has in it.
fn boundary() -> String {
    let random = || getrandom::u64().unwrap_or_default();
    format!("ampoule-{:016x}{:016x}", random(), random())
}
