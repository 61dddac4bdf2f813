//! How much work a check takes, found before it is done: the parts of the schema that meet each
//! value, counted along both.
//!
//! The validator can't be interrupted, and what it finds wrong takes memory. So what would take too
//! long is not begun, and errors are asked for where they are few enough.

use std::collections::HashMap;

use ampoule_effort::{Effort, EffortError};
use serde_json::{Map, Value};

use super::references::{REFERENCES, References};
use super::subschemas::{DEPENDENT, SAME_VALUE};
use super::unevaluated;

/// A schema's parts, and which of them meet a value that a part meets, or what is in it.
pub(super) struct Parts(Vec<Part>);

/// One schema within the schema.
#[derive(Default)]
struct Part {
    /// What it takes for any value.
    fixed: u64,
    /// What it takes for each member of an object, by patterns.
    for_each_member: u64,
    /// Whether it looks at a text's characters.
    reads_text: bool,
    /// Whether items are compared with each other.
    compares_items: bool,
    /// Whether it asks what is unevaluated: the validator then goes through what meets the same
    /// value once more.
    looks_again: bool,
    /// Whether the validator gathers the errors of all forms that a value may have.
    chooses: bool,
    same_value: Vec<usize>,
    properties: HashMap<String, usize>,
    members: Vec<usize>,
    names: Vec<usize>,
    first_items: Vec<usize>,
    items: Vec<usize>,
}

/// What a check takes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Steps {
    pub(super) all: u64,
    /// Of these, those of the largest choice between forms.
    pub(super) in_one_choice: u64,
    /// How deep the validator recurses.
    pub(super) depth: u32,
}

/// Why steps are not counted to their end.
#[derive(Debug)]
pub(super) enum CountError {
    TooMany,
    EffortError(EffortError),
}

impl From<EffortError> for CountError {
    fn from(broken_off: EffortError) -> Self {
        Self::EffortError(broken_off)
    }
}

/// A part that meets a value.
struct Meeting<'v> {
    part: usize,
    met: Met<'v>,
    /// How often it is held against it.
    times: u64,
    /// How often a part around it asks for what is unevaluated, beyond that.
    again: u64,
    depth: u32,
}

/// What a part meets: a value, or the name of a member.
#[derive(Clone, Copy)]
enum Met<'v> {
    Value(&'v Value),
    Name(&'v str),
}

impl Parts {
    /// The parts of a schema whose references were followed before.
    pub(super) fn of(root: &Value) -> Self {
        let mut reading = Reading {
            references: References::within(root),
            parts: Vec::new(),
            known: HashMap::new(),
            unread: Vec::new(),
        };
        reading.part(root);
        while let Some((place, schema)) = reading.unread.pop() {
            reading.parts[place] = reading.read(schema);
        }
        Self(reading.parts)
    }

    /// Counts the steps of a check of this value, up to `most`. Each is paid for, unless nobody is
    /// given who pays.
    pub(super) fn steps(
        &self,
        value: &Value,
        most: u64,
        effort: Option<&Effort>,
    ) -> Result<Steps, CountError> {
        let pay = |price| effort.map_or(Ok(()), |effort| effort.spend(price));
        let mut steps = Steps::default();
        // How many steps there were before the choice that is being counted, and how much was to be
        // done after it.
        let mut choice: Option<(u64, usize)> = None;
        let mut unpaid = 0;
        let mut left = vec![Meeting {
            part: 0,
            met: Met::Value(value),
            times: 1,
            again: 0,
            depth: 0,
        }];
        while let Some(meeting) = left.pop() {
            if let Some((before, waiting)) = choice
                && left.len() < waiting
            {
                steps.in_one_choice = steps.in_one_choice.max(steps.all - before);
                choice = None;
            }
            let part = &self.0[meeting.part];
            if part.chooses && choice.is_none() {
                choice = Some((steps.all, left.len() + 1));
            }
            let taken = part
                .taken(meeting.met)
                .saturating_mul(meeting.times.saturating_add(meeting.again));
            steps.all = steps.all.saturating_add(taken);
            steps.depth = steps.depth.max(meeting.depth);
            if steps.all > most {
                pay(unpaid)?;
                return Err(CountError::TooMany);
            }
            unpaid += taken * STEP;
            if unpaid > PAID_AT_ONCE {
                pay(std::mem::take(&mut unpaid))?;
            }
            part.meet(&meeting, &mut left);
        }
        if let Some((before, _)) = choice {
            steps.in_one_choice = steps.in_one_choice.max(steps.all - before);
        }
        pay(unpaid)?;
        Ok(steps)
    }
}

/// What a step costs, in units of fuel: counting it, and taking it.
pub(super) const STEP: u64 = 16;
const PAID_AT_ONCE: u64 = 100_000;

impl Part {
    fn taken(&self, met: Met<'_>) -> u64 {
        let for_the_value = match met {
            Met::Value(Value::String(text)) if self.reads_text => text.len() as u64 / 8,
            Met::Name(name) if self.reads_text => name.len() as u64 / 8,
            Met::Value(Value::Object(members)) if self.for_each_member > 0 => {
                let names = members.keys().map(|name| 1 + name.len() as u64 / 8);
                self.for_each_member.saturating_mul(names.sum())
            }
            Met::Value(Value::Array(items)) if self.compares_items => 8 * items.len() as u64,
            _ => 0,
        };
        self.fixed.saturating_add(for_the_value)
    }

    fn meet<'v>(&self, meeting: &Meeting<'v>, left: &mut Vec<Meeting<'v>>) {
        let &Meeting {
            met, times, depth, ..
        } = meeting;
        let again = match self.looks_again {
            true => meeting.again.saturating_add(times),
            false => meeting.again,
        };
        // What is looked at again is held against its parts for that, too.
        let times = times.saturating_add(again);
        let mut push = |part: &usize, met, again| {
            left.push(Meeting {
                part: *part,
                met,
                times,
                again,
                depth: depth + 1,
            });
        };
        match met {
            Met::Value(Value::Object(members)) => {
                for (name, value) in members {
                    let value = Met::Value(value);
                    self.properties
                        .get(name)
                        .into_iter()
                        .for_each(|part| push(part, value, 0));
                    self.members.iter().for_each(|part| push(part, value, 0));
                    self.names
                        .iter()
                        .for_each(|part| push(part, Met::Name(name), 0));
                }
            }
            Met::Value(Value::Array(items)) => {
                for (part, value) in self.first_items.iter().zip(items) {
                    push(part, Met::Value(value), 0);
                }
                for value in items {
                    self.items
                        .iter()
                        .for_each(|part| push(part, Met::Value(value), 0));
                }
            }
            _ => {}
        }
        self.same_value
            .iter()
            .for_each(|part| push(part, met, again));
    }
}

struct Reading<'a> {
    references: References<'a>,
    parts: Vec<Part>,
    /// By the schema's address.
    known: HashMap<*const Value, usize>,
    unread: Vec<(usize, &'a Value)>,
}

impl<'a> Reading<'a> {
    /// The place of a schema's part.
    fn part(&mut self, schema: &'a Value) -> usize {
        *self.known.entry(schema).or_insert_with(|| {
            let place = self.parts.len();
            self.parts.push(Part::default());
            self.unread.push((place, schema));
            place
        })
    }

    fn all(&mut self, schemas: impl IntoIterator<Item = &'a Value>) -> Vec<usize> {
        schemas
            .into_iter()
            .map(|schema| self.part(schema))
            .collect()
    }

    fn read(&mut self, schema: &'a Value) -> Part {
        let mut part = Part {
            fixed: 1,
            ..Part::default()
        };
        let Value::Object(keywords) = schema else {
            return part;
        };
        for (keyword, value) in keywords {
            self.read_keyword(&mut part, keyword, value);
        }
        part
    }

    fn read_keyword(&mut self, part: &mut Part, keyword: &str, value: &'a Value) {
        match (keyword, value) {
            (keyword, Value::String(reference)) if REFERENCES.contains(&keyword) => {
                let target = self.references.resolve(reference).ok();
                part.same_value
                    .extend(target.map(|target| self.part(target)));
            }
            ("properties", Value::Object(properties)) => {
                part.fixed += properties.len() as u64;
                for (name, schema) in properties {
                    let place = self.part(schema);
                    part.properties.insert(name.clone(), place);
                }
            }
            ("patternProperties", Value::Object(patterns)) => {
                part.for_each_member += 8 * patterns.len() as u64;
                part.members.extend(self.all(patterns.values()));
            }
            ("additionalProperties" | "unevaluatedProperties", schema) => {
                part.for_each_member += 2;
                part.members.push(self.part(schema));
            }
            ("propertyNames", schema) => {
                part.for_each_member += 2;
                part.names.push(self.part(schema));
            }
            ("prefixItems", Value::Array(schemas)) | ("items", Value::Array(schemas)) => {
                part.first_items.extend(self.all(schemas));
            }
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", schema) => {
                part.items.push(self.part(schema));
            }
            (keyword, Value::Object(schemas)) if DEPENDENT.contains(&keyword) => {
                part.fixed += values_in(value);
                part.same_value.extend(self.all(schemas.values()));
            }
            ("required" | "enum" | "const" | "dependentRequired" | "type", _) => {
                part.fixed += values_in(value);
                part.reads_text = true;
            }
            ("pattern" | "minLength" | "maxLength", _) => part.reads_text = true,
            ("uniqueItems", _) => part.compares_items = true,
            (keyword, Value::Array(schemas)) if SAME_VALUE.contains(&keyword) => {
                part.chooses |= matches!(keyword, "anyOf" | "oneOf");
                part.same_value.extend(self.all(schemas));
            }
            (keyword, schema) if SAME_VALUE.contains(&keyword) => {
                part.same_value.push(self.part(schema));
            }
            _ => {}
        }
        part.looks_again |= unevaluated::is_it(keyword);
    }
}

/// How many values there are in a value.
fn values_in(value: &Value) -> u64 {
    let mut left = vec![value];
    let mut count = 0;
    while let Some(value) = left.pop() {
        count += 1;
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(Map::values(members)),
            _ => {}
        }
    }
    count
}
