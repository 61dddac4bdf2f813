//! YAML as JSON: written as the parser reads it, so that no tree of it is held.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::Value;

use super::load::MAX_BYTES;

/// How deep a file may be nested.
const MAX_DEPTH: usize = 100;

/// A list or an object whose end has not come yet.
struct Open {
    is_object: bool,
    /// What was written of it, without brackets.
    written: String,
    /// What `<<` adds, which its own members override.
    merged: String,
    /// Of an object, the name whose value comes next.
    name: Option<String>,
    anchor: usize,
}

/// The first document of a YAML file as JSON.
///
/// # Errors
///
/// Why it can't be read, without a word of what it says.
pub(super) fn json(text: &str) -> Result<String, String> {
    let mut writer = Writer::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let (line, column) = (error.marker().line(), error.marker().col() + 1);
            format!("it is not valid YAML at line {line}, column {column}")
        })?;
        writer
            .event(event)
            .map_err(|why| format!("{why}, at line {}", span.start.line()))?;
        if let Some(done) = writer.done {
            return Ok(done);
        }
    }
    Err("it is empty".to_owned())
}

#[derive(Default)]
struct Writer {
    open: Vec<Open>,
    anchors: HashMap<usize, String>,
    /// What anchors hold, in bytes.
    kept: u64,
    /// What aliases repeated, in bytes.
    repeated: u64,
    done: Option<String>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                if self.wants_name() {
                    return self.name(text.into_owned());
                }
                let json = scalar(&text, style);
                self.keep(anchor, &json)?;
                self.value(&json)
            }
            Event::Alias(anchor) => {
                let json = self
                    .anchors
                    .get(&anchor)
                    .cloned()
                    .unwrap_or_else(|| "null".to_owned());
                self.repeated += json.len() as u64;
                if self.repeated > MAX_BYTES {
                    return Err("its aliases repeat too much".to_owned());
                }
                match self.wants_name() {
                    true => self.name(serde_json::from_str(&json).unwrap_or_default()),
                    false => self.value(&json),
                }
            }
            Event::SequenceStart(anchor, _) => self.open(false, anchor),
            Event::MappingStart(anchor, _) => self.open(true, anchor),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => Ok(()),
        }
    }

    fn wants_name(&self) -> bool {
        let last = self.open.last();
        last.is_some_and(|open| open.is_object && open.name.is_none())
    }

    fn name(&mut self, name: String) -> Result<(), String> {
        if let Some(open) = self.open.last_mut() {
            open.name = Some(name);
        }
        Ok(())
    }

    fn open(&mut self, is_object: bool, anchor: usize) -> Result<(), String> {
        if self.open.len() == MAX_DEPTH {
            return Err("it is nested too deep".to_owned());
        }
        if self.wants_name() {
            return Err("the name of a member is not text".to_owned());
        }
        self.open.push(Open {
            is_object,
            written: String::new(),
            merged: String::new(),
            name: None,
            anchor,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let Open {
            written, merged, ..
        } = &open;
        let comma = match merged.is_empty() || written.is_empty() {
            true => "",
            false => ",",
        };
        let json = match open.is_object {
            true => format!("{{{merged}{comma}{written}}}"),
            false => format!("[{written}]"),
        };
        self.keep(open.anchor, &json)?;
        self.value(&json)
    }

    fn keep(&mut self, anchor: usize, json: &str) -> Result<(), String> {
        if anchor > 0 {
            // One anchor within the other, each holds what the inner one does.
            self.kept += json.len() as u64;
            if self.kept > MAX_BYTES {
                return Err("its anchors hold too much".to_owned());
            }
            self.anchors.insert(anchor, json.to_owned());
        }
        Ok(())
    }

    fn value(&mut self, json: &str) -> Result<(), String> {
        let Some(open) = self.open.last_mut() else {
            self.done = Some(json.to_owned());
            return Ok(());
        };
        let name = open.name.take();
        if name.as_deref() == Some("<<") && json.starts_with(['{', '[']) {
            return open.merge(json);
        }
        if !open.written.is_empty() {
            open.written.push(',');
        }
        if let Some(name) = name {
            open.written.push_str(&Value::from(name).to_string());
            open.written.push(':');
        }
        open.written.push_str(json);
        if open.written.len() as u64 > 2 * MAX_BYTES {
            return Err("it is too long".to_owned());
        }
        Ok(())
    }
}

impl Open {
    /// Adds the members of one object, or of several, of which the first wins.
    fn merge(&mut self, json: &str) -> Result<(), String> {
        let objects: Vec<Box<serde_json::value::RawValue>> = match json.starts_with('[') {
            true => serde_json::from_str(json).map_err(|error| error.to_string())?,
            false => vec![serde_json::from_str(json).map_err(|error| error.to_string())?],
        };
        for object in objects.iter().rev() {
            let members = object
                .get()
                .strip_prefix('{')
                .and_then(|it| it.strip_suffix('}'));
            let members = members.unwrap_or_default();
            if !self.merged.is_empty() && !members.is_empty() {
                self.merged.push(',');
            }
            self.merged.push_str(members);
        }
        Ok(())
    }
}

/// A scalar of YAML 1.2 as JSON.
fn scalar(text: &str, style: ScalarStyle) -> String {
    let quoted = || Value::from(text).to_string();
    if style != ScalarStyle::Plain {
        return quoted();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => "null".to_owned(),
        "true" | "True" | "TRUE" => "true".to_owned(),
        "false" | "False" | "FALSE" => "false".to_owned(),
        _ => number(text).map_or_else(quoted, Cow::into_owned),
    }
}

fn number(text: &str) -> Option<Cow<'_, str>> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        let number = u64::from_str_radix(hex, 16).ok();
        return number.map(|number| number.to_string().into());
    }
    // What JSON has as a number stays as it is written, however many digits that are.
    if serde_json::from_str::<serde_json::Number>(text).is_ok() {
        return Some(text.into());
    }
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let number: f64 = text.chars().all(is_number).then(|| text.parse().ok())??;
    let written = serde_json::Number::from_f64(number)?;
    match number.fract() == 0.0 && number.abs() < 1e15 && !text.contains(['.', 'e', 'E']) {
        true => Some((number as i64).to_string().into()),
        false => Some(written.to_string().into()),
    }
}
