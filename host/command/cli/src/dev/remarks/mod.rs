//! What models and languages can't use of tools, and what they would do better with.

use std::collections::HashSet;

use ampoule_projection::names::{Style, canonical, identifier, identifiers};
use ampoule_projection::types::{DefinitionId, Extra, Property, Record, Type};
use ampoule_projection::{Function, Hints, Interface, Tool};
use ampoule_untrusted::text;
use serde::Serialize;

/// How many names a remark has.
const MOST_NAMES: usize = 6;
/// How deep types are looked into.
const MOST_LEVELS: usize = 16;

/// A remark on a tool, or on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Remark {
    pub(super) level: Level,
    pub(super) text: String,
}

/// How much a remark matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// Something can't be used, or not in the way that was meant.
    Warning,
    /// Something could be better.
    Note,
}

impl Remark {
    pub(super) fn warning(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            level: Level::Warning,
            text,
        }
    }

    pub(super) fn note(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            level: Level::Note,
            text,
        }
    }
}

/// What to say of an interface's first tool.
pub(super) fn of_tool(tool: &Tool, interface: &Interface) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let says = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !says(&tool.description) {
        remarks.push(Remark::warning(
            "the tool has no `description`: a model can only guess what it does",
        ));
    }
    let Some(function) = interface.functions.first() else {
        return remarks;
    };
    let notes = function.notes.iter().take(MOST_NAMES);
    remarks.extend(notes.map(|note| Remark::warning(text::one_line(&note.to_string()))));
    if let Some(arguments) = record(interface, &function.arguments.ty) {
        remarks.extend(of_arguments(arguments));
    }
    remarks.extend(of_free_form(interface, function));
    remarks
}

/// What to say of the arguments' names and descriptions.
fn of_arguments(arguments: &Record) -> Option<Remark> {
    if arguments.properties.is_empty() && matches!(arguments.extra, Extra::Any) {
        return Some(Remark::warning(
            "the tool takes any arguments: name them in `properties` of its `inputSchema`",
        ));
    }
    let is_undescribed = |property: &&Property| {
        let docs = &property.value.docs;
        // Some libraries make a title of each name.
        let title = docs.title.as_ref();
        let title = title.filter(|title| canonical(title) != canonical(&property.name));
        docs.description.is_none() && title.is_none()
    };
    let undescribed = arguments.properties.iter().filter(is_undescribed);
    let names: Vec<_> = undescribed.map(|property| &*property.name).collect();
    let verb = match names.len() {
        0 => return None,
        1 => "has",
        _ => "have",
    };
    let names = listed(&names);
    Some(Remark::warning(format!("{names} {verb} no `description`")))
}

/// What to say of values of which nothing is said.
fn of_free_form(interface: &Interface, function: &Function) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut search = FreeForm {
        interface,
        seen: HashSet::new(),
        found: Vec::new(),
    };
    search.below(&function.arguments.ty, "", 0);
    let found: Vec<_> = search.found.iter().map(String::as_str).collect();
    if !found.is_empty() {
        remarks.push(Remark::warning(format!(
            "{} may be anything: give `type` and `properties`",
            listed(&found)
        )));
    }
    let result = function.result.as_ref().map(|result| &result.ty);
    let is_any = |ty: &Type| match ty {
        Type::Any => true,
        other => record(interface, other).is_some_and(Record::is_free_form),
    };
    if result.is_some_and(is_any) {
        remarks.push(Remark::warning(
            "the result may be anything: give `type` and `properties` in `outputSchema`",
        ));
    }
    remarks
}

/// The object that a type is, perhaps by name.
fn record<'a>(interface: &'a Interface, ty: &'a Type) -> Option<&'a Record> {
    ty.record(&interface.definitions)
}

/// A search for values that may be anything.
struct FreeForm<'a> {
    interface: &'a Interface,
    seen: HashSet<DefinitionId>,
    found: Vec<String>,
}

impl FreeForm<'_> {
    /// Looks at a type that is at this place.
    fn at(&mut self, ty: &Type, place: &str, level: usize) {
        let is_anything = match ty {
            Type::Any => true,
            Type::Record(record) => record.is_free_form(),
            _ => false,
        };
        match is_anything && !place.is_empty() {
            true => self.found.push(place.to_owned()),
            false => self.below(ty, place, level),
        }
    }

    /// Looks at what a type consists of.
    fn below(&mut self, ty: &Type, place: &str, level: usize) {
        if level > MOST_LEVELS || self.found.len() > MOST_NAMES {
            return;
        }
        let level = level + 1;
        match ty {
            Type::Record(record) => {
                for property in &record.properties {
                    let place = match place {
                        "" => property.name.clone(),
                        place => format!("{place}.{}", property.name),
                    };
                    self.at(&property.value.ty, &place, level);
                }
                if let Extra::Of(value) = &record.extra {
                    self.at(value, &format!("{place}.*"), level);
                }
            }
            Type::Array(item) => self.at(&item.ty, &format!("{place}[]"), level),
            Type::Tuple(tuple) => {
                for item in &tuple.items {
                    self.at(&item.ty, &format!("{place}[]"), level);
                }
            }
            Type::Union(union) => {
                for variant in &union.variants {
                    self.at(&variant.ty, place, level);
                }
            }
            Type::Nullable(inner) => self.at(inner, place, level),
            Type::Named(id) if self.seen.insert(*id) => {
                let interface = self.interface;
                self.at(&interface.definition(*id).value.ty, place, level);
            }
            _ => {}
        }
    }
}

/// What to say of the names of each tool of a server.
pub(super) fn of_names(tools: &[&Tool]) -> Vec<Vec<Remark>> {
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut remarks = vec![Vec::new(); names.len()];
    for (language, style) in [
        ("TypeScript", Style::Camel),
        ("Python", Style::Snake),
        ("WIT", Style::Kebab),
    ] {
        let called = identifiers(&names, style);
        for ((name, called), remarks) in names.iter().zip(called).zip(&mut remarks) {
            let alone = identifier(name, style);
            // What holds for several languages is said once.
            if !remarks.is_empty() {
                continue;
            }
            if called != alone {
                remarks.push(Remark::warning(format!(
                    "another tool has this name in {language}, so scripts call this one `{called}`: rename one of them"
                )));
            } else if canonical(&called) != canonical(name) {
                remarks.push(Remark::warning(format!(
                    "the name can't be written in {language}, so scripts call the tool `{called}`"
                )));
            }
        }
    }
    remarks
}

/// What to say of all tools of a server together.
pub(super) fn of_all(tools: &[&Tool]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if tools.is_empty() {
        remarks.push(Remark::warning("the server lists no tools"));
    }
    let without_results = named(tools, |tool| tool.output_schema.is_none());
    if !without_results.is_empty() {
        remarks.push(Remark::note(format!(
            "without `outputSchema`: {}. A model learns what they return only after a call",
            listed(&without_results)
        )));
    }
    let without_hints = named(tools, |tool| {
        let Hints {
            read_only,
            destructive,
            ..
        } = tool.annotations;
        read_only.is_none() && destructive.is_none()
    });
    if !without_hints.is_empty() {
        remarks.push(Remark::note(format!(
            "without `readOnlyHint` and `destructiveHint` in `annotations`: {}. Clients take them as tools that may destroy something",
            listed(&without_hints)
        )));
    }
    remarks
}

/// The names of those tools that are so.
fn named<'a>(tools: &[&'a Tool], is_so: impl Fn(&Tool) -> bool) -> Vec<&'a str> {
    let tools = tools.iter().filter(|tool| is_so(tool));
    tools.map(|tool| tool.name.as_str()).collect()
}

/// `` `a`, `b` and 3 more ``
pub(super) fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MOST_NAMES);
    let shown: Vec<_> = shown
        .map(|name| format!("`{}`", text::one_line(name)))
        .collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests;
