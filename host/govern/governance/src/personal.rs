//! Personal data: tokens become values where calls leave, and what looks like a token in what comes
//! back becomes a value. The table of a session is shared by its runs.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use ampoule_approvals::Hidden;
use ampoule_privacy::{Boundary, KeepError, Kind, Mode, Table, TableLimits, Tables};
use ampoule_tools::{Call, CallError, ToolResult};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::facts::CarriedLabels;
use crate::known_servers::State;

/// The boundary, with the tables of the sessions that have runs now.
pub(crate) struct Personal {
    pub(crate) boundary: Boundary,
    tables: Option<Tables>,
    open: Mutex<HashMap<Arc<str>, Weak<OpenTable>>>,
}

/// A table, for all runs that share it.
pub(crate) struct OpenTable {
    pub(crate) table: Mutex<Table>,
    /// What it is kept as; `None` if it ends with its run.
    name: Option<Arc<str>>,
    /// How many values are kept, and with what.
    kept: Mutex<(usize, CarriedLabels)>,
    /// What the runs had read that gave the model its tokens.
    carried: Mutex<CarriedLabels>,
}

impl OpenTable {
    /// Whether it may outlive the run.
    pub(crate) fn is_kept(&self) -> bool {
        self.name.is_some()
    }

    /// What goes with its values.
    pub(crate) fn carried(&self) -> CarriedLabels {
        self.carried.lock().clone()
    }

    /// A run that has read this gives the model its tokens.
    pub(crate) fn is_shown_by(&self, carried: &CarriedLabels) {
        self.carried.lock().join(carried);
    }
}

impl Personal {
    pub(crate) fn new(boundary: Boundary, tables: Option<Tables>) -> Self {
        Self {
            boundary,
            tables,
            open: Mutex::default(),
        }
    }

    /// Whether a text has what goes to a model in another form, or not at all. It was left by somebody
    /// who had read this.
    pub(crate) fn keeps_back(&self, carried: &CarriedLabels, text: &str) -> bool {
        let changes = matches!(self.boundary.mode(), Mode::Tokens | Mode::Block);
        // Without a list of tools, all is looked at.
        let is_looked_at = || carried.looked_at || self.boundary.looks_at(|_| false);
        changes && is_looked_at() && !self.boundary.detector().count(text).is_empty()
    }

    /// The table of that name, read if no run has it now. Blocks.
    pub(crate) fn opened(&self, name: Option<Arc<str>>) -> Result<Arc<OpenTable>, KeepError> {
        let known = |name: &Arc<str>| self.open.lock().get(name)?.upgrade();
        if let Some(opened) = name.as_ref().and_then(known) {
            return Ok(opened);
        }
        let table = match (&self.tables, &name) {
            (Some(tables), Some(name)) => tables.read(name)?,
            _ => Table::new(TableLimits::default()),
        };
        let carried = match table.note() {
            Some(note) => serde_json::from_str(note).map_err(|_| KeepError::Damaged)?,
            None => CarriedLabels::default(),
        };
        let opened = Arc::new(OpenTable {
            kept: Mutex::new((table.len(), carried.clone())),
            table: Mutex::new(table),
            name: name.clone(),
            carried: Mutex::new(carried),
        });
        let Some(name) = name else { return Ok(opened) };
        let mut open = self.open.lock();
        // Another run may have read it meanwhile.
        if let Some(theirs) = open.get(&name).and_then(Weak::upgrade) {
            return Ok(theirs);
        }
        open.retain(|_, opened| opened.strong_count() > 0);
        open.insert(name, Arc::downgrade(&opened));
        Ok(opened)
    }

    /// Keeps what is new in a table. Blocks.
    pub(crate) fn keep(&self, opened: &OpenTable) -> Result<(), KeepError> {
        let (Some(tables), Some(name)) = (&self.tables, &opened.name) else {
            return Ok(());
        };
        let mut kept = opened.kept.lock();
        let mut table = opened.table.lock();
        let carried = opened.carried();
        if table.len() > kept.0 || carried != kept.1 {
            if !carried.is_empty() {
                // Texts and numbers alone can always be written.
                let note = serde_json::to_string(&carried).unwrap_or_default();
                table.put_note(Some(note.into()));
            }
            tables.write(name, &table)?;
            *kept = (table.len(), carried);
        }
        Ok(())
    }

    /// Arguments with values in place of tokens, as far as the tool may have them; none if it has
    /// no tokens.
    pub(crate) fn send(
        &self,
        arguments: &Map<String, Value>,
        call: &Call,
        state: &State,
        opened: &OpenTable,
    ) -> Result<Option<Map<String, Value>>, CallError> {
        let table = opened.table.lock();
        let members = arguments.iter().map(|(name, value)| (&**name, value));
        if table.is_empty() || !any(members, &has_sign) {
            return Ok(None);
        }
        let denied = |why: &dyn std::fmt::Display| CallError::Denied(why.to_string());
        let json = serde_json::to_string(arguments).map_err(|error| denied(&error))?;
        let is_of = |pattern: &str| state.receives(&call.server, &call.tool, pattern);
        let sent = self.boundary.send(&json, is_of, &table);
        let json = sent.map_err(|error| denied(&error))?.json;
        let read = |json: String| serde_json::from_str(&json).map_err(|error| denied(&error));
        json.map(read).transpose()
    }

    /// What came back, with nothing in it that could be taken for a token.
    pub(crate) fn take_in(
        &self,
        answer: Result<ToolResult, CallError>,
        opened: &OpenTable,
    ) -> Result<ToolResult, CallError> {
        let mut table = opened.table.lock();
        if self.boundary.mode() != Mode::Tokens && table.is_empty() {
            return answer;
        }
        let mut take_in = |text: &str| self.boundary.take_in(text, &mut table).into_owned();
        let unreadable = |_| CallError::Protocol("the result can't be read".to_owned());
        let mut result = match answer {
            Ok(result) => result,
            Err(error) => return Err(told(error, &mut take_in)),
        };
        let whole = [&mut result.structured_content, &mut result.meta];
        for json in whole
            .into_iter()
            .flatten()
            .filter(|json| has_sign(json.get()))
        {
            let taken = take_in(json.get());
            *json = RawValue::from_string(taken).map_err(unreadable)?;
        }
        if any(result.content.iter().map(|block| ("", block)), &has_sign) {
            let json = serde_json::to_string(&result.content).map_err(unreadable)?;
            result.content = serde_json::from_str(&take_in(&json)).map_err(unreadable)?;
        }
        Ok(result)
    }

    /// What a person who is asked is not shown of arguments: keys and passwords.
    pub(crate) fn hides(&self, value: &Value) -> Option<Hidden> {
        let text = value.as_str()?;
        let found = self.boundary.detector().find(text);
        let is_secret = found.iter().any(|it| matches!(it.kind, Kind::Secret(_)));
        is_secret.then_some(Hidden::Secret)
    }
}

/// An error with its text taken in.
fn told(error: CallError, take_in: &mut impl FnMut(&str) -> String) -> CallError {
    match error {
        CallError::NotReached(text) => CallError::NotReached(take_in(&text)),
        CallError::NeedsSignIn(text) => CallError::NeedsSignIn(take_in(&text)),
        CallError::Denied(text) => CallError::Denied(take_in(&text)),
        CallError::Arguments(text) => CallError::Arguments(take_in(&text)),
        CallError::Refused(text) => CallError::Refused(take_in(&text)),
        CallError::TimedOut(text) => CallError::TimedOut(take_in(&text)),
        CallError::Cancelled(text) => CallError::Cancelled(take_in(&text)),
        CallError::Lost(text) => CallError::Lost(take_in(&text)),
        CallError::Protocol(text) => CallError::Protocol(take_in(&text)),
        other => other,
    }
}

/// Whether a text may have a token: each has one of these in it, or what it is escaped by.
fn has_sign(text: &str) -> bool {
    text.bytes()
        .any(|byte| matches!(byte, b'<' | b'&' | b'%' | b'\\'))
}

/// Whether any text of values is so, names included.
fn any<'v>(
    values: impl IntoIterator<Item = (&'v str, &'v Value)>,
    is: &impl Fn(&str) -> bool,
) -> bool {
    let mut left: Vec<(&str, &Value)> = values.into_iter().collect();
    while let Some((name, value)) = left.pop() {
        if is(name) {
            return true;
        }
        match value {
            Value::String(text) if is(text) => return true,
            Value::Array(items) => left.extend(items.iter().map(|item| ("", item))),
            Value::Object(members) => {
                left.extend(members.iter().map(|(name, member)| (&**name, member)));
            }
            _ => {}
        }
    }
    false
}
