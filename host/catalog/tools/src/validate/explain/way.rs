//! What of the schema led to an error: the schemas on the way there, what is optional in them, and
//! what applies only under a condition.

use jsonschema::ValidationError;
use jsonschema::paths::Location;
use serde_json::{Map, Value};

use super::place::{child, field};
use super::values::shown;
use super::{COMPARED, Explanation, LISTED};
use crate::validate::references::REFERENCES;
use crate::validate::subschemas::{BY_NAME, DEPENDENT, SAME_VALUE};

/// How many of a condition's properties are named.
const CONDITIONS: usize = 3;

/// How many schemas are looked through for names of properties.
const SCHEMAS: usize = 100;

/// One keyword on the way to an error.
pub(super) struct Step<'s> {
    /// What it stands in.
    pub(super) schema: &'s Value,
    pub(super) keyword: String,
    /// Of several schemas in it, which one.
    pub(super) member: Option<String>,
}

impl<'s> Step<'s> {
    pub(super) fn value(&self) -> Option<&'s Value> {
        self.schema.get(&self.keyword)
    }

    /// Whether it leads from a value to one within it.
    fn descends(&self) -> bool {
        let keyword = &&*self.keyword;
        !SAME_VALUE.contains(keyword)
            && !REFERENCES.contains(keyword)
            && !DEPENDENT.contains(keyword)
    }

    fn requires(&self, name: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    }
}

impl<'s> Explanation<'s> {
    /// The keywords on the way to an error, the last of which the value does not fit.
    pub(super) fn way(&self, error: &ValidationError<'_>) -> Vec<Step<'s>> {
        let mut names = texts(error.evaluation_path()).into_iter().peekable();
        let mut schema = self.references.root();
        let mut way = Vec::new();
        while let Some(keyword) = names.next() {
            let value = schema.get(&keyword);
            let is_last = names.peek().is_none();
            let member = match value {
                Some(Value::Array(_)) if !is_last => names.next(),
                Some(Value::Object(_)) if !is_last && BY_NAME.contains(&&*keyword) => names.next(),
                _ => None,
            };
            let next = match (value, &member) {
                (Some(Value::String(reference)), _) if REFERENCES.contains(&&*keyword) => {
                    self.references.resolve(reference).ok()
                }
                (Some(Value::Array(schemas)), Some(place)) => place
                    .parse()
                    .ok()
                    .and_then(|place: usize| schemas.get(place)),
                (Some(Value::Object(schemas)), Some(name)) => schemas.get(name),
                (value, _) => value,
            };
            way.push(Step {
                schema,
                keyword,
                member,
            });
            match next {
                Some(next) => schema = next,
                None => break,
            }
        }
        way
    }

    /// A schema, or what it refers to.
    pub(super) fn resolved(&self, mut schema: &'s Value) -> &'s Value {
        const MOST: usize = 16;
        for _ in 0..MOST {
            let reference = schema.get("$ref").and_then(Value::as_str);
            match reference.and_then(|reference| self.references.resolve(reference).ok()) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// The names of the properties that an object may have, as far as the schema says them: those
    /// beside the keyword that found another.
    pub(super) fn known_properties(&self, error: &ValidationError<'_>) -> Vec<&'s str> {
        let way = self.way(error);
        let Some(step) = way.last() else {
            return Vec::new();
        };
        let looks_through = step.keyword.starts_with("unevaluated");
        let mut schemas = vec![step.schema];
        let mut names: Vec<&str> = Vec::new();
        let mut next = 0;
        while let Some(schema) = schemas.get(next).copied() {
            next += 1;
            let properties = schema.get("properties").and_then(Value::as_object);
            names.extend(
                properties
                    .into_iter()
                    .flat_map(Map::keys)
                    .map(String::as_str),
            );
            if looks_through && schemas.len() < SCHEMAS {
                for part in self.same_value(schema).take(SCHEMAS) {
                    if !schemas.iter().any(|known| std::ptr::eq(*known, part)) {
                        schemas.push(part);
                    }
                }
            }
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    fn same_value(&self, schema: &'s Value) -> impl Iterator<Item = &'s Value> {
        let parts = SAME_VALUE.iter().filter_map(|keyword| schema.get(*keyword));
        let parts = parts.flat_map(|part| match part {
            Value::Array(parts) => parts.iter().collect(),
            part => vec![part],
        });
        let target = self.resolved(schema);
        let target = (!std::ptr::eq(target, schema)).then_some(target);
        parts.chain(target)
    }

    /// Whether the value may be left out.
    pub(super) fn is_optional(&self, error: &ValidationError<'_>) -> bool {
        let way = self.way(error);
        let Some((_, before)) = way.split_last() else {
            return false;
        };
        let Some(at) = before.iter().rposition(Step::descends) else {
            return false;
        };
        let of_same_object = way[..at].iter().rev().take_while(|step| !step.descends());
        match &way[at] {
            step @ Step {
                keyword,
                member: Some(name),
                ..
            } if keyword == "properties" => {
                !step.requires(name) && !of_same_object.into_iter().any(|step| step.requires(name))
            }
            _ => false,
        }
    }

    /// That a property is missing, and which needs it.
    pub(super) fn missing(&self, error: &ValidationError<'_>, name: &str) -> String {
        let place = error.instance_path();
        let problem = format!("{} is missing", child(place, name));
        let way = self.way(error);
        let Some(Value::Object(needed)) = way.last().and_then(Step::value) else {
            return problem;
        };
        // Those that need others, by name: `dependentRequired` and the older `dependencies`.
        let given = error.instance();
        let needs = |(by, names): &(&String, &Value)| {
            given.get(by).is_some()
                && names
                    .as_array()
                    .is_some_and(|names| names.iter().any(|needed| needed == name))
        };
        match needed.iter().find(needs) {
            Some((by, _)) => format!("{problem}, which {} needs", child(place, by)),
            None => problem,
        }
    }

    /// Under which condition the keyword applies that a value does not fit: the last on the way,
    /// beyond so many steps.
    pub(super) fn condition(&self, error: &ValidationError<'_>, beyond: usize) -> Option<String> {
        let way = self.way(error);
        let (_, before) = way.split_last()?;
        let at = before.iter().rposition(|step| {
            matches!(&*step.keyword, "then" | "else") || DEPENDENT.contains(&&*step.keyword)
        });
        let at = at.filter(|at| *at >= beyond)?;
        let depth = way[..at].iter().filter(|step| step.descends()).count();
        let names = texts(error.instance_path());
        let place = names
            .iter()
            .take(depth)
            .fold(Location::new(), |place, name| place.join(&**name));
        let step = &way[at];
        match &step.member {
            Some(by) => Some(format!(", as {} is given", child(&place, by))),
            None => self.under_if(self.resolved(step.schema.get("if")?), &place),
        }
    }

    /// What is given of the properties that an `if` looks at.
    fn under_if(&self, condition: &Value, place: &Location) -> Option<String> {
        let object = self.arguments.pointer(place.as_str())?;
        let properties = condition.get("properties").and_then(Value::as_object);
        let required = condition.get("required").and_then(Value::as_array);
        let mut names: Vec<&str> = properties
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect();
        let others = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .take(COMPARED);
        for name in others {
            if names.len() < CONDITIONS && !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(CONDITIONS);
        let given = names.iter().map(|name| match object.get(name) {
            Some(value) => format!("{} is {}", child(place, name), shown(value)),
            None => format!("{} is not given", child(place, name)),
        });
        let given: Vec<String> = given.collect();
        (!given.is_empty()).then(|| format!(", as {}", given.join(" and ")))
    }

    /// That all of a few properties can't be given at once, where forms differ in what they
    /// require; else that several forms fit.
    pub(super) fn too_many_forms(&self, error: &ValidationError<'_>) -> String {
        let place = error.instance_path();
        let way = self.way(error);
        let forms = way.last().and_then(Step::value).and_then(Value::as_array);
        let names = forms
            .into_iter()
            .flatten()
            .map(|form| match form.get("required") {
                Some(Value::Array(names))
                    if names.len() == 1 && form.get("properties").is_none() =>
                {
                    names[0].as_str()
                }
                _ => None,
            });
        let names: Option<Vec<&str>> = names.collect();
        match names {
            Some(names) if names.len() > 1 => {
                let given = names
                    .into_iter()
                    .filter(|name| error.instance().get(name).is_some());
                let given: Vec<String> =
                    given.take(LISTED).map(|name| child(place, name)).collect();
                format!("only one of {} may be given", given.join(", "))
            }
            _ => format!(
                "{} matches several of its allowed forms, and must match just one",
                field(place)
            ),
        }
    }
}

fn texts(path: &Location) -> Vec<String> {
    let names = path.as_str().split('/').skip(1);
    names
        .map(|name| name.replace("~1", "/").replace("~0", "~"))
        .collect()
}
