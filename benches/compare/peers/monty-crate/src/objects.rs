//! JSON made into Monty's objects, and what a run gives back into JSON.

use std::fmt;

use monty_types::MontyObject;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

pub(crate) fn object_of(json: &str) -> Result<MontyObject, String> {
    let object: Object = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(object.0)
}

pub(crate) fn json_of(object: &MontyObject) -> Result<Value, String> {
    Ok(match object {
        MontyObject::None => Value::Null,
        MontyObject::Bool(value) => json!(value),
        MontyObject::Int(value) => json!(value),
        MontyObject::Float(value) => json!(value),
        MontyObject::String(value) => json!(value),
        MontyObject::List(values) | MontyObject::Tuple(values) => {
            Value::Array(values.iter().map(json_of).collect::<Result<_, _>>()?)
        }
        MontyObject::Dict(pairs) => {
            let pairs = pairs.into_iter().map(|(name, value)| match name {
                MontyObject::String(name) => Ok((name.clone(), json_of(value)?)),
                other => Err(format!("{other:?} is not a name")),
            });
            Value::Object(pairs.collect::<Result<Map<_, _>, _>>()?)
        }
        other => return Err(format!("{other:?} is not JSON")),
    })
}

struct Object(MontyObject);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = MontyObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<MontyObject, E> {
        Ok(MontyObject::None)
    }

    fn visit_bool<E>(self, value: bool) -> Result<MontyObject, E> {
        Ok(MontyObject::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<MontyObject, E> {
        Ok(MontyObject::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<MontyObject, E> {
        let value = i64::try_from(value).map_err(E::custom)?;
        Ok(MontyObject::Int(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<MontyObject, E> {
        Ok(MontyObject::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<MontyObject, E> {
        Ok(MontyObject::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<MontyObject, A::Error> {
        let mut list = Vec::new();
        while let Some(Object(value)) = values.next_element()? {
            list.push(value);
        }
        Ok(MontyObject::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<MontyObject, A::Error> {
        let mut pairs = Vec::new();
        while let Some((name, Object(value))) = entries.next_entry()? {
            pairs.push((MontyObject::String(name), value));
        }
        Ok(MontyObject::Dict(pairs.into()))
    }
}
