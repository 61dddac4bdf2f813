//! A schema's types → shapes.

use ampoule_projection::types::{Definition, DefinitionId, Enum, Extra, Tuple, Type};
use ampoule_projection::{Interface, Tool, types};
use serde_json::Value;

use super::{Attribute, Record, Shape, ShapeError};

/// How deep shapes nest. What is deeper has none.
const MAX_DEPTH: usize = 16;
/// How many shapes one tool's arguments may have in all. What several places refer to is there once
/// for each, so without a limit a short schema has endless shapes.
const MAX_SHAPES: usize = 2_000;

/// The shape of a tool's arguments; empty, and why, if they have none.
pub(crate) fn arguments_of(tool: &Tool) -> (Record, Option<ShapeError>) {
    // Of a result nothing is read.
    let tool = Tool {
        output_schema: None,
        ..tool.clone()
    };
    let interface = Interface::of([&tool]);
    let mut lowering = Lowering {
        definitions: &interface.definitions,
        inside: Vec::new(),
        depth: 0,
        left: MAX_SHAPES,
    };
    let [function] = interface.functions.as_slice() else {
        return (Record::new(), Some(ShapeError::Any));
    };
    match lowering.shape(&function.arguments.ty) {
        Ok(Shape::Record(record)) => (record, None),
        Ok(_) => (Record::new(), Some(ShapeError::Any)),
        Err(why) => (Record::new(), Some(why)),
    }
}

struct Lowering<'d> {
    definitions: &'d [Definition],
    /// The definitions that are being read, from the outermost in.
    inside: Vec<DefinitionId>,
    depth: usize,
    left: usize,
}

impl Lowering<'_> {
    fn shape(&mut self, ty: &Type) -> Result<Shape, ShapeError> {
        if self.depth == MAX_DEPTH || self.left == 0 {
            return Err(ShapeError::Large);
        }
        self.left -= 1;
        self.depth += 1;
        let shape = self.read(ty);
        self.depth -= 1;
        shape
    }

    fn read(&mut self, ty: &Type) -> Result<Shape, ShapeError> {
        match ty {
            Type::Any => Err(ShapeError::Any),
            Type::Never | Type::Null => Err(ShapeError::Nothing),
            Type::Boolean => Ok(Shape::Bool),
            Type::Integer(_) => Ok(Shape::Long),
            Type::Number => Ok(Shape::Decimal),
            Type::String => Ok(Shape::String),
            Type::Enum(values) => of_values(values),
            Type::Array(item) => self.items([&item.ty]),
            Type::Tuple(Tuple { items, rest, .. }) => {
                let items = items.iter().map(|item| &item.ty);
                self.items(items.chain(rest.as_deref()))
            }
            Type::Record(record) => self.record(record),
            Type::Union(union) => self.any_of(union.variants.iter().map(|variant| &variant.ty)),
            Type::Nullable(inner) => self.shape(inner),
            Type::Named(id) if self.inside.contains(id) => Err(ShapeError::Recursive),
            Type::Named(id) => {
                self.inside.push(*id);
                let shape = self.shape(&self.definitions[id.0].value.ty);
                self.inside.pop();
                shape
            }
        }
    }

    fn record(&mut self, record: &types::Record) -> Result<Shape, ShapeError> {
        if record.properties.is_empty() && record.extra != Extra::Closed {
            return Err(ShapeError::Map);
        }
        let mut attributes = Record::new();
        for property in &record.properties {
            let ty = &property.value.ty;
            let attribute = Attribute {
                shape: self.shape(ty),
                required: property.required && !self.may_be_null(ty),
            };
            attributes.insert(property.name.clone(), attribute);
        }
        Ok(Shape::Record(attributes))
    }

    fn items<'t>(
        &mut self,
        items: impl IntoIterator<Item = &'t Type>,
    ) -> Result<Shape, ShapeError> {
        let mut shape: Option<Shape> = None;
        for item in items {
            if self.may_be_null(item) {
                return Err(ShapeError::Items);
            }
            let item = self.shape(item)?;
            match shape {
                Some(ref others) if *others != item => return Err(ShapeError::Items),
                _ => shape = Some(item),
            }
        }
        let item = shape.ok_or(ShapeError::Items)?;
        Ok(Shape::Set(Box::new(item)))
    }

    fn any_of<'t>(&mut self, types: impl Iterator<Item = &'t Type>) -> Result<Shape, ShapeError> {
        let mut shape: Option<Shape> = None;
        for ty in types {
            let one = self.shape(ty)?;
            shape = Some(match shape {
                Some(others) => others.either(one)?,
                None => one,
            });
        }
        shape.ok_or(ShapeError::Nothing)
    }

    fn may_be_null(&self, ty: &Type) -> bool {
        match ty {
            Type::Null | Type::Nullable(_) | Type::Any => true,
            // Never a name for a name, nor a union of what may be null.
            Type::Named(id) => {
                let ty = &self.definitions[id.0].value.ty;
                matches!(ty, Type::Null | Type::Nullable(_) | Type::Any)
            }
            _ => false,
        }
    }
}

fn of_values(values: &Enum) -> Result<Shape, ShapeError> {
    let values = || values.values.iter().map(|one| &one.value);
    let integer = |value: &Value| value.is_i64() || value.is_u64();
    let all = |is: fn(&Value) -> bool| values().all(is);
    match () {
        () if all(Value::is_string) => Ok(Shape::String),
        () if all(Value::is_boolean) => Ok(Shape::Bool),
        () if values().all(integer) => Ok(Shape::Long),
        () if all(Value::is_number) => Ok(Shape::Decimal),
        () => Err(ShapeError::Union),
    }
}
