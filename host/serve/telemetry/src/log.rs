//! The log: what ran when an event happened, and events as JSON.
//!
//! What happens in a run is within a span called `run`, with its id and whose it is; what happens
//! in one of its calls, in one called `call`, with its number. Both are spans of the level `ERROR`,
//! so that they are there wherever any event is.

use std::fmt;

use ampoule_untrusted::text;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, JsonFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// The spans that say what ran.
const CONTEXT: [&str; 2] = ["run", "call"];

/// What ran when an event happened, as whatever formats the log's fields has written it: of a run,
/// and then of its call.
pub fn within<S, N>(context: &FmtContext<'_, S, N>) -> Vec<String>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    let spans = context.event_scope().into_iter();
    let spans = spans.flat_map(tracing_subscriber::registry::Scope::from_root);
    let ours = spans.filter(|span| CONTEXT.contains(&span.name()));
    ours.filter_map(|span| {
        let extensions = span.extensions();
        let fields = extensions.get::<FormattedFields<N>>()?;
        Some(fields.fields.clone())
    })
    .collect()
}

/// Events as JSON, one on a line: `timestamp`, `level`, `target`, `message` and the event's own
/// fields; within a run `run` and `principal`, within a call `call`. What can't be seen is there as
/// JSON's escapes: no line can be forged, and no terminal driven. Wants [`JsonFields`].
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonLines;

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        let mut line = Fields(Map::new());
        let mut now = String::new();
        SystemTime.format_time(&mut Writer::new(&mut now))?;
        line.put("timestamp", now);
        line.put("level", metadata.level().as_str());
        line.put("target", metadata.target());
        event.record(&mut line);
        for fields in within(context) {
            if let Ok(fields) = serde_json::from_str::<Map<String, Value>>(&fields) {
                line.0.extend(fields);
            }
        }
        let line = serde_json::to_string(&line.0).map_err(|_| fmt::Error)?;
        writeln!(writer, "{}", text::escape_hidden(&line))
    }
}

/// An event's fields, as JSON has them.
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field.name(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field.name(), format!("{value:?}"));
    }
}
