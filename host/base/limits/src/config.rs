//! `[limits]` and `[ceilings]`, as they are read.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::quantity::{self, Quantity};
use crate::{Limit, Limits, LimitsConfig};

impl<'de> Deserialize<'de> for LimitsConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("LimitsConfig", Limit::NAMES, Table)
    }
}

struct Table;

impl<'de> Visitor<'de> for Table {
    type Value = LimitsConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of limits")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<LimitsConfig, A::Error> {
        let mut limits = LimitsConfig::default();
        while let Some(Key(limit)) = table.next_key()? {
            let into = &mut limits;
            table.next_value_seed(Value { limit, into })?;
        }
        Ok(limits)
    }
}

struct Key(Limit);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let limit = Limit::ALL.into_iter().find(|limit| limit.name() == name);
        let unknown = || D::Error::unknown_field(&name, Limit::NAMES);
        limit.map(Self).ok_or_else(unknown)
    }
}

/// The value of a limit, and where it goes.
struct Value<'a> {
    limit: Limit,
    into: &'a mut LimitsConfig,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        quantity::read(deserializer, |text| self.into.read(self.limit, text))
    }
}

impl JsonSchema for LimitsConfig {
    fn schema_name() -> Cow<'static, str> {
        "LimitsConfig".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (defaults, ceilings) = (Limits::default(), Limits::default_ceilings());
        table(generator, |limit| {
            let shown = |limits| limit.shown(limit.of(limits));
            let (default, ceiling) = (shown(&defaults), shown(&ceilings));
            // The engine's own stack is made for that one.
            let unless = match limit {
                Limit::Stack => "",
                _ => ", unless `[ceilings]` says otherwise",
            };
            let summary = limit.summary();
            format!("{summary} At most {ceiling}{unless}. Default: {default}.")
        })
    }
}

/// The schema of `[ceilings]`, whose values are [`LimitsConfig`]. No value has this type.
#[derive(Debug)]
pub struct Ceilings;

impl JsonSchema for Ceilings {
    fn schema_name() -> Cow<'static, str> {
        "Ceilings".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let ceilings = Limits::default_ceilings();
        table(generator, |limit| {
            let ceiling = limit.shown(limit.of(&ceilings));
            format!("The most `{limit}` that a run may ask for. Default: {ceiling}.")
        })
    }
}

/// A table that has each limit, described so.
fn table(generator: &mut SchemaGenerator, describe: impl Fn(Limit) -> String) -> Schema {
    let mut schema = json_schema!({ "type": "object", "additionalProperties": false });
    let limits = Limit::ALL.into_iter().map(|limit| {
        let mut value = generator.subschema_for::<Quantity>();
        value.insert("description".to_owned(), describe(limit).into());
        (limit.name().to_owned(), value.to_value())
    });
    schema.insert("properties".to_owned(), limits.collect());
    schema
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn limits_are_read_by_their_names() {
        let text = r#"{ "calls": 5, "memory": "1 MiB", "wall-time": "2m" }"#;
        let read: LimitsConfig = serde_json::from_str(text).unwrap();
        let expected = LimitsConfig {
            calls: Some(5),
            memory_bytes: Some(1 << 20),
            wall_time: Some(Duration::from_secs(120)),
            ..LimitsConfig::default()
        };
        assert_eq!(read, expected);
        let why = |text| {
            serde_json::from_str::<LimitsConfig>(text)
                .unwrap_err()
                .to_string()
        };
        assert!(why(r#"{ "cals": 5 }"#).contains("unknown field `cals`"));
        assert!(why(r#"{ "calls": "many" }"#).contains("not a whole number"));
    }

    #[test]
    fn schemas_say_what_a_limit_is_its_default_and_its_ceiling() {
        let said = |schema: &Schema, limit: &str| {
            let property = &schema.as_value()["properties"][limit];
            assert_eq!(property["type"], serde_json::json!(["integer", "string"]));
            property["description"].as_str().unwrap().to_owned()
        };
        let limits = schemars::schema_for!(LimitsConfig);
        assert_eq!(
            said(&limits, "calls"),
            "Tool calls in all. At most 1 million, unless `[ceilings]` says otherwise. Default: 10,000."
        );
        assert!(said(&limits, "fuel").ends_with("Default: 20 billion."));
        assert!(said(&limits, "stack").ends_with("At most 256 KiB. Default: 256 KiB."));
        let ceilings = schemars::schema_for!(Ceilings);
        assert_eq!(
            said(&ceilings, "wall-time"),
            "The most `wall-time` that a run may ask for. Default: 10 min."
        );
    }
}
