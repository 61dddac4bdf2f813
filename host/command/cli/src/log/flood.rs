//! A log that others can't fill. A server's lines or a client's requests may each cause a warning.
//! The host writes a bounded number of these: some hundreds of each kind at once, and then one a
//! second. It counts the omitted lines and reports them.
//!
//! Lines below warnings are not counted: the operator turned them on.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, Once};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

/// How many lines of one kind there may be at once.
const AT_ONCE: u32 = 200;
/// After how long there may be one more.
const ONE_MORE: Duration = Duration::from_secs(1);
/// How often omitted lines are reported.
const TOLD: Duration = Duration::from_secs(10);
/// How much of an omitted line's text is reported, in bytes.
const MOST_LIKE: usize = 200;

static FLOOD: LazyLock<Mutex<Flood>> = LazyLock::new(Mutex::default);

/// Events as something else formats them, unless too many of their kind have come.
pub(super) struct BoundedFormat<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for BoundedFormat<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        let is_bounded = *metadata.level() <= Level::WARN;
        let like = || Message::of(event);
        if is_bounded
            && !FLOOD
                .lock()
                .passes(metadata.callsite(), Instant::now(), like)
        {
            tell_later();
            return Ok(());
        }
        self.0.format_event(context, writer, event)
    }
}

/// Reports omitted lines from time to time.
fn tell_later() {
    static TELLER: Once = Once::new();
    TELLER.call_once(|| {
        let teller = std::thread::Builder::new().name("log".to_owned());
        // Without a thread, the report comes at the end.
        let _ = teller.spawn(|| {
            loop {
                std::thread::sleep(TOLD);
                tell();
            }
        });
    });
}

/// Reports omitted lines.
pub(in super::super) fn tell() {
    let left_out = FLOOD.lock().take();
    for (lines, like) in left_out {
        tracing::warn!(
            lines,
            like,
            "log lines were omitted: too many of one kind at once"
        );
    }
}

#[derive(Default)]
struct Flood(HashMap<Identifier, Kind>);

/// Lines of one kind: of one place in the sources.
struct Kind {
    /// When the full burst is available again.
    full: Instant,
    left_out: u64,
    like: String,
}

impl Flood {
    /// Whether there is room for one more.
    fn passes(&mut self, kind: Identifier, now: Instant, like: impl FnOnce() -> String) -> bool {
        let kind = self.0.entry(kind).or_insert_with(|| Kind {
            full: now,
            left_out: 0,
            like: String::new(),
        });
        let after = kind.full.max(now) + ONE_MORE;
        if after.duration_since(now) <= ONE_MORE * AT_ONCE {
            kind.full = after;
            return true;
        }
        if kind.left_out == 0 {
            kind.like = like();
        }
        kind.left_out += 1;
        false
    }

    /// How many lines were omitted since the last report, and the text of one of them.
    fn take(&mut self) -> Vec<(u64, String)> {
        let kinds = self.0.values_mut().filter(|kind| kind.left_out > 0);
        kinds
            .map(|kind| {
                let like = std::mem::take(&mut kind.like);
                (std::mem::take(&mut kind.left_out), like)
            })
            .collect()
    }
}

/// What a line says, without its fields.
#[derive(Default)]
struct Message(String);

impl Message {
    fn of(event: &Event<'_>) -> String {
        let mut like = Self::default();
        event.record(&mut like);
        like.0.truncate(like.0.floor_char_boundary(MOST_LIKE));
        like.0
    }
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_some_hundreds_pass_at_once_then_one_a_second_and_the_rest_is_told() {
        let mut kinds = Vec::new();
        tracing::subscriber::with_default(tracing_subscriber::registry(), || {
            let callsites: [&'static dyn tracing::Callsite; 2] = [
                tracing::callsite!(name: "one", kind: tracing::metadata::Kind::EVENT, fields: message),
                tracing::callsite!(name: "other", kind: tracing::metadata::Kind::EVENT, fields: message),
            ];
            kinds.extend(callsites.map(|it| it.metadata().callsite()));
        });
        let mut flood = Flood::default();
        let now = Instant::now();
        let passed = |flood: &mut Flood, kind: usize, at: Duration, many: usize| {
            let passes = (0..many)
                .filter(|_| flood.passes(kinds[kind].clone(), now + at, || "said".to_owned()));
            passes.count()
        };
        assert_eq!(passed(&mut flood, 0, Duration::ZERO, 10_000), 200);
        // It leaves room for all others.
        assert_eq!(passed(&mut flood, 1, Duration::ZERO, 150), 150);
        assert_eq!(flood.take(), [(9_800, "said".to_owned())]);
        assert_eq!(flood.take(), []);
        // For an hour, a hundred a second.
        let in_an_hour: usize = (1..=3_600)
            .map(|second| passed(&mut flood, 0, Duration::from_secs(second), 100))
            .sum();
        assert_eq!(in_an_hour, 3_600);
        assert_eq!(flood.take()[0].0, 3_600 * 99);
        // Once it is over, all of the room comes back.
        let later = Duration::from_secs(3_600 + 200);
        assert_eq!(passed(&mut flood, 0, later, 500), 200);
    }
}
