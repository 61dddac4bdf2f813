//! A value as an expression in Rust, of the types that `wit-bindgen` makes of a package.

use ampoule_projection::wit::{Body, Package, Shape};
use wasmtime::component::Val;

/// Expressions over the types of a package.
pub(super) struct Expression<'a> {
    package: &'a Package,
    /// The module that has the types.
    module: &'a str,
}

impl<'a> Expression<'a> {
    pub(super) fn new(package: &'a Package, module: &'a str) -> Self {
        Self { package, module }
    }

    /// The expression, its lines after the first indented by so many steps. None for a value that
    /// is not of that shape.
    pub(super) fn of(&self, shape: &Shape, value: &Val, indent: usize) -> Option<String> {
        Some(match (shape, value) {
            (Shape::Declared(place), value) => self.declared(*place, value, indent)?,
            (_, Val::Bool(value)) => value.to_string(),
            (_, Val::S64(value)) => value.to_string(),
            (_, Val::U64(value)) => value.to_string(),
            (_, Val::Float64(value)) => format!("{value:?}"),
            (_, Val::String(text)) => format!("{text:?}.to_owned()"),
            (Shape::List(item), Val::List(values)) => {
                let items = self.each(std::iter::repeat(&**item), values, indent)?;
                format!("vec![{items}]")
            }
            (Shape::Tuple(items), Val::Tuple(values)) => {
                let comma = if items.len() == 1 { "," } else { "" };
                format!("({}{comma})", self.each(items, values, indent)?)
            }
            (Shape::Map(item), Val::List(pairs)) => {
                let pairs = pairs.iter().map(|pair| self.pair(item, pair, indent));
                format!("vec![{}]", pairs.collect::<Option<Vec<_>>>()?.join(", "))
            }
            (Shape::Nullable(_), Val::Option(None)) => "None".to_owned(),
            (Shape::Nullable(inner), Val::Option(Some(value))) => {
                format!("Some({})", self.of(inner, value, indent)?)
            }
            _ => return None,
        })
    }

    fn declared(&self, place: usize, value: &Val, indent: usize) -> Option<String> {
        let declaration = self.package.declaration(place);
        let name = format!("{}::{}", self.module, type_name(&declaration.name));
        Some(match (&declaration.body, value) {
            (Body::Alias(shape), value) => self.of(shape, value, indent)?,
            (Body::Record { fields, others, .. }, Val::Record(values)) => {
                let line_start = "    ".repeat(indent + 1);
                let mut text = format!("{name} {{\n");
                for (given, value) in values {
                    let value = match fields.iter().find(|field| field.name == *given) {
                        Some(field) if field.required => {
                            self.of(&field.shape, value, indent + 1)?
                        }
                        Some(field) => self.optional(&field.shape, value, indent + 1)?,
                        None => match (others, value) {
                            (Some(others), Val::List(pairs)) => {
                                let shape = &others.shape;
                                let pairs =
                                    pairs.iter().map(|pair| self.pair(shape, pair, indent + 1));
                                format!("vec![{}]", pairs.collect::<Option<Vec<_>>>()?.join(", "))
                            }
                            _ => return None,
                        },
                    };
                    text += &format!("{line_start}{}: {value},\n", function(given));
                }
                text + &"    ".repeat(indent) + "}"
            }
            (Body::Variant(cases), Val::Variant(given, Some(value))) => {
                let case = cases.iter().find(|case| case.name == *given)?;
                let value = self.of(&case.shape, value, indent)?;
                format!("{name}::{}({value})", type_name(given))
            }
            (Body::Enum(_), Val::Enum(given)) => format!("{name}::{}", type_name(given)),
            _ => return None,
        })
    }

    fn optional(&self, shape: &Shape, value: &Val, indent: usize) -> Option<String> {
        match value {
            Val::Option(None) => Some("None".to_owned()),
            Val::Option(Some(value)) => Some(format!("Some({})", self.of(shape, value, indent)?)),
            _ => None,
        }
    }

    fn pair(&self, shape: &Shape, pair: &Val, indent: usize) -> Option<String> {
        match pair {
            Val::Tuple(pair) => match pair.as_slice() {
                [Val::String(key), value] => {
                    let value = self.of(shape, value, indent)?;
                    Some(format!("({key:?}.to_owned(), {value})"))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The values, each of the shape at its place.
    fn each<'b>(
        &self,
        shapes: impl IntoIterator<Item = &'b Shape>,
        values: &[Val],
        indent: usize,
    ) -> Option<String> {
        let items: Option<Vec<_>> = (shapes.into_iter().zip(values))
            .map(|(shape, value)| self.of(shape, value, indent))
            .collect();
        Some(items?.join(", "))
    }
}

/// What `wit-bindgen` calls a function, a field or a package.
pub(super) fn function(name: &str) -> String {
    let snake = name.replace('-', "_");
    if KEYWORDS.contains(&name) {
        snake + "_"
    } else {
        snake
    }
}

/// What `wit-bindgen` calls a type or a case.
fn type_name(name: &str) -> String {
    if name == "guest" {
        // Its trait for what a component exports.
        return "Guest_".to_owned();
    }
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// The names that `wit-bindgen` adds `_` to.
const KEYWORDS: [&str; 49] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized",
    "use", "virtual", "where", "while", "yield",
];
