//! Documents that a type allows, and whether they come back from values of WIT as they were.

use std::cell::Cell;

use ampoule_projection::names::{Names, Style};
use ampoule_projection::types::{Bounds, Definition, Extra, Type};
use ampoule_projection::wit::{self, Package};
use ampoule_projection::{Interface, Tool};
use ampoule_values::{Answer, PackageValues as _};
use arbitrary::{Error, Result, Unstructured};
use serde_json::{Map, Number, Value, json};

use super::schemas::json as any_json;

/// How much memory a value may take, in bytes.
pub const ALLOWED: u64 = 64 << 20;

/// How deep generated documents nest before they get simple.
const DEPTH: usize = 12;

/// How many values a generated document has. Of a type that needs more, such as a tuple of several
/// of itself, there is none.
const MAX_VALUES: usize = 100_000;

/// What the documents of one tool are made by.
struct Making<'a> {
    interface: &'a Interface,
    left: Cell<usize>,
}

impl<'a> Making<'a> {
    fn of(interface: &'a Interface) -> Self {
        Self {
            interface,
            left: Cell::new(MAX_VALUES),
        }
    }
}

/// Panics unless a document of each tool's types comes back from values as it was.
pub fn assert_come_back(tools: &[Tool], u: &mut Unstructured<'_>) {
    let interface = Interface::of(tools);
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    let package = wit::package("server", &interface, &names);
    for (function, name) in interface.functions.iter().zip(names.identifiers()) {
        let signature = package
            .function(name)
            .unwrap_or_else(|| panic!("no {name} in\n{package}"));
        if let Ok(given) = document(&function.arguments.ty, &interface, u) {
            let values = package
                .parameters(signature, &given.to_string(), ALLOWED)
                .unwrap_or_else(|error| panic!("{error}\n{given}\n{package}"));
            let taken = package.arguments(signature, &values, ALLOWED).unwrap();
            assert_same(&given, &taken, &package);
        }
        if let Some(result) = &function.result
            && let Ok(given) = document(&result.ty, &interface, u)
        {
            let text = given.to_string();
            let value = package
                .result(signature, Answer::Structured(&text), ALLOWED)
                .unwrap_or_else(|error| panic!("{error}\n{given}\n{package}"));
            let taken = package.json_of_result(signature, &value).unwrap();
            assert_same(&given, &taken, &package);
        }
    }
}

fn assert_same(given: &Value, taken: &str, package: &Package) {
    let read: Value = serde_json::from_str(taken).unwrap();
    assert!(same(given, &read), "{given}\nbecame\n{read}\n{package}");
}

/// Whether two documents mean the same: the order of properties and the writing of numbers do not
/// matter, the sign of zero does.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, value)| b.get(name).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a == b,
        _ => a.as_f64().map(f64::to_bits) == b.as_f64().map(f64::to_bits),
    }
}

/// A document that a type allows, if it is not larger than tests have use for.
pub fn document(ty: &Type, interface: &Interface, u: &mut Unstructured<'_>) -> Result<Value> {
    made(ty, &Making::of(interface), 0, u)
}

/// A part of a document.
fn made(ty: &Type, making: &Making<'_>, depth: usize, u: &mut Unstructured<'_>) -> Result<Value> {
    let left = making.left.get().checked_sub(1);
    making.left.set(left.ok_or(Error::IncorrectFormat)?);
    let inside = |ty: &Type, u: &mut Unstructured<'_>| made(ty, making, depth + 1, u);
    let count = |u: &mut Unstructured<'_>| {
        if depth > DEPTH {
            Ok(0)
        } else {
            u.int_in_range(0..=3)
        }
    };
    if depth > 4 * DEPTH {
        // So deep, a type has met itself, and takes anything.
        return Ok(Value::Null);
    }
    Ok(match ty {
        Type::Any | Type::Never => any_json(u, 2)?,
        Type::Null => Value::Null,
        Type::Boolean => Value::Bool(u.arbitrary()?),
        Type::Integer(bounds) => integer(bounds, u)?,
        Type::Number => number(u)?,
        Type::String => Value::String(u.arbitrary()?),
        Type::Enum(values) => u.choose(&values.values)?.value.clone(),
        Type::Array(item) => {
            let items = 0..count(u)?;
            Value::Array(items.map(|_| inside(&item.ty, u)).collect::<Result<_>>()?)
        }
        Type::Tuple(tuple) => {
            let length = u.int_in_range(tuple.required..=tuple.items.len())?;
            let mut items = Vec::new();
            for item in &tuple.items[..length] {
                items.push(inside(&item.ty, u)?);
            }
            if let (true, Some(rest)) = (length == tuple.items.len(), &tuple.rest) {
                for _ in 0..count(u)? {
                    items.push(inside(rest, u)?);
                }
            }
            Value::Array(items)
        }
        Type::Record(record) => {
            let mut object = Map::new();
            for property in &record.properties {
                if property.required || (depth <= DEPTH && u.arbitrary()?) {
                    object.insert(property.name.clone(), inside(&property.value.ty, u)?);
                }
            }
            let extra = match &record.extra {
                Extra::Any => Some(&Type::Any),
                Extra::Of(ty) => Some(&**ty),
                Extra::Unstated | Extra::Closed => None,
            };
            if let Some(ty) = extra {
                for index in 0..count(u)? {
                    let name = format!("extra {index}");
                    if record
                        .properties
                        .iter()
                        .all(|property| property.name != name)
                    {
                        object.insert(name, inside(ty, u)?);
                    }
                }
            }
            Value::Object(object)
        }
        Type::Union(union) => inside(&u.choose(&union.variants)?.ty, u)?,
        Type::Nullable(_) if u.arbitrary()? => Value::Null,
        Type::Nullable(ty) => inside(ty, u)?,
        Type::Named(id) => {
            let Definition { value, .. } = making.interface.definition(*id);
            inside(&value.ty, u)?
        }
    })
}

fn integer(bounds: &Bounds, u: &mut Unstructured<'_>) -> Result<Value> {
    let unsigned = bounds.minimum.is_some_and(|minimum| minimum >= 0);
    let (low, high) = if unsigned && bounds.maximum.is_some_and(|most| most > i64::MAX.into()) {
        (0, i128::from(u64::MAX))
    } else {
        (i64::MIN.into(), i64::MAX.into())
    };
    let low = bounds.minimum.unwrap_or(low).clamp(low, high);
    let high = bounds.maximum.unwrap_or(high).clamp(low, high);
    let chosen = match u.int_in_range(0..=3)? {
        0 => low,
        1 => high,
        _ => u.int_in_range(low..=high)?,
    };
    Ok(Value::Number(Number::from_i128(chosen).unwrap()))
}

fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=4)? {
        0 => json!(-0.0),
        1 => json!(u.arbitrary::<i32>()?),
        2 => json!(9_007_199_254_740_992_u64),
        3 => json!(0.1),
        _ => json!(u.arbitrary::<f64>()?.clamp(-1e300, 1e300))
            .as_f64()
            .map_or(json!(1), Value::from),
    })
}
