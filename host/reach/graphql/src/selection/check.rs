//! What is wrong with a selection, in words that say what to write instead.

use ampoule_api::line;
use ampoule_projection::names::near;
use apollo_compiler::ast::{Field, FieldDefinition, Selection};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Name, Schema as Types};

/// The most names that a sentence lists.
const LISTED: usize = 20;

/// The first thing that is wrong with a selection of fields of a type.
///
/// # Errors
///
/// It, as a sentence.
pub(crate) fn check(types: &Types, ty: &Name, selections: &[Selection]) -> Result<(), String> {
    for selection in selections {
        match selection {
            Selection::Field(field) => check_field(types, ty, field)?,
            Selection::InlineFragment(fragment) => {
                let on = fragment.type_condition.as_ref().unwrap_or(ty);
                is_known(types, on)?;
                check(types, on, &fragment.selection_set)?;
            }
            // Fragments are checked where they are.
            Selection::FragmentSpread(_) => {}
        }
    }
    Ok(())
}

/// Whether there is a type that a fragment is for.
///
/// # Errors
///
/// There is none.
pub(crate) fn is_known(types: &Types, on: &Name) -> Result<(), String> {
    match types.types.contains_key(on) {
        true => Ok(()),
        false => {
            let known = types.types.keys().map(Name::as_str);
            let meant = meant(on, known);
            Err(format!(
                "unknown type `{on}`{}",
                meant.trim_end_matches('.')
            ))
        }
    }
}

fn check_field(types: &Types, ty: &Name, field: &Field) -> Result<(), String> {
    let Ok(known) = types.type_field(ty, &field.name) else {
        return Err(no_field(types, ty, &field.name));
    };
    check_arguments(field, known)?;
    let inner = known.ty.inner_named_type();
    let is_leaf = types.types.get(inner).is_some_and(ExtendedType::is_leaf);
    match (is_leaf, field.selection_set.is_empty()) {
        (true, false) => Err(format!(
            "`{}` is a `{inner}`, which has no fields: write it without braces",
            field.name
        )),
        (false, true) => Err(format!(
            "`{0}` is of the type `{inner}`: write which of its fields come back, such as `{0} {{ {1} }}`. {2}",
            field.name,
            example(types, inner),
            listed(types, inner)
        )),
        (true, true) => Ok(()),
        (false, false) => check(types, inner, &field.selection_set),
    }
}

fn check_arguments(field: &Field, known: &FieldDefinition) -> Result<(), String> {
    for argument in &field.arguments {
        if known.argument_by_name(&argument.name).is_none() {
            let names = known.arguments.iter().map(|it| it.name.as_str());
            let has = match names.clone().collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => "It takes none".to_owned(),
                all => format!("Its arguments: {all}"),
            };
            return Err(format!(
                "`{}` has no argument `{}`{} {has}",
                field.name,
                argument.name,
                meant(&argument.name, names),
            ));
        }
    }
    let missing = known.arguments.iter().find(|it| {
        it.is_required()
            && field
                .arguments
                .iter()
                .all(|argument| argument.name != it.name)
    });
    match missing {
        Some(it) => Err(format!(
            "`{}` needs the argument `{}: {}`",
            field.name, it.name, it.ty
        )),
        None => Ok(()),
    }
}

fn no_field(types: &Types, ty: &Name, name: &Name) -> String {
    let names = fields(types, ty);
    format!(
        "`{ty}` has no field `{}`{} {}",
        line(name),
        meant(name, names.iter().copied()),
        listed(types, ty)
    )
}

fn fields<'t>(types: &'t Types, ty: &Name) -> Vec<&'t str> {
    match types.types.get(ty) {
        Some(ExtendedType::Object(it)) => it.fields.keys().map(Name::as_str).collect(),
        Some(ExtendedType::Interface(it)) => it.fields.keys().map(Name::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A field that can stand alone.
fn example<'t>(types: &'t Types, ty: &Name) -> &'t str {
    let is_plain = |name: &&str| {
        types.type_field(ty, name).is_ok_and(|field| {
            let inner = types.types.get(field.ty.inner_named_type());
            field.arguments.is_empty() && inner.is_some_and(ExtendedType::is_leaf)
        })
    };
    fields(types, ty)
        .into_iter()
        .find(is_plain)
        .unwrap_or("__typename")
}

fn listed(types: &Types, ty: &Name) -> String {
    let mut names = fields(types, ty);
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    match (names.is_empty(), more) {
        (true, _) => "Its types have fields: write `... on` and one of them".to_owned(),
        (false, 0) => format!("Its fields: {}", names.join(", ")),
        (false, more) => format!("Its fields: {}, and {more} more", names.join(", ")),
    }
}

fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = near(name, known, 1);
    match near.first() {
        Some(near) => format!("; did you mean `{near}`?"),
        None => ".".to_owned(),
    }
}
