//! A function as a component imports it, against the tool's.

use std::collections::HashMap;

use ampoule_projection::wit::shape::{Case, Field, OtherProperties};
use ampoule_projection::wit::{Body, Package, Shape, Signature};
use wasmtime::component::types::{ComponentFunc, Type};

use crate::error::ErrorFields;
use crate::path::Path;

/// How many differences are listed; a reader of these builds again.
const MOST: usize = 8;

/// How a tool's function differs from the one that a component was built against; nothing where it
/// is the same.
pub(crate) fn differences(
    package: &Package,
    function: &Signature,
    built: &ComponentFunc,
) -> Vec<String> {
    let mut comparison = Comparison {
        package,
        equal: HashMap::new(),
        found: Vec::new(),
    };
    let parameters: Vec<Type> = built.params().map(|(_, ty)| ty).collect();
    let arguments = Path::root("args");
    match (&function.arguments, &*parameters) {
        (None, []) => {}
        (Some(shape), [ty]) => comparison.shape(shape, ty, arguments),
        (Some(_), []) => comparison.say(arguments, "is new"),
        (None, [_]) => comparison.say(arguments, "is gone"),
        (_, [_, ..]) => comparison.say(arguments, "was several parameters, and is at most one now"),
    }
    comparison.returned(function, built);
    comparison.found
}

struct Comparison<'a> {
    package: &'a Package,
    /// What declarations were found equal to: types may share types, many times over.
    equal: HashMap<usize, Vec<Type>>,
    found: Vec<String>,
}

impl Comparison<'_> {
    fn say(&mut self, path: Path<'_>, what: &str) {
        if self.found.len() < MOST {
            self.found.push(format!("{path} {what}"));
        }
    }

    fn changed(&mut self, path: Path<'_>, built: &Type, now: &str) {
        self.say(path, &format!("was {}, and is {now} now", name(built)));
    }

    fn returned(&mut self, function: &Signature, built: &ComponentFunc) {
        let path = Path::root("result");
        let results: Vec<Type> = built.results().collect();
        let [Type::Result(returned)] = &*results else {
            return self.say(
                path,
                "must be a `result` of the tool's answer and a `tool-error`",
            );
        };
        match (&function.result, returned.ok()) {
            (Some(shape), Some(ty)) => self.shape(shape, &ty, path),
            (None, Some(ty)) if is_content(&ty) => {}
            (None, Some(ty)) => self.changed(path, &ty, "content blocks"),
            (_, None) => self.say(path, "is new"),
        }
        if returned.err().is_none_or(|ty| error_fields(&ty).is_none()) {
            self.say(
                Path::root("error"),
                "is not the `tool-error` of ampoule:guest/values@0.1.0",
            );
        }
    }

    fn shape(&mut self, shape: &Shape, built: &Type, path: Path<'_>) {
        match (shape, built) {
            (Shape::Json | Shape::String, Type::String)
            | (Shape::Bool, Type::Bool)
            | (Shape::S64, Type::S64)
            | (Shape::U64, Type::U64)
            | (Shape::F64, Type::Float64) => {}
            (Shape::List(item), Type::List(list)) => self.shape(item, &list.ty(), path.each()),
            (Shape::Map(value), Type::List(list)) => match pair(&list.ty()) {
                Some(ty) => self.shape(value, &ty, path.each()),
                None => self.changed(path, built, &self.package.text(shape)),
            },
            (Shape::Tuple(shapes), Type::Tuple(tuple)) if shapes.len() == tuple.types().len() => {
                for (index, (shape, ty)) in shapes.iter().zip(tuple.types()).enumerate() {
                    self.shape(shape, &ty, path.item(index));
                }
            }
            (Shape::Nullable(inner), Type::Option(option)) => {
                self.shape(inner, &option.ty(), path);
            }
            (Shape::Declared(place), _) => self.declared(*place, built, path),
            _ => self.changed(path, built, &self.package.text(shape)),
        }
    }

    fn declared(&mut self, place: usize, built: &Type, path: Path<'_>) {
        let known = self.equal.get(&place);
        if known.is_some_and(|types| types.contains(built)) {
            return;
        }
        let before = self.found.len();
        let package = self.package;
        match (&package.declaration(place).body, built) {
            (Body::Alias(shape), _) => self.shape(shape, built, path),
            (Body::Record { fields, others, .. }, Type::Record(record)) => {
                let built: Vec<_> = record
                    .fields()
                    .map(|field| (field.name, field.ty))
                    .collect();
                self.record(fields, others.as_ref(), &built, path);
            }
            (Body::Variant(cases), Type::Variant(variant)) => {
                let built: Vec<_> = variant.cases().map(|case| (case.name, case.ty)).collect();
                self.variant(cases, &built, path);
            }
            (Body::Enum(cases), Type::Enum(built)) => {
                let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
                let built: Vec<&str> = built.names().collect();
                self.names("value", &names, &built, path);
            }
            _ => {
                let now = format!("`{}`", package.declaration(place).name);
                self.changed(path, built, &now);
            }
        }
        if self.found.len() == before && before < MOST {
            self.equal.entry(place).or_default().push(built.clone());
        }
    }

    fn record(
        &mut self,
        fields: &[Field],
        others: Option<&OtherProperties>,
        built: &[(&str, Type)],
        path: Path<'_>,
    ) {
        let fields_names = fields.iter().map(|field| field.name.as_str());
        let names: Vec<&str> = fields_names
            .chain(others.map(|others| others.name.as_str()))
            .collect();
        let built_names: Vec<&str> = built.iter().map(|(name, _)| *name).collect();
        if !self.names("field", &names, &built_names, path) {
            return;
        }
        for (field, (_, ty)) in fields.iter().zip(built) {
            let path = path.property(&field.name);
            match (field.required, ty) {
                (true, ty) => self.shape(&field.shape, ty, path),
                (false, Type::Option(option)) => self.shape(&field.shape, &option.ty(), path),
                (false, _) => self.say(path, "was required, and may be absent now"),
            }
        }
        if let (Some(OtherProperties { name, shape }), Some((_, ty))) =
            (others, built.get(fields.len()))
        {
            self.shape(
                &Shape::Map(Box::new(shape.clone())),
                ty,
                path.property(name),
            );
        }
    }

    fn variant(&mut self, cases: &[Case], built: &[(&str, Option<Type>)], path: Path<'_>) {
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        let built_names: Vec<&str> = built.iter().map(|(name, _)| *name).collect();
        if !self.names("case", &names, &built_names, path) {
            return;
        }
        for (case, (_, ty)) in cases.iter().zip(built) {
            let path = path.property(&case.name);
            match ty {
                Some(ty) => self.shape(&case.shape, ty, path),
                None => self.say(path, "had no value, and has one now"),
            }
        }
    }

    /// Whether the names are the same, in the same order.
    fn names(&mut self, what: &str, now: &[&str], built: &[&str], path: Path<'_>) -> bool {
        if now == built {
            return true;
        }
        let before = self.found.len();
        let lacks = |names: &[&str], name: &&str| !names.contains(name);
        for name in now.iter().filter(|name| lacks(built, name)) {
            self.say(path, &format!("has a new {what} `{name}`"));
        }
        for name in built.iter().filter(|name| lacks(now, name)) {
            self.say(path, &format!("no longer has the {what} `{name}`"));
        }
        if self.found.len() == before {
            self.say(path, &format!("has its {what}s in another order now"));
        }
        false
    }
}

/// The type of the values of a list of pairs.
pub(crate) fn pair(item: &Type) -> Option<Type> {
    let Type::Tuple(pair) = item else { return None };
    let mut types = pair.types();
    match (types.next(), types.next(), types.next()) {
        (Some(Type::String), Some(value), None) => Some(value),
        _ => None,
    }
}

/// `list<content>`
fn is_content(ty: &Type) -> bool {
    let Type::List(list) = ty else { return false };
    let Type::Variant(content) = list.ty() else {
        return false;
    };
    let cases = content.cases();
    let cases: Option<Vec<_>> = cases
        .map(|case| Some((case.name.to_owned(), case.ty?)))
        .collect();
    match cases.as_deref().unwrap_or_default() {
        [
            (text, first),
            (image, second),
            (audio, third),
            (other, last),
        ] => {
            [text, image, audio, other] == ["text", "image", "audio", "other"]
                && [first, last] == [&Type::String; 2]
                && is_blob(second)
                && is_blob(third)
        }
        _ => false,
    }
}

/// `blob`
fn is_blob(ty: &Type) -> bool {
    let is_bytes = |ty: &Type| matches!(ty, Type::List(list) if list.ty() == Type::U8);
    match &*fields(ty) {
        [(data, bytes), (mime_type, text)] => {
            data == "data" && is_bytes(bytes) && mime_type == "mime-type" && *text == Type::String
        }
        _ => false,
    }
}

/// `failure-kind`
fn is_failure_kind(ty: &Type) -> bool {
    let Type::Enum(kinds) = ty else { return false };
    kinds.names().eq([
        "failed",
        "arguments",
        "denied",
        "needs-sign-in",
        "not-reached",
        "refused",
        "protocol",
        "timed-out",
        "cancelled",
        "lost",
    ])
}

/// The fields of a `tool-error`; none of any other type.
pub(crate) fn error_fields(ty: &Type) -> Option<ErrorFields> {
    let fields = fields(ty);
    let (before, data) = fields.split_at_checked(3)?;
    let [(kind, kinds), (message, text), (content, blocks)] = before else {
        return None;
    };
    let is_error = kind == "kind"
        && is_failure_kind(kinds)
        && message == "message"
        && *text == Type::String
        && content == "content"
        && is_content(blocks);
    let is_json = |ty: &Type| matches!(ty, Type::Option(json) if json.ty() == Type::String);
    match data {
        [] if is_error => Some(ErrorFields::WithoutData),
        [(name, json)] if is_error && name == "data" && is_json(json) => Some(ErrorFields::All),
        _ => None,
    }
}

/// A record's fields; of another type, none.
fn fields(ty: &Type) -> Vec<(String, Type)> {
    let Type::Record(record) = ty else {
        return Vec::new();
    };
    record
        .fields()
        .map(|field| (field.name.to_owned(), field.ty))
        .collect()
}

/// A type in a word or two.
fn name(ty: &Type) -> String {
    let word = match ty {
        Type::Bool => "bool",
        Type::S8 => "s8",
        Type::U8 => "u8",
        Type::S16 => "s16",
        Type::U16 => "u16",
        Type::S32 => "s32",
        Type::U32 => "u32",
        Type::S64 => "s64",
        Type::U64 => "u64",
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        Type::Char => "char",
        Type::String => "string",
        Type::List(list) => return format!("list<{}>", name(&list.ty())),
        Type::Option(option) => return format!("option<{}>", name(&option.ty())),
        Type::Record(_) => "a record",
        Type::Tuple(_) => "a tuple",
        Type::Variant(_) => "a variant",
        Type::Enum(_) => "an enum",
        Type::Flags(_) => "flags",
        _ => "another type",
    };
    word.to_owned()
}
