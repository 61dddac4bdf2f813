//! `[limits]` and `[ceilings]`, as they are read.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::quantity::{self, Quantity};
use crate::{Limit, LimitsConfig};

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
        let mut schema = json_schema!({ "type": "object", "additionalProperties": false });
        let value = generator.subschema_for::<Quantity>();
        let limits = Limit::NAMES.iter();
        let limits = limits.map(|name| ((*name).to_owned(), value.clone().to_value()));
        schema.insert("properties".to_owned(), limits.collect());
        schema
    }
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
}
