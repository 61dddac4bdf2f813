//! What an operator chooses: `[audit]`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_fields::{ExpandedText, Headers, Quantity};
use ampoule_projection::names::{PatternText, ToolPattern};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::StrDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::Format;
use crate::arguments::{ArgumentForm, Arguments, Rule};
use crate::settings::{OnFailure, Settings};

/// The audit log: a record of all that Ampoule does. Without this table, nothing is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AuditConfig {
    /// The folder of the log. Default: `ampoule/audit` in the user's folder of data.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
    /// How long the log is stored: `90d`, `7y`, or `forever`. Default: `90d`.
    #[schemars(with = "String")]
    pub age: Option<Retention>,
    /// The size at which Ampoule begins another file; each day begins one, too. Default: `64MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub rotate: Option<u64>,
    /// Whether Ampoule refuses an action that it can't record, or does it anyway. Default: `stop`.
    pub on_failure: OnFailure,
    /// How the arguments of calls are written: as a `digest`, in `full`, or `redacted` (names
    /// without values); for all tools, or by tool. Default: `digest`.
    #[serde(deserialize_with = "arguments")]
    #[schemars(with = "ByTools")]
    pub arguments: Vec<Rule>,
    /// Targets that get events as they are written.
    pub export: Vec<Export>,
}

/// How long something is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// So long.
    For(Duration),
    /// For ever.
    Forever,
}

/// A target that gets events.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "ExportTable")]
#[schemars(with = "ExportTable")]
pub enum Export {
    /// `to = "file"`
    File {
        /// Which.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// `to = "otlp"`
    Otlp {
        /// The collector's address.
        endpoint: String,
        /// The headers of every request to it.
        headers: BTreeMap<String, String>,
    },
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, format } => f.debug_tuple("File").field(path).field(format).finish(),
            // Both may hold secrets.
            Self::Otlp { headers, .. } => {
                let names: Vec<&str> = headers.keys().map(String::as_str).collect();
                f.debug_tuple("Otlp").field(&names).finish()
            }
        }
    }
}

impl AuditConfig {
    /// How the log is written.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.rotate_bytes = self.rotate.unwrap_or(settings.rotate_bytes);
        settings.keep_for = match self.age {
            None => settings.keep_for,
            Some(Retention::For(time)) => Some(time),
            Some(Retention::Forever) => None,
        };
        settings.on_failure = self.on_failure;
        settings.arguments = Arguments {
            rules: self.arguments.clone(),
            otherwise: ArgumentForm::Digest,
        };
        settings
    }
}

/// Logs are kept for years, which no other duration of the configuration has.
impl<'de> Deserialize<'de> for Retention {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "forever" {
            return Ok(Self::Forever);
        }
        humantime::parse_duration(&text)
            .map(Self::For)
            .map_err(|_| {
                de::Error::custom(
                    "this is not a retention time; write it like `90d`, `7y` or `forever`",
                )
            })
    }
}

/// How arguments are written down, for all or by tools, in the order of the file: the first that fits
/// counts.
#[derive(Deserialize)]
#[serde(rename = "$ampoule::by-tools")]
struct ByTools(Rules);

struct Rules(Vec<Rule>);

fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Rule>, D::Error> {
    ByTools::deserialize(deserializer).map(|rules| rules.0.0)
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Rules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`digest`, `full` or `redacted`, or a table of these by tools")
            }

            fn visit_str<E: de::Error>(self, how: &str) -> Result<Rules, E> {
                let how = ArgumentForm::deserialize(StrDeserializer::new(how))?;
                let tools = ToolPattern::all();
                Ok(Rules(vec![Rule { tools, how }]))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Rules, A::Error> {
                let mut rules = Vec::new();
                while let Some((PatternText(tools), how)) = table.next_entry()? {
                    rules.push(Rule { tools, how });
                }
                Ok(Rules(rules))
            }
        }

        deserializer.deserialize_any(InOrder)
    }
}

impl JsonSchema for ByTools {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByTools".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let how = ArgumentForm::json_schema(generator);
        json_schema!({ "anyOf": [how, { "type": "object", "additionalProperties": how }] })
    }
}

/// A target that gets events, as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ExportTable {
    /// A file, or a collector of OpenTelemetry.
    to: To,
    /// The file.
    #[serde(default, deserialize_with = "ampoule_fields::path")]
    path: Option<PathBuf>,
    /// The format of the file. Default: `jsonl`.
    format: Option<Format>,
    /// The collector's address, such as `https://collector.example.com:4318`.
    #[schemars(with = "Option<String>")]
    endpoint: Option<ExpandedText>,
    /// Headers of every request to the collector.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    headers: Option<Headers>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum To {
    /// A file.
    File,
    /// A collector of OpenTelemetry.
    Otlp,
}

impl To {
    /// The keys that go with it.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::File => &["path", "format"],
            Self::Otlp => &["endpoint", "headers"],
        }
    }
}

impl TryFrom<ExportTable> for Export {
    type Error = String;

    fn try_from(written: ExportTable) -> Result<Self, String> {
        let there = [
            ("path", written.path.is_some()),
            ("format", written.format.is_some()),
            ("endpoint", written.endpoint.is_some()),
            ("headers", written.headers.is_some()),
        ];
        let theirs = written.to.keys();
        let is_anothers = |(key, is_there): &(&str, bool)| *is_there && !theirs.contains(key);
        if let Some((key, _)) = there.into_iter().find(is_anothers) {
            let theirs = theirs.join(" and ");
            return Err(format!(
                "the key `{key}` is not for this kind of target, which takes {theirs}"
            ));
        }
        Ok(match written.to {
            To::File => Self::File {
                path: written.path.ok_or("the key `path` is missing")?,
                format: written.format.unwrap_or(Format::JsonLines),
            },
            To::Otlp => Self::Otlp {
                endpoint: written
                    .endpoint
                    .map(ExpandedText::into_inner)
                    .ok_or("the key `endpoint` is missing")?,
                headers: (written.headers.into_iter())
                    .flat_map(Headers::into_inner)
                    .map(|(name, value)| (name, value.into_inner()))
                    .collect(),
            },
        })
    }
}
