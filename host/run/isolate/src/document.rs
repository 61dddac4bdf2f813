//! An outcome as one JSON document; its form is in the documentation of [`Outcome`].

use std::borrow::Cow;

use ampoule_untrusted::json;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::call_log::CallLog;
use crate::outcome::{Ending, Outcome};

/// How deeply a value may be nested for most programs to read it.
const READABLE_DEPTH: usize = 120;

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        document.serialize_entry("ending", self.ending.name())?;
        match &self.ending {
            Ending::Returned(value) => {
                document.serialize_entry("value", &value.as_deref().map(readable))?;
            }
            Ending::Threw(thrown) => {
                document.serialize_entry("error", thrown)?;
                if !self.error_content.is_empty() {
                    document.serialize_entry("errorContent", &self.error_content)?;
                }
            }
            Ending::Trapped(trapped) => document.serialize_entry("error", trapped)?,
            Ending::Limit(hit) => {
                document.serialize_entry("limit", hit.limit.name())?;
                document.serialize_entry("used", &hit.used)?;
                document.serialize_entry("allowed", &hit.allowed)?;
                document.serialize_entry("unit", hit.limit.unit())?;
            }
            Ending::Interrupted(interrupted) => document.serialize_entry("error", interrupted)?,
            Ending::Cancelled => {}
        }
        document.serialize_entry("output", &self.output)?;
        if !self.emitted.is_empty() {
            let emitted: Vec<_> = self.emitted.iter().map(|value| readable(value)).collect();
            document.serialize_entry("emitted", &emitted)?;
        }
        document.serialize_entry("usage", &self.usage)?;
        if let Some(log) = &self.call_log {
            document.serialize_entry("callLog", &LogWithText::of(log))?;
        }
        if let Some(undo) = &self.undo {
            document.serialize_entry("undo", undo)?;
        }
        if let Some(session) = &self.session {
            document.serialize_entry("session", session)?;
        }
        if let Some(record) = &self.record {
            document.serialize_entry("record", record)?;
        }
        if let Some(withheld) = &self.withheld {
            document.serialize_entry("withheld", withheld)?;
        }
        document.end()
    }
}

/// The calls of a failed run, with what a model reads of them.
#[derive(Serialize)]
struct LogWithText<'a> {
    #[serde(flatten)]
    log: &'a CallLog,
    text: String,
}

impl<'a> LogWithText<'a> {
    fn of(log: &'a CallLog) -> Self {
        let text = log.to_string();
        Self { log, text }
    }
}

impl Ending {
    /// The name of its kind, as in JSON: `returned`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Returned(_) => "returned",
            Self::Threw(_) => "threw",
            Self::Trapped(_) => "trapped",
            Self::Limit(_) => "limit",
            Self::Cancelled => "cancelled",
            Self::Interrupted(_) => "interrupted",
        }
    }
}

/// The value, or its text if it is nested too deeply.
fn readable(value: &RawValue) -> Cow<'_, RawValue> {
    if json::depth(value.get()) <= READABLE_DEPTH {
        return Cow::Borrowed(value);
    }
    to_raw_value(value.get()).map_or(Cow::Borrowed(value), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use ampoule_limits::{Limit, Limits};

    use super::*;
    use crate::output::Output;
    use crate::usage::Usage;

    #[test]
    fn a_value_stays_as_it_was_written_and_each_ending_says_what_it_has() {
        let document = |ending| {
            let outcome = Outcome::new(ending, Output::default(), Usage::default());
            let text = serde_json::to_string(&outcome).unwrap();
            let (start, _) = text.split_once(r#","output":[],"usage":{"#).unwrap();
            start.to_owned()
        };
        let value = |text: &str| Some(RawValue::from_string(text.to_owned()).unwrap());
        let returned = Ending::Returned(value("[1.0, 12345678901234567890123]"));
        assert_eq!(
            document(returned),
            r#"{"ending":"returned","value":[1.0, 12345678901234567890123]"#
        );
        assert_eq!(
            document(Ending::Returned(None)),
            r#"{"ending":"returned","value":null"#
        );
        let nested = format!("{}{}", "[".repeat(121), "]".repeat(121));
        assert_eq!(
            document(Ending::Returned(value(&nested))),
            format!(r#"{{"ending":"returned","value":"{nested}""#)
        );
        assert_eq!(
            document(Ending::Limit(Limit::Calls.hit(10_001, &Limits::default()))),
            r#"{"ending":"limit","limit":"calls","used":10001,"allowed":10000,"unit":"calls""#
        );
        assert_eq!(document(Ending::Cancelled), r#"{"ending":"cancelled""#);
    }
}
