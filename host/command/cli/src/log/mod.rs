//! The log, on standard error, as text or as JSON. As text, only an event begins a line with a
//! level. Events hold text of servers, so control characters are escaped and further lines are
//! indented: a server can't forge a line or control the terminal. As JSON, each event is one line,
//! escaped in the same way.
//!
//! Events of a run name the run and the call.
//!
//! - `flood`: the limit on the number of lines

mod flood;

use std::fmt;

use ampoule_telemetry::log::{JsonLines, within};
use ampoule_untrusted::text;
use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

use self::flood::BoundedFormat;
pub(super) use self::flood::tell as tell_what_was_left_out;
use super::streams::{self, Stream};

/// What is logged unless `AMPOULE_LOG` says otherwise.
const USUAL: &str = "warn,rmcp=error";
/// The same where the command itself reports servers that don't start.
const WITHOUT_SERVERS: &str = "warn,rmcp=error,ampoule_upstream::supervise=error";

/// What begins the lines of an event that has several, such as what a server printed last.
const GOES_ON: &str = "  | ";

/// How the log is written.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct LogOptions {
    /// The log: text or json. Default: AMPOULE_LOG_FORMAT.
    #[arg(
        // Subcommands have a `format` of their own.
        id = "log-format",
        long = "log-format",
        value_name = "FORMAT",
        value_enum,
        global = true,
        hide_possible_values = true
    )]
    format: Option<LogFormat>,
}

impl LogOptions {
    fn format(self) -> LogFormat {
        let told = std::env::var("AMPOULE_LOG_FORMAT").ok();
        let told = told.and_then(|told| LogFormat::from_str(&told, true).ok());
        self.format.or(told).unwrap_or(LogFormat::Text)
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

/// Standard output belongs to results, and to the protocol in `serve`.
pub(super) fn to_stderr(options: LogOptions, servers_are_reported: bool) {
    let usual = if servers_are_reported {
        WITHOUT_SERVERS
    } else {
        USUAL
    };
    let filter = EnvFilter::try_from_env("AMPOULE_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(Lines(streams::err()));
    match options.format() {
        LogFormat::Text => log
            .event_format(BoundedFormat(Lines(streams::err())))
            .init(),
        LogFormat::Json => log
            .fmt_fields(JsonFields::new())
            .event_format(BoundedFormat(JsonLines))
            .init(),
    }
}

struct Lines(&'static Stream);

impl MakeWriter<'_> for Lines {
    type Writer = &'static Stream;

    fn make_writer(&self) -> Self::Writer {
        self.0
    }
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let level = event.metadata().level();
        let mut fields = format!("{level} ");
        context.format_fields(Writer::new(&mut fields), event)?;
        for ran in within(context) {
            fields += &format!(" {ran}");
        }
        let shown = text::visible(&fields);
        let mut lines = shown.split('\n');
        let first = self.0.wrapped(lines.next().unwrap_or_default(), "", "  ");
        let (name, rest) = first.split_at(level.as_str().len());
        writeln!(writer, "{}{rest}", self.0.painted(style_of(level), name))?;
        lines.try_for_each(|line| writeln!(writer, "{}", self.0.wrapped(line, GOES_ON, GOES_ON)))
    }
}

fn style_of(level: &Level) -> Style {
    match *level {
        Level::ERROR => AnsiColor::Red.on_default().bold(),
        Level::WARN => AnsiColor::Yellow.on_default(),
        _ => Style::new().dimmed(),
    }
}
