//! Standard output and standard error, each written by a thread: a slow reader delays neither a run
//! nor its end.
//!
//! - `queue`: what is still to be written, and its thread; `descriptor`: the two streams as the
//!   system has them
//! - `status`: the status line, redrawn in place on a terminal
//! - `layout`: text for people, wrapped at words where a terminal is narrow
//!
//! Where both streams are one, as on a terminal, one thread writes both in order.

mod descriptor;
mod layout;
mod queue;
mod status;

use std::fmt::Display;
use std::io;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

use self::descriptor::Descriptor;
use self::queue::Queue;
use self::status::Status;
pub(super) use self::status::{Obstacle, ReasonLookup, Waiting};
use ampoule_untrusted::text;

/// Notes: what a run used, and where its servers come from.
const DIM: Style = Style::new().dimmed();
/// Why a command failed.
const FAILED: Style = AnsiColor::Red.on_default().bold();
/// A problem that does not stop the command.
const WARNED: Style = AnsiColor::Yellow.on_default();

/// Below this many columns, a second column has its own lines.
pub(super) const NARROW: usize = 80;
/// How long the process waits at its end for a reader that reads nothing.
const LAST_PATIENCE: Duration = Duration::from_millis(250);
/// How much of an unread log is buffered, in bytes.
const MOST_LOG_BYTES: usize = 1 << 20;

static STREAMS: LazyLock<[Stream; 2]> = LazyLock::new(|| {
    let out = Queue::start(Descriptor::Out);
    let err = if Descriptor::are_one() {
        Arc::clone(&out)
    } else {
        Queue::start(Descriptor::Err)
    };
    [
        Stream::new(Descriptor::Out, out),
        Stream::new(Descriptor::Err, err),
    ]
});

/// Standard output: results.
pub(super) fn out() -> &'static Stream {
    &STREAMS[0]
}

/// Standard error: notes, warnings and failures.
pub(super) fn err() -> &'static Stream {
    &STREAMS[1]
}

/// Whether text in two columns is hard to read. Nothing is decided by that about colours yet.
pub(super) fn are_narrow() -> bool {
    Descriptor::Out.width().is_some_and(|width| width < NARROW)
}

/// Waits for readers that still read, for those that don't no longer than [`LAST_PATIENCE`]:
/// nothing is written after that.
pub(super) async fn finish() {
    err().queue.set_status(Status::end);
    let now = Instant::now();
    for stream in &*STREAMS {
        stream.queue.drained(Some(now), LAST_PATIENCE).await;
    }
}

/// One of the two streams.
pub(super) struct Stream {
    descriptor: Descriptor,
    queue: Arc<Queue>,
    coloured: bool,
}

impl Stream {
    fn new(descriptor: Descriptor, queue: Arc<Queue>) -> Self {
        Self {
            descriptor,
            queue,
            coloured: descriptor.wants_colours(),
        }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.descriptor.is_terminal()
    }

    /// How many columns the terminal has; none if this is not a terminal, where lines may have any
    /// length.
    pub(super) fn width(&self) -> Option<usize> {
        self.descriptor.width()
    }

    /// Writes this and a line end, in its turn.
    pub(super) fn line(&self, text: impl Display) {
        self.queue.push(self.descriptor, format!("{text}\n"));
    }

    /// Writes a part of a line, or several, in its turn. It is escaped already.
    pub(super) fn piece(&self, text: String) {
        self.queue.push(self.descriptor, text);
    }

    /// Text of others, such as a script: on a terminal, control characters are escaped. Elsewhere
    /// the text is written as it is.
    pub(super) fn foreign_line(&self, foreign: &str) {
        if self.is_terminal() {
            self.line(text::visible(foreign));
        } else {
            self.line(foreign);
        }
    }

    /// Prints a note.
    pub(super) fn note(&self, note: impl Display) {
        let note = self.prose(&format!("ampoule: {note}"));
        self.line(self.painted(DIM, &note));
    }

    /// Prints a warning; the command continues.
    pub(super) fn warning(&self, warning: impl Display) {
        self.marked(WARNED, &warning);
    }

    /// Prints why the command failed.
    pub(super) fn failure(&self, failure: impl Display) {
        self.marked(FAILED, &failure);
    }

    /// Prints a problem of a server. The server may have written parts of it: further lines are
    /// indented, so that none looks like one of Ampoule's.
    pub(super) fn problem(&self, problem: &str) {
        self.failure(problem.replace('\n', "\n  "));
    }

    fn marked(&self, style: Style, said: &dyn Display) {
        let said = self.prose(&format!("ampoule: {said}"));
        let (mark, rest) = said.split_at("ampoule:".len());
        self.line(format!("{}{rest}", self.painted(style, mark)));
    }

    /// Text for people: escaped, and wrapped at words.
    pub(super) fn prose(&self, said: &str) -> String {
        layout::prose(&text::visible(said), self.width())
    }

    /// A line, wrapped at words on a terminal, with prefixes for its first and its other lines.
    pub(super) fn wrapped(&self, line: &str, first: &str, others: &str) -> String {
        layout::wrapped(line, self.width().unwrap_or(usize::MAX), first, others)
    }

    /// The same as [`prose`](Self::prose) for lines that are indented.
    pub(super) fn indented(&self, said: &str) -> String {
        layout::indented(said, self.width())
    }

    /// JSON of a script or a server: on a terminal, control characters are escaped. Its meaning
    /// stays the same.
    pub(super) fn json(&self, json: &str) {
        if self.is_terminal() {
            let lines: Vec<_> = json.lines().map(text::escape_hidden).collect();
            self.line(lines.join("\n"));
        } else {
            self.line(json);
        }
    }

    /// How a run ended that returned nothing: a name, a colon, and what a script or a server says.
    pub(super) fn ended(&self, ended: impl Display) {
        let ended = self.prose(&ended.to_string());
        let name = ended.find([':', '\n']).unwrap_or(ended.len());
        let (name, rest) = ended.split_at(name);
        self.line(format!("{}{rest}", self.painted(FAILED, name)));
    }

    /// In this style, where there are colours.
    pub(super) fn painted(&self, style: Style, text: &str) -> String {
        if self.coloured {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Clears the status line: a person is about to type.
    pub(super) fn quiet(&self) {
        self.queue.set_status(Status::end);
    }

    /// Waits until all is written. With a time, gives up then unless a reader still reads: returns
    /// how many bytes were not read.
    pub(super) async fn drained(&self, until: Option<Instant>) -> usize {
        self.queue.drained(until, queue::PATIENCE).await
    }

    /// The error of the stream, if it can't be written to. A reader that went away, as `head` does,
    /// is not an error.
    pub(super) fn fault(&self) -> Option<io::Error> {
        self.queue.fault(self.descriptor)
    }

    /// Shows a status line, once the wait takes long, until the returned value is dropped.
    pub(super) fn waiting(&self) -> Waiting {
        Waiting::new(Arc::clone(&self.queue))
    }
}

/// The writer of log lines, each whole: lines are dropped if nobody reads the log.
impl io::Write for &Stream {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.queue
            .push_below(self.descriptor, line.to_vec(), MOST_LOG_BYTES);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
