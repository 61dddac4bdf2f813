//! What an operation takes, as a JSON schema.

use std::collections::BTreeSet;

use apollo_compiler::ast::{FieldDefinition, InputValueDefinition, Type, Value as Literal};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Name, Node};
use serde_json::{Map, Value, json};

use crate::operations::cut;
use crate::schema::Schema;
use crate::selection;

/// How many types the arguments of one operation are described with. What is further away may be
/// anything.
const MAX_TYPES: usize = 200;

/// The schema of an operation's arguments.
pub(crate) fn schema(schema: &Schema, field: &FieldDefinition) -> Value {
    let mut input = Input {
        schema,
        named: BTreeSet::new(),
        open: Vec::new(),
    };
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for argument in &field.arguments {
        properties.insert(argument.name.to_string(), input.value(argument));
        if argument.is_required() {
            required.push(argument.name.as_str().into());
        }
    }
    if let Some(select) = selection::argument(schema, field) {
        properties.insert(select, selection::argument_schema(schema, field));
    }
    let definitions = input.definitions();
    let mut made = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if !definitions.is_empty() {
        made["$defs"] = definitions.into();
    }
    made
}

/// The same as far as search reads it: the arguments, and what they are directly made of.
pub(crate) fn outline(schema: &Schema, field: &FieldDefinition) -> Value {
    let described = |input: &Node<InputValueDefinition>| {
        let text = input.description.as_deref().map(cut);
        json!({ "description": text.unwrap_or_default() })
    };
    let arguments = field.arguments.iter().map(|argument| {
        let mut made = described(argument);
        let ty = schema.type_of(argument.ty.inner_named_type());
        if let Some(ExtendedType::InputObject(object)) = ty {
            let fields = object.fields.iter();
            let fields = fields.map(|(name, field)| (name.to_string(), described(&field.node)));
            made["properties"] = fields.collect::<Map<_, _>>().into();
        }
        (argument.name.to_string(), made)
    });
    json!({ "type": "object", "properties": arguments.collect::<Map<_, _>>() })
}

/// Types that arguments refer to, as they are met.
struct Input<'s> {
    schema: &'s Schema,
    named: BTreeSet<Name>,
    open: Vec<Name>,
}

impl Input<'_> {
    /// An argument, or a field of an input type.
    fn value(&mut self, input: &InputValueDefinition) -> Value {
        let mut made = self.ty(&input.ty);
        let default = input.default_value.as_ref().and_then(|it| json_of(it));
        let text = input.description.as_deref().map(cut);
        if default.is_none() && text.is_none() {
            return made;
        }
        if let Some(text) = text {
            // What is said of a scalar holds besides.
            let of_type = made["description"]
                .as_str()
                .map(|it| format!("{text} {it}"));
            made["description"] = of_type.unwrap_or(text).into();
        }
        if let Some(default) = default {
            made["default"] = default;
        }
        made
    }

    fn ty(&mut self, ty: &Type) -> Value {
        match ty {
            Type::NonNullNamed(name) => self.named(name),
            Type::Named(name) => nullable(self.named(name)),
            Type::NonNullList(item) => json!({ "type": "array", "items": self.ty(item) }),
            Type::List(item) => nullable(json!({ "type": "array", "items": self.ty(item) })),
        }
    }

    fn named(&mut self, name: &Name) -> Value {
        match self.schema.type_of(name) {
            Some(ExtendedType::Enum(_) | ExtendedType::InputObject(_)) => {
                if !self.named.contains(name) {
                    if self.named.len() == MAX_TYPES {
                        return json!({});
                    }
                    self.named.insert(name.clone());
                    self.open.push(name.clone());
                }
                json!({ "$ref": format!("#/$defs/{name}") })
            }
            Some(ExtendedType::Scalar(scalar)) if name == "ID" => {
                let _ = scalar;
                json!({ "type": ["string", "integer"] })
            }
            _ => scalar(self.schema, name),
        }
    }

    fn definitions(mut self) -> Map<String, Value> {
        let mut made = Map::new();
        while let Some(name) = self.open.pop() {
            let schema = match self.schema.type_of(&name) {
                Some(ExtendedType::Enum(it)) => enumeration(it),
                Some(ExtendedType::InputObject(object)) => {
                    let is_one_of = self.schema.is_one_of(&name);
                    let mut properties = Map::new();
                    let mut required: Vec<Value> = Vec::new();
                    for (name, field) in &object.fields {
                        let mut ty = field.node.as_ref().clone();
                        if is_one_of {
                            // Of these, one is given, and that is not null.
                            ty.ty = Node::new(ty.ty.as_ref().clone().non_null());
                        } else if field.is_required() {
                            required.push(name.as_str().into());
                        }
                        properties.insert(name.to_string(), self.value(&ty));
                    }
                    let mut made = json!({
                        "type": "object",
                        "properties": properties,
                        "required": required,
                        "additionalProperties": false,
                    });
                    let mut text = object.description.as_deref().map(cut).unwrap_or_default();
                    if is_one_of {
                        made["minProperties"] = 1.into();
                        made["maxProperties"] = 1.into();
                        text = format!("{text} Exactly one of these is given.")
                            .trim()
                            .to_owned();
                    }
                    if !text.is_empty() {
                        made["description"] = text.into();
                    }
                    made
                }
                _ => json!({}),
            };
            made.insert(name.to_string(), schema);
        }
        made
    }
}

/// An enum's values.
pub(crate) fn enumeration(of: &apollo_compiler::schema::EnumType) -> Value {
    let values: Vec<&str> = of.values.keys().map(Name::as_str).collect();
    let mut made = json!({ "type": "string", "enum": values });
    if let Some(text) = &of.description {
        made["description"] = cut(text).into();
    }
    made
}

/// A scalar. One that GraphQL does not know itself may be anything.
pub(crate) fn scalar(schema: &Schema, name: &Name) -> Value {
    match name.as_str() {
        "Int" => json!({ "type": "integer" }),
        "Float" => json!({ "type": "number" }),
        "String" | "ID" => json!({ "type": "string" }),
        "Boolean" => json!({ "type": "boolean" }),
        _ => {
            let known = schema.valid.get_scalar(name);
            let text = known.and_then(|it| it.description.as_deref().map(cut));
            let url = known.and_then(|it| {
                let directive = it.directives.get("specifiedBy")?;
                let url = directive.specified_argument_by_name("url")?.as_str()?;
                Some(ampoule_api::line(url))
            });
            let mut said = format!("A `{name}`.");
            for more in text.into_iter().chain(url) {
                said.push(' ');
                said.push_str(&more);
            }
            json!({ "description": said })
        }
    }
}

/// The same, or null.
pub(crate) fn nullable(mut schema: Value) -> Value {
    match schema.get("type") {
        Some(Value::String(ty)) if schema.get("enum").is_none() => {
            schema["type"] = json!([ty, "null"]);
            schema
        }
        Some(Value::Array(types)) => {
            let types = types.iter().cloned().chain(["null".into()]);
            schema["type"] = types.collect();
            schema
        }
        // Anything may be null.
        None if schema.get("$ref").is_none() => schema,
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// A literal as JSON.
fn json_of(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::Null => Value::Null,
        Literal::Enum(name) => name.as_str().into(),
        Literal::String(text) => text.as_str().into(),
        Literal::Boolean(value) => (*value).into(),
        Literal::Int(number) => serde_json::from_str(number.as_str()).ok()?,
        Literal::Float(number) => serde_json::from_str(number.as_str()).ok()?,
        Literal::List(items) => {
            let items = items.iter().map(|item| json_of(item));
            items.collect::<Option<Vec<_>>>()?.into()
        }
        Literal::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| Some((name.to_string(), json_of(value)?)));
            fields.collect::<Option<Map<_, _>>>()?.into()
        }
        Literal::Variable(_) => return None,
    })
}
