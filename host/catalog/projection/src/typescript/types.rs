//! Types.

use super::super::doc::{self, Detail};
use super::super::types::{DocumentedType, Enum, Extra, Record, Tuple, Type};
use super::{comment, literal};

/// The longest line that a type is written on as a whole, in bytes.
const WIDTH: usize = 100;

/// Writes types of one namespace.
pub(super) struct Printer<'a> {
    /// What the definitions are called.
    pub(super) types: &'a [String],
    pub(super) detail: Detail,
    /// What may be any value is called.
    pub(super) any: &'static str,
    /// Whether the values are given, and so may be those that nobody may change.
    pub(super) readonly: bool,
}

/// A type does not fit on a line, or has something said inside.
struct NotOnOneLine;

impl Printer<'_> {
    /// Writes a type: on the line that `out` ends with if it fits there and has no comments, else
    /// over several.
    pub(super) fn write(&self, ty: &Type, indent: usize, out: &mut String) {
        let start = out.len();
        let line = out.rfind('\n').map_or(0, |end| end + 1);
        if self.flat(ty, line + WIDTH, out).is_ok() {
            return;
        }
        out.truncate(start);
        if matches!(ty, Type::Union(_)) {
            // Each type of a union starts a line.
            out.truncate(out.trim_end_matches(' ').len());
        }
        self.block(ty, indent, out);
    }

    /// Writes a type on one line that ends before `end`.
    fn flat(&self, ty: &Type, end: usize, out: &mut String) -> Result<(), NotOnOneLine> {
        match ty {
            Type::Array(item) if self.says(item) => return Err(NotOnOneLine),
            Type::Array(item) => {
                out.push_str(self.readonly());
                self.flat_element(&item.ty, true, end, out)?;
                out.push_str("[]");
            }
            Type::Nullable(inner) => {
                self.flat(inner, end, out)?;
                out.push_str(" | null");
            }
            Type::Union(union) => {
                for (index, variant) in union.variants.iter().enumerate() {
                    if self.says(variant) {
                        return Err(NotOnOneLine);
                    }
                    out.push_str(if index == 0 { "" } else { " | " });
                    self.flat(&variant.ty, end, out)?;
                }
            }
            Type::Tuple(tuple) => self.flat_tuple(tuple, end, out)?,
            Type::Record(record) => self.flat_record(record, end, out)?,
            simple => self.simple(simple, out),
        }
        if out.len() > end {
            Err(NotOnOneLine)
        } else {
            Ok(())
        }
    }

    fn flat_tuple(&self, tuple: &Tuple, end: usize, out: &mut String) -> Result<(), NotOnOneLine> {
        out.push_str(self.readonly());
        out.push('[');
        for (index, item) in tuple.items.iter().enumerate() {
            if self.says(item) {
                return Err(NotOnOneLine);
            }
            out.push_str(if index == 0 { "" } else { ", " });
            let optional = index >= tuple.required;
            self.flat_element(&item.ty, optional, end, out)?;
            out.push_str(if optional { "?" } else { "" });
        }
        if let Some(rest) = &tuple.rest {
            out.push_str(if tuple.items.is_empty() {
                "..."
            } else {
                ", ..."
            });
            self.flat_element(rest, true, end, out)?;
            out.push_str("[]");
        }
        out.push(']');
        Ok(())
    }

    fn flat_element(
        &self,
        ty: &Type,
        followed: bool,
        end: usize,
        out: &mut String,
    ) -> Result<(), NotOnOneLine> {
        let brackets = followed && self.is_list(ty);
        out.push_str(if brackets { "(" } else { "" });
        self.flat(ty, end, out)?;
        out.push_str(if brackets { ")" } else { "" });
        Ok(())
    }

    fn flat_record(
        &self,
        record: &Record,
        end: usize,
        out: &mut String,
    ) -> Result<(), NotOnOneLine> {
        out.push('{');
        let mut mark = " ";
        for property in &record.properties {
            if !comment::of_value(
                &property.name,
                &property.value.docs,
                &property.value.ty,
                self.detail,
            )
            .is_empty()
            {
                return Err(NotOnOneLine);
            }
            out.push_str(mark);
            out.push_str(self.readonly());
            out.push_str(&literal::property(&property.name));
            out.push_str(if property.required { ": " } else { "?: " });
            self.flat(&property.value.ty, end, out)?;
            mark = "; ";
        }
        if let Some(extra) = extra(record) {
            out.push_str(mark);
            out.push_str(self.readonly());
            out.push_str("[key: string]: ");
            self.flat(extra, end, out)?;
            mark = "; ";
        }
        out.push_str(if mark == " " { "}" } else { " }" });
        Ok(())
    }

    /// Writes a type that is not on one line.
    fn block(&self, ty: &Type, indent: usize, out: &mut String) {
        let space = "  ".repeat(indent);
        match ty {
            Type::Record(record) => self.record(record, indent, out),
            Type::Array(item) => {
                let brackets = self.is_list(&item.ty);
                out.push_str(self.readonly());
                out.push_str(if brackets { "(" } else { "" });
                self.block(&item.ty, indent, out);
                out.push_str(if brackets { ")[]" } else { "[]" });
            }
            Type::Nullable(inner) => {
                self.block(inner, indent, out);
                if matches!(**inner, Type::Union(_)) {
                    out.push_str(&format!("\n{space}  | null"));
                } else {
                    out.push_str(" | null");
                }
            }
            Type::Union(union) => {
                for variant in &union.variants {
                    out.push('\n');
                    comment::write(
                        &comment::of_variant(&variant.docs, &variant.ty, self.detail),
                        indent + 1,
                        out,
                    );
                    out.push_str(&format!("{space}  | "));
                    self.write(&variant.ty, indent + 1, out);
                }
            }
            Type::Tuple(tuple) => self.tuple(tuple, indent, out),
            simple => self.simple(simple, out),
        }
    }

    fn record(&self, record: &Record, indent: usize, out: &mut String) {
        let space = "  ".repeat(indent + 1);
        out.push_str("{\n");
        for property in &record.properties {
            comment::write(
                &comment::of_value(
                    &property.name,
                    &property.value.docs,
                    &property.value.ty,
                    self.detail,
                ),
                indent + 1,
                out,
            );
            let mark = if property.required { ":" } else { "?:" };
            out.push_str(&format!(
                "{space}{}{}{mark} ",
                self.readonly(),
                literal::property(&property.name)
            ));
            self.write(&property.value.ty, indent + 1, out);
            out.push_str(";\n");
        }
        if let Some(extra) = extra(record) {
            out.push_str(&format!("{space}{}[key: string]: ", self.readonly()));
            self.write(extra, indent + 1, out);
            out.push_str(";\n");
        }
        out.push_str(&format!("{}}}", "  ".repeat(indent)));
    }

    fn tuple(&self, tuple: &Tuple, indent: usize, out: &mut String) {
        let space = "  ".repeat(indent + 1);
        let rest = tuple.rest.iter().map(|rest| (&**rest, "...", "[]"));
        let items = tuple
            .items
            .iter()
            .enumerate()
            .map(|(index, item)| (&item.ty, "", if index < tuple.required { "" } else { "?" }));
        out.push_str(self.readonly());
        out.push_str("[\n");
        for (index, (ty, before, after)) in items.chain(rest).enumerate() {
            if let Some(item) = tuple.items.get(index) {
                comment::write(
                    &comment::of_value("", &item.docs, ty, self.detail),
                    indent + 1,
                    out,
                );
            }
            let brackets = !after.is_empty() && self.is_list(ty);
            out.push_str(&format!(
                "{space}{before}{}",
                if brackets { "(" } else { "" }
            ));
            self.write(ty, indent + 1, out);
            out.push_str(&format!("{}{after},\n", if brackets { ")" } else { "" }));
        }
        out.push_str(&format!("{}]", "  ".repeat(indent)));
    }

    /// Writes a type without types in it.
    fn simple(&self, ty: &Type, out: &mut String) {
        match ty {
            Type::Never => out.push_str("never"),
            Type::Null => out.push_str("null"),
            Type::Boolean => out.push_str("boolean"),
            Type::Integer(_) | Type::Number => out.push_str("number"),
            Type::String => out.push_str("string"),
            Type::Enum(values) => self.values(values, out),
            Type::Named(id) => out.push_str(&self.types[id.0]),
            _ => out.push_str(self.any),
        }
    }

    /// Writes the values; of too many, only their types and the first few as a comment.
    fn values(&self, values: &Enum, out: &mut String) {
        let count = values.values.len();
        if count <= self.detail.values() {
            let texts: Vec<_> = values
                .values
                .iter()
                .map(|value| literal::value(&value.value, self.any))
                .collect();
            out.push_str(&texts.join(" | "));
            return;
        }
        let first: Vec<_> = values
            .values
            .iter()
            .take(10)
            .map(|value| doc::json(&value.value, 40))
            .collect();
        out.push_str(&literal::types(
            values.values.iter().map(|value| &value.value),
            self.any,
        ));
        out.push_str(&format!(
            " /* one of {count}: {}, … */",
            comment::escaped(&first.join(", "))
        ));
    }

    /// What stands before properties and lists that are given.
    fn readonly(&self) -> &'static str {
        if self.readonly { "readonly " } else { "" }
    }

    /// Whether a type is written with ` | ` between its parts, or a word before it, and so needs
    /// brackets before `[]`.
    fn is_list(&self, ty: &Type) -> bool {
        match ty {
            Type::Union(_) | Type::Nullable(_) => true,
            Type::Enum(values) => values.values.len() > 1,
            Type::Array(_) | Type::Tuple(_) => self.readonly,
            _ => false,
        }
    }

    fn says(&self, documented: &DocumentedType) -> bool {
        !comment::of_variant(&documented.docs, &documented.ty, self.detail).is_empty()
    }
}

/// The type of the properties without names, if there is something to say about them. Beside
/// others, TypeScript wants one that holds for all.
fn extra(record: &Record) -> Option<&Type> {
    match &record.extra {
        Extra::Of(value) if record.properties.is_empty() => Some(value),
        Extra::Of(_) | Extra::Any => Some(&Type::Any),
        Extra::Unstated if record.properties.is_empty() => Some(&Type::Any),
        Extra::Unstated | Extra::Closed => None,
    }
}
