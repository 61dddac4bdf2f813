//! What is said of arguments with places that are not known holds whatever is there: for random
//! schemas, arguments, places, and values in these.

use ampoule_effort::Effort;
use serde_json::Map;

use super::*;
use crate::Form;
use crate::written::arguments;

/// How many schemas are tried.
const SCHEMAS: u64 = 300;

/// How many arguments for each, and how many fillings of these.
const ARGUMENTS: usize = 8;
const FILLINGS: usize = 12;

/// Numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn name(&mut self) -> String {
        ["a", "b", "c", "maxCount", "max_count"][self.below(5)].to_owned()
    }

    fn schema(&mut self, depth: usize) -> Value {
        let most = if depth == 0 { 8 } else { 17 };
        match self.below(most) {
            0 => json!({ "type": "string" }),
            1 => json!({ "type": "integer", "minimum": 1 }),
            2 => json!({ "enum": ["x", "y", 1] }),
            3 => json!({ "type": ["string", "null"], "default": null }),
            4 => json!({ "type": "string", "default": null, "maxLength": 2 }),
            5 => json!({ "const": "x" }),
            6 => json!(self.once_in(2)),
            7 => json!({ "type": "number", "multipleOf": 2 }),
            8 => {
                json!({ "type": "array", "items": self.schema(depth - 1), "minItems": self.below(3), "maxItems": self.below(4) })
            }
            9 => {
                json!({ "type": "array", "prefixItems": [self.schema(depth - 1)], "items": self.schema(depth - 1), "uniqueItems": true })
            }
            10 => json!({ "anyOf": [self.schema(depth - 1), self.schema(depth - 1)] }),
            11 => json!({ "oneOf": [self.schema(depth - 1), self.schema(depth - 1)] }),
            12 => json!({ "not": self.schema(depth - 1) }),
            13 => json!({ "allOf": [self.schema(depth - 1), self.schema(depth - 1)] }),
            14 => {
                json!({ "if": self.schema(depth - 1), "then": self.schema(depth - 1), "else": self.schema(depth - 1) })
            }
            15 => json!({ "type": "array", "contains": self.schema(depth - 1), "maxContains": 1 }),
            _ => self.object_schema(depth - 1),
        }
    }

    fn object_schema(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..self.below(4) {
            let name = self.name();
            properties.insert(name, self.schema(depth));
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if self.once_in(2) {
            schema["required"] = json!([self.name()]);
        }
        match self.below(8) {
            0 => schema["additionalProperties"] = self.schema(depth),
            1 => schema["unevaluatedProperties"] = json!(false),
            2 => schema["patternProperties"] = json!({ "^a": self.schema(depth) }),
            3 => schema["dependentRequired"] = json!({ "a": ["b"] }),
            4 => schema["minProperties"] = json!(self.below(3)),
            5 => schema["maxProperties"] = json!(self.below(3)),
            6 => schema["propertyNames"] = json!({ "maxLength": 1 }),
            _ => schema["additionalProperties"] = json!(false),
        }
        schema
    }

    fn value(&mut self, depth: usize) -> Value {
        let most = if depth == 0 { 7 } else { 10 };
        match self.below(most) {
            0 => json!("x"),
            1 => json!("yyy"),
            2 => json!(1),
            3 => json!(4),
            4 => json!(null),
            5 => json!(true),
            6 => json!(-2.5),
            7 => (0..self.below(3)).map(|_| self.value(depth - 1)).collect(),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut members = Map::new();
        for _ in 0..self.below(4) {
            let name = self.name();
            members.insert(name, self.value(depth));
        }
        Value::Object(members)
    }
}

/// Places in a value that were made unknown, and ones that are open.
#[derive(Default)]
struct Holes {
    unknown: Vec<String>,
    open: Vec<String>,
}

/// Punches holes.
fn punched(random: &mut Random, value: &mut Value, place: &str, holes: &mut Holes) {
    if !place.is_empty() && random.once_in(4) {
        *value = Value::Null;
        holes.unknown.push(place.to_owned());
        return;
    }
    if (value.is_object() || value.is_array()) && random.once_in(5) {
        holes.open.push(place.to_owned());
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                punched(random, member, &format!("{place}/{name}"), holes);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                punched(random, item, &format!("{place}/{index}"), holes);
            }
        }
        _ => {}
    }
}

/// The value with something in its holes. A member may be left out.
fn filled(random: &mut Random, value: &Value, holes: &Holes) -> Value {
    let mut value = value.clone();
    for place in &holes.open {
        match value.pointer_mut(place) {
            Some(Value::Object(members)) => {
                for _ in 0..random.below(3) {
                    let name = random.name();
                    if !members.contains_key(&name) {
                        members.insert(name, random.value(2));
                    }
                }
            }
            Some(Value::Array(items)) => {
                items.extend((0..random.below(3)).map(|_| random.value(2)));
            }
            _ => {}
        }
    }
    for place in &holes.unknown {
        let (above, name) = place.rsplit_once('/').expect("it is within the arguments");
        match value.pointer_mut(above) {
            Some(Value::Object(members)) if random.once_in(4) => {
                members.shift_remove(name);
            }
            Some(above) => {
                let filling = random.value(2);
                match above {
                    Value::Object(members) => drop(members.insert(name.to_owned(), filling)),
                    _ => above[name.parse::<usize>().expect("an index")] = filling,
                }
            }
            None => {}
        }
    }
    value
}

#[test]
fn what_is_said_holds_whatever_is_in_the_places_that_are_not_known() {
    let mut random = Random(7);
    let (mut told, mut silent) = (0, 0);
    for _ in 0..SCHEMAS {
        let schema = random.object_schema(3);
        let stub = Stub::new("s", vec![tool("t", &schema, None)]);
        let granted = granted(&[&stub]);
        let tool = granted.known_tool_on("s", "t").expect("it is there");
        let fails = |arguments: &Value| {
            let text = arguments.to_string();
            let read = tool.listing.read(tool.index, &text, Form::Script);
            read.and_then(|arguments| {
                let effort = Effort::default();
                let checked = tool
                    .listing
                    .check(tool.index, &arguments, tool.idiom, &effort);
                checked
                    .expect("there is effort enough")
                    .map_err(|problem| problem.to_string())
            })
            .is_err()
        };
        for _ in 0..ARGUMENTS {
            let mut arguments = random.object(3);
            let whole = arguments.clone();
            let mut holes = Holes::default();
            punched(&mut random, &mut arguments, "", &mut holes);
            let call = WrittenCall {
                unknown: holes.unknown.clone(),
                open: holes.open.clone(),
                ..super::call("s.t", &arguments)
            };
            let mistake = arguments::known(&tool, &call).and_then(|(arguments, unproven)| {
                let effort = Effort::default();
                let mistakes = tool
                    .listing
                    .mistakes(tool.index, &arguments, &unproven, tool.idiom, &effort);
                mistakes.expect("there is effort enough")
            });
            let Some(mistake) = mistake else {
                silent += usize::from(fails(&whole));
                continue;
            };
            told += 1;
            let fillings = (0..FILLINGS).map(|_| filled(&mut random, &arguments, &holes));
            for filling in fillings.chain([whole]) {
                assert!(
                    fails(&filling),
                    "{mistake}, but {filling} fits {schema}; of {arguments} these are not known: {:?}, {:?}",
                    holes.unknown,
                    holes.open
                );
            }
        }
    }
    assert!(
        told > 200,
        "{told} mistakes, and {silent} that nothing was said of"
    );
}
