//! Arguments that are written in a script, as the tool would get them. Marks stand in the places
//! whose values are not known; otherwise the arguments are read as those of calls.

use std::collections::HashSet;

use ampoule_projection::Idiom;
use serde_json::{Map, Value};

use super::WrittenCall;
use crate::Form;
use crate::resolved::ResolvedTool;
use crate::validate::Unproven;

/// Stands for a value that is not known. The script may leave the argument out.
const UNKNOWN: &str = "\u{0}ampoule:unknown";
/// Stands for a value that is not known, of an argument that is sent: Python sends all that is
/// written.
const GIVEN: &str = "\u{0}ampoule:given";
/// Stands for further members of an object, or further items of a list.
const MORE: &str = "\u{0}ampoule:more";

/// What is known of a call's arguments, as its tool would get them. None where nothing can be said
/// of them.
pub(super) fn known(tool: &ResolvedTool, call: &WrittenCall) -> Option<(Value, Unproven)> {
    let mut arguments: Value = serde_json::from_str(call.arguments.as_deref()?).ok()?;
    let by_position: HashSet<String> = match arguments.as_object() {
        // There, `None` leaves an argument out.
        Some(members) => {
            let names = members.keys().take(call.positional as usize);
            names.map(|name| format!("/{}", token(name))).collect()
        }
        None => HashSet::new(),
    };
    for place in &call.unknown {
        let is_given = tool.idiom == Idiom::Python && !by_position.contains(place);
        *arguments.pointer_mut(place)? = if is_given { GIVEN } else { UNKNOWN }.into();
    }
    for place in &call.open {
        match arguments.pointer_mut(place)? {
            Value::Object(members) => drop(members.insert(MORE.to_owned(), Value::Bool(true))),
            Value::Array(items) => items.push(MORE.into()),
            // It is in a place that is not known.
            _ => {}
        }
    }
    let Value::Object(members) = arguments else {
        return None;
    };
    let mut named = match call.positional {
        0 => members,
        positional => named(members, positional as usize, &tool.parameters())?,
    };
    let doubtful = forget_doubtful_names(tool, &mut named);
    let text = Value::Object(named).to_string();
    // Where they can't be sent, the call says so.
    let mut arguments = tool.listing.read(tool.index, &text, Form::Script).ok()?;
    let mut unproven = Unproven::default();
    if !doubtful.is_empty() {
        unproven.members.insert(String::new(), doubtful);
    }
    take_marks(&mut arguments, &mut String::new(), &mut unproven);
    Some((arguments, unproven))
}

/// Arguments of which the first are given by position, by their names. None where there are more
/// than the tool has, or one is given twice: then the call says so.
fn named(
    members: Map<String, Value>,
    positional: usize,
    parameters: &[String],
) -> Option<Map<String, Value>> {
    let count = members.len();
    let mut named = Map::new();
    for (place, (name, value)) in members.into_iter().enumerate() {
        let name = match place < positional {
            true => parameters.get(place)?.clone(),
            false => name,
        };
        named.insert(name, value);
    }
    (named.len() == count).then_some(named)
}

/// Names that differ from the schema's stand for these where no other name does. Where another may be
/// given, it is not known what they stand for: neither are their values. Gives the schema's names that
/// may be meant.
fn forget_doubtful_names(tool: &ResolvedTool, members: &mut Map<String, Value>) -> HashSet<String> {
    let is_open = members.contains_key(MORE);
    let mut unknown: HashSet<String> = HashSet::new();
    let meant = |name: &str| tool.listing.meant(tool.index, name).map(str::to_owned);
    for (name, value) in members.iter() {
        if *value == UNKNOWN || *value == GIVEN {
            unknown.extend(meant(name));
        }
    }
    let mut doubtful = HashSet::new();
    if !is_open && unknown.is_empty() {
        return doubtful;
    }
    for (name, value) in members.iter_mut() {
        if let Some(meant) = meant(name)
            && meant != *name
            && (is_open || unknown.contains(&meant))
        {
            *value = UNKNOWN.into();
            doubtful.insert(meant);
        }
    }
    doubtful
}

/// Takes the marks out, and notes where they were.
fn take_marks(value: &mut Value, place: &mut String, unproven: &mut Unproven) {
    let length = place.len();
    match value {
        Value::Object(members) => {
            if members.shift_remove(MORE).is_some() {
                unproven.open.insert(place.clone());
            }
            members.retain(|name, value| {
                if *value != UNKNOWN {
                    return true;
                }
                let unknown = unproven.members.entry(place.clone()).or_default();
                unknown.insert(name.clone());
                false
            });
            for (name, member) in members {
                place.push('/');
                place.push_str(&token(name));
                take_marks(member, place, unproven);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            if items.last().is_some_and(|last| *last == MORE) {
                items.pop();
                unproven.open.insert(place.clone());
            }
            for (index, item) in items.iter_mut().enumerate() {
                place.push_str(&format!("/{index}"));
                if *item == UNKNOWN {
                    *item = GIVEN.into();
                }
                take_marks(item, place, unproven);
                place.truncate(length);
            }
        }
        Value::String(text) if text == GIVEN => {
            *value = Value::Null;
            unproven.items.insert(place.clone());
        }
        _ => {}
    }
}

/// A name as a part of a JSON Pointer.
fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
