//! A command on a terminal: a pseudo-terminal, and the screen that a person would see.

use std::path::Path;
use std::time::Duration;

use pty_process::{Command, Pty, Size};
use rustix::termios::{InputModes, LocalModes, OutputModes, tcgetattr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use vt100::{Color, Parser, Screen};

use crate::command::Workplace;

/// Longer than compiling the guest takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// More rows than any command fills.
const ROWS: u16 = 400;

/// What decides about colours, where a test does not say otherwise.
const ENVIRONMENT: [&str; 4] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"];

/// A process whose standard streams are a terminal.
pub struct Terminal {
    parser: Parser,
    pty: Pty,
    before: Modes,
    child: Child,
}

/// How the terminal treats what is typed and shown.
type Modes = (InputModes, OutputModes, LocalModes);

fn modes(pty: &Pty) -> Modes {
    let modes = tcgetattr(pty).expect("the terminal's modes");
    (modes.input_modes, modes.output_modes, modes.local_modes)
}

/// What is left on the screen of a process that has ended.
pub struct Left {
    /// Its exit code.
    pub code: Option<i32>,
    parser: Parser,
    modes_are_kept: bool,
}

impl Terminal {
    /// Runs a program on a terminal of that width, with these variables besides those of any
    /// terminal.
    ///
    /// # Panics
    ///
    /// Without terminals, or if it can't be started.
    pub fn start(
        workplace: &Workplace,
        columns: u16,
        variables: &[(&str, &str)],
        program: &Path,
        arguments: &[&str],
    ) -> Self {
        let (pty, pts) = pty_process::open().expect("a terminal");
        pty.resize(Size::new(ROWS, columns)).expect("a size");
        let command = ENVIRONMENT
            .iter()
            .fold(Command::new(program), |command, name| {
                command.env_remove(name)
            });
        let command = command
            .args(arguments)
            .current_dir(workplace.path())
            .env("TERM", "xterm-256color")
            .envs(workplace.variables())
            .envs(variables.iter().copied())
            .kill_on_drop(true);
        Self {
            before: modes(&pty),
            child: command.spawn(pts).expect("a process"),
            parser: Parser::new(ROWS, columns, 0),
            pty,
        }
    }

    /// Sends a signal to the process.
    ///
    /// # Panics
    ///
    /// Where it has ended.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(id.expect("it runs"), signal).expect("a signal");
    }

    /// What the screen shows.
    pub fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    /// Waits until the screen shows this.
    ///
    /// # Panics
    ///
    /// Where it never does.
    pub async fn shows(&mut self, text: &str) {
        while !self.screen().contents().contains(text) {
            let shown = self.screen().contents();
            assert!(self.read().await, "it ended without `{text}`:\n{shown}");
        }
    }

    /// Waits until the screen shows this so many times.
    ///
    /// # Panics
    ///
    /// Where it never does.
    pub async fn shows_times(&mut self, text: &str, times: usize) {
        while self.screen().contents().matches(text).count() < times {
            let shown = self.screen().contents();
            assert!(
                self.read().await,
                "it ended without `{text}` {times} times:\n{shown}"
            );
        }
    }

    /// Types something.
    ///
    /// # Panics
    ///
    /// Where the terminal is gone.
    pub async fn types(&mut self, keys: &str) {
        self.pty
            .write_all(keys.as_bytes())
            .await
            .expect("a terminal");
    }

    /// Makes the terminal narrower or wider.
    ///
    /// # Panics
    ///
    /// Where the terminal is gone.
    pub fn resize(&mut self, columns: u16) {
        self.pty.resize(Size::new(ROWS, columns)).expect("a size");
        self.parser.screen_mut().set_size(ROWS, columns);
    }

    /// Waits until the process has ended, and all that it wrote is on the screen.
    ///
    /// # Panics
    ///
    /// Where it does not end.
    pub async fn end(mut self) -> Left {
        while self.read().await {}
        let status = tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .expect("it ends")
            .expect("a status");
        Left {
            code: status.code(),
            modes_are_kept: modes(&self.pty) == self.before,
            parser: self.parser,
        }
    }

    /// Reads some; false at the end.
    async fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let read = tokio::time::timeout(PATIENCE, self.pty.read(&mut bytes))
            .await
            .unwrap_or_else(|_| panic!("nothing more comes:\n{}", self.screen().contents()));
        match read {
            // The last process has closed its side.
            Ok(0) | Err(_) => false,
            Ok(length) => {
                self.parser.process(&bytes[..length]);
                true
            }
        }
    }
}

impl Left {
    /// The text on the screen.
    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// The rows of the screen, as far as there is something on them.
    pub fn rows(&self) -> Vec<String> {
        let (_, columns) = self.parser.screen().size();
        let rows = self.parser.screen().rows(0, columns);
        let mut rows: Vec<String> = rows.collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// Whether a row was too long for the screen, and was broken where it ended.
    pub fn is_ragged(&self) -> bool {
        (0..ROWS).any(|row| self.parser.screen().row_wrapped(row))
    }

    /// Whether anything has a colour, or is bold or dim.
    pub fn is_coloured(&self) -> bool {
        let screen = self.parser.screen();
        let (rows, columns) = screen.size();
        let mut cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells.any(|(row, column)| {
            screen.cell(row, column).is_some_and(|cell| {
                cell.fgcolor() != Color::Default || cell.bold() || cell.dim() || cell.underline()
            })
        })
    }

    /// Whether the terminal is as it was before: its modes, its cursor, and no colour that stays
    /// on.
    pub fn is_restored(&self) -> bool {
        let screen = self.parser.screen();
        self.modes_are_kept
            && !screen.hide_cursor()
            && !screen.alternate_screen()
            && !screen.application_cursor()
            && !screen.bracketed_paste()
            && (screen.fgcolor(), screen.dim(), screen.bold()) == (Color::Default, false, false)
    }
}
