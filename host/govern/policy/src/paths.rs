//! Arguments that policies name and no tool has, or that have no type in Cedar.

use std::collections::BTreeSet;

use crate::actions::{Action, Actions};
use crate::arguments::{Record, Shape, ShapeError};
use crate::needs::Needs;
use crate::patterns;
use crate::rule::Rule;

/// An argument that a policy names, and that none of its tools has.
pub(crate) struct UnknownArgument {
    /// The last of its names.
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) near: Vec<String>,
    /// Whether it was told.
    pub(crate) told: bool,
}

/// What a tool has at a path.
enum PathTarget<'r> {
    Shape,
    Unshaped(ShapeError),
    /// Nothing; beside it, there are these.
    Missing(&'r Record),
}

/// The arguments that a policy names, and that none of the tools has that it is about.
pub(crate) fn blind(rule: &Rule, actions: &Actions) -> Vec<UnknownArgument> {
    let Some(needs) = rule.read.context.of("arguments") else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    collect(needs, &mut Vec::new(), &mut paths);
    if paths.is_empty() {
        return Vec::new();
    }
    let about = about(rule, actions);
    if about.is_empty() {
        return Vec::new();
    }
    let mut blind = Vec::new();
    for path in paths {
        // What is said of a name is not said of what is within it.
        let told = |known: &(Vec<&str>, UnknownArgument)| path.starts_with(&known.0);
        if blind.iter().any(told) {
            continue;
        }
        if let Some(found) = missing(&path, &about) {
            blind.push((path, found));
        }
    }
    blind.into_iter().map(|(_, blind)| blind).collect()
}

/// The tools that a policy is about.
fn about<'a>(rule: &Rule, actions: &'a Actions) -> Vec<&'a Action> {
    match &rule.actions {
        None => actions.all().iter().collect(),
        Some(named) => {
            let places = named.iter().flat_map(|id| actions.places(id));
            let places: BTreeSet<usize> = places.copied().collect();
            places.into_iter().map(|place| actions.get(place)).collect()
        }
    }
}

fn collect<'n>(needs: &'n Needs, path: &mut Vec<&'n str>, paths: &mut Vec<Vec<&'n str>>) {
    for (name, part) in needs.parts() {
        path.push(name);
        paths.push(path.clone());
        collect(part, path, paths);
        path.pop();
    }
}

fn missing(path: &[&str], about: &[&Action]) -> Option<UnknownArgument> {
    let mut near: BTreeSet<&str> = BTreeSet::new();
    let mut why: Option<ShapeError> = None;
    for action in about {
        match at(&action.arguments, path) {
            PathTarget::Shape => return None,
            PathTarget::Unshaped(unshaped) => why = why.or(Some(unshaped)),
            PathTarget::Missing(beside) => near.extend(beside.keys().map(String::as_str)),
        }
        if path.len() == 1 && action.arguments.is_empty() {
            why = why.or(action.unshaped.filter(|why| *why != ShapeError::Map));
        }
    }
    let name = path.last().copied().unwrap_or_default();
    let of = match about {
        [one] => format!("the tool `{}`", one.id),
        many => format!("none of the {} tools that this is about", many.len()),
    };
    let full = path.join(".");
    let message = match (why, about) {
        (Some(why), [_]) => format!("policies can't see the argument `{full}` of {of}: {why}"),
        (Some(why), _) => format!(
            "policies can't see the argument `{full}` of the tools that this is about: {why}"
        ),
        (None, [_]) => format!("{of} has no argument `{full}`"),
        (None, _) => format!("{of} has an argument `{full}`"),
    };
    Some(UnknownArgument {
        name: name.to_owned(),
        message,
        near: match why {
            Some(_) => Vec::new(),
            None => patterns::near(name, near.into_iter()),
        },
        told: false,
    })
}

fn at<'r>(record: &'r Record, path: &[&str]) -> PathTarget<'r> {
    let Some((name, rest)) = path.split_first() else {
        return PathTarget::Shape;
    };
    match record.get(*name).map(|attribute| &attribute.shape) {
        None => PathTarget::Missing(record),
        Some(Err(why)) => PathTarget::Unshaped(*why),
        Some(Ok(Shape::Record(inner))) => at(inner, rest),
        // That what is not an object has no names, Cedar says.
        Some(Ok(_)) => PathTarget::Shape,
    }
}
