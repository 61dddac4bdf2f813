//! The body of a request: which media type it has, what scripts give for it, and how it is written.
//!
//! - `forms`: forms, as one text and in parts; `files`: what is sent as bytes

mod files;
mod forms;

use ampoule_api::{essence, is_json, is_text};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::document::Documents;
use crate::schema::{Place, Schemas};

/// How many parts of one body search looks at.
const MAX_OUTLINED: usize = 32;

/// The body that an operation takes.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// The media type, as the document has it.
    kind: String,
    form: Form,
    pub(crate) required: bool,
    file: usize,
    schema: Value,
    encoding: Map<String, Value>,
    description: Option<String>,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Json,
    UrlEncoded,
    Multipart,
    Text,
    Bytes,
}

/// A body that was written, and its media type.
#[derive(Debug)]
pub(crate) struct EncodedBody {
    pub(crate) kind: String,
    pub(crate) bytes: Bytes,
}

impl Form {
    fn of(kind: &str, schema: &Value) -> Self {
        let kind = essence(kind);
        let is_binary = files::is_file(schema);
        match kind.as_str() {
            "application/x-www-form-urlencoded" => Self::UrlEncoded,
            _ if kind.starts_with("multipart/") => Self::Multipart,
            _ if is_json(&kind) && !is_binary => Self::Json,
            "*/*" | "application/*" if !is_binary && schema.is_object() => Self::Json,
            _ if is_text(&kind) => Self::Text,
            _ => Self::Bytes,
        }
    }
}

impl Body {
    /// What an operation takes, if it takes a body: of several media types, what scripts write best.
    pub(crate) fn of(
        documents: &Documents,
        file: usize,
        operation: &Map<String, Value>,
    ) -> Option<Self> {
        let (file, body) = documents.meant(file, operation.get("requestBody")?)?;
        let kinds = body.get("content")?.as_object()?;
        let read = |(kind, media): (&String, &Value)| {
            let (file, media) = documents.meant(file, media)?;
            let schema = media.get("schema").cloned().unwrap_or(Value::Null);
            let (_, meant) = documents.meant(file, &schema).unwrap_or_default();
            let form = Form::of(kind, &meant);
            let encoding = media.get("encoding").and_then(Value::as_object);
            let encoding = encoding.cloned().unwrap_or_default();
            Some((kind.clone(), form, file, schema, encoding))
        };
        let all = kinds.iter().filter_map(read);
        let (kind, form, file, schema, encoding) = all.min_by_key(|(_, form, ..)| *form)?;
        Some(Self {
            kind,
            form,
            required: body
                .get("required")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            file,
            schema,
            encoding,
            description: body
                .get("description")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    }

    /// The schema of the argument.
    pub(crate) fn argument_schema(
        &self,
        documents: &Documents,
        schemas: &mut Schemas<'_>,
    ) -> Value {
        let schema = match self.form {
            Form::Json | Form::UrlEncoded if self.schema.is_null() => json!({}),
            Form::Json | Form::UrlEncoded => schemas.of(self.place()),
            Form::Multipart => forms::schema(documents, self.place(), schemas),
            Form::Text => json!({ "type": "string" }),
            Form::Bytes => files::schema(),
        };
        let Value::Object(mut schema) = schema else {
            return schema;
        };
        let kind = match self.form {
            Form::Json => None,
            _ => Some(format!("Sent as {}.", essence(&self.kind))),
        };
        let said: Vec<&str> = self
            .description
            .iter()
            .chain(&kind)
            .map(String::as_str)
            .collect();
        if !said.is_empty() {
            schema.insert("description".to_owned(), said.join(" ").into());
        }
        schema.into()
    }

    /// The same as far as search reads it: what is directly in the body.
    pub(crate) fn outline(&self, documents: &Documents) -> Value {
        let mut properties = Map::new();
        let mut open = vec![(self.file, self.schema.clone())];
        let mut room = MAX_OUTLINED;
        while let Some((file, schema)) = open.pop() {
            let Some((file, meant)) = documents.meant(file, &schema) else {
                continue;
            };
            let members = meant.get("properties").and_then(Value::as_object);
            for (name, property) in members.into_iter().flatten() {
                let Some((_, property)) = documents.meant(file, property) else {
                    continue;
                };
                let kept = ["description", "enum"].into_iter();
                let kept =
                    kept.filter_map(|key| Some((key.to_owned(), property.get(key)?.clone())));
                properties.insert(name.clone(), kept.collect::<Map<_, _>>().into());
            }
            let parts = meant.get("allOf").and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                if room > 0 {
                    room -= 1;
                    open.push((file, part.clone()));
                }
            }
        }
        json!({ "description": self.description, "properties": properties })
    }

    fn place(&self) -> Place<'_> {
        Place {
            file: self.file,
            schema: &self.schema,
        }
    }

    /// The body for an argument.
    ///
    /// # Errors
    ///
    /// Why it can't be sent, as a sentence.
    pub(crate) fn write(
        &self,
        documents: &Documents,
        value: &Value,
    ) -> Result<EncodedBody, String> {
        let kind = match self.kind.contains('*') {
            false => self.kind.clone(),
            true => match self.form {
                Form::Json => "application/json",
                Form::Text => "text/plain",
                _ => "application/octet-stream",
            }
            .to_owned(),
        };
        let (kind, bytes) = match self.form {
            Form::Json => (kind, value.to_string().into()),
            Form::UrlEncoded => (kind, forms::url_encoded(&self.encoding, value)?.into()),
            Form::Multipart => {
                forms::multipart(documents, self.place(), &self.encoding, &kind, value)?
            }
            Form::Text => (kind, value.as_str().unwrap_or_default().to_owned().into()),
            Form::Bytes => {
                let file = files::File::of(value)?;
                (file.kind.unwrap_or(kind), file.bytes)
            }
        };
        Ok(EncodedBody { kind, bytes })
    }
}

#[cfg(test)]
mod tests;
