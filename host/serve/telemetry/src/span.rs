//! Spans: where one belongs, and where what happens within it does.

use std::str::FromStr;

use ampoule_tools::Trace;
use ampoule_untrusted::text;
use opentelemetry::trace::{
    Link, Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceFlags, TraceId,
    TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue, Value};

use super::Traces;

/// How much of a name that is not ours a span holds, in bytes.
const MAX_TEXT_BYTES: usize = 256;

/// Where a span belongs.
pub(crate) struct SpanPlace {
    pub(crate) kind: SpanKind,
    /// What it is within.
    pub(crate) within: Option<Trace>,
    /// What it has to do with besides.
    pub(crate) beside: Option<Trace>,
}

impl SpanPlace {
    pub(crate) fn new(kind: SpanKind, within: Option<&Trace>) -> Self {
        Self {
            kind,
            within: within.cloned(),
            beside: None,
        }
    }
}

/// A span; where none are made, only its place.
pub(crate) struct Span {
    span: Option<opentelemetry_sdk::trace::Span>,
    within: Option<Trace>,
}

impl Span {
    /// A span begins. Its name is made only if there is one.
    pub(crate) fn begin(
        traces: Option<&Traces>,
        name: impl FnOnce() -> String,
        place: SpanPlace,
    ) -> Self {
        let SpanPlace {
            kind,
            within,
            beside,
        } = place;
        let span = traces.map(|traces| {
            let parent = within.as_ref().and_then(context_of);
            let parent = parent.map_or_else(Context::new, |parent| {
                Context::new().with_remote_span_context(parent)
            });
            let tracer = traces.tracer();
            let mut span = tracer.span_builder(name()).with_kind(kind);
            if let Some(beside) = beside.as_ref().and_then(context_of) {
                span = span.with_links(vec![Link::with_context(beside)]);
            }
            tracer.build_with_context(span, &parent)
        });
        Self { span, within }
    }

    /// Whether anything that is reported of it is kept.
    pub(crate) fn is_recorded(&self) -> bool {
        self.span.as_ref().is_some_and(|span| span.is_recording())
    }

    /// Tells something of it: numbers, and words of ours.
    pub(crate) fn tell(&mut self, name: &'static str, value: impl Into<Value>) {
        if let Some(span) = &mut self.span {
            span.set_attribute(KeyValue::new(name, value));
        }
    }

    /// Tells a name that somebody else chose.
    pub(crate) fn tell_text(&mut self, name: &'static str, told: &str) {
        if self.is_recorded() {
            let told = &told[..told.floor_char_boundary(MAX_TEXT_BYTES)];
            self.tell(name, text::one_line(told).into_owned());
        }
    }

    /// It failed, for a reason in a word.
    pub(crate) fn fail(&mut self, why: impl Into<Value>) {
        self.tell("error.type", why);
        if let Some(span) = &mut self.span {
            // A description would be for text that may hold anything.
            span.set_status(Status::error(""));
        }
    }

    pub(crate) fn end(&mut self) {
        if let Some(span) = &mut self.span {
            span.end();
        }
    }

    /// Where what happens within it belongs.
    pub(crate) fn trace(&self) -> Option<Trace> {
        match &self.span {
            Some(span) => trace_of(span.span_context()),
            None => self.within.clone(),
        }
    }
}

fn trace_of(context: &SpanContext) -> Option<Trace> {
    let (trace, span) = (context.trace_id(), context.span_id());
    let parent = format!("00-{trace}-{span}-{:02x}", context.trace_flags().to_u8());
    let state = context.trace_state().header();
    Trace::new(&parent, Some(&state))
}

fn context_of(trace: &Trace) -> Option<SpanContext> {
    let mut parts = trace.parent().split('-').skip(1);
    let (id, span, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let state = trace
        .state()
        .and_then(|state| TraceState::from_str(state).ok());
    Some(SpanContext::new(
        TraceId::from_hex(id).ok()?,
        SpanId::from_hex(span).ok()?,
        TraceFlags::new(u8::from_str_radix(flags, 16).ok()?),
        true,
        state.unwrap_or_default(),
    ))
}
