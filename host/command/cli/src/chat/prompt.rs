//! The line that a person types, with its history.

use std::io;
use std::path::PathBuf;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, Helper};
use tokio::sync::{mpsc, oneshot};

use super::commands;
use crate::streams;

/// How many lines the history has.
const HISTORY: usize = 1000;
/// The file of the history, in the folder of conversations.
const FILE: &str = "chats/history";

/// What a person did at the prompt.
pub(super) enum PromptInput {
    /// Typed a line, or several.
    Line(String),
    /// Ended the input.
    Leave,
}

/// The prompt. A thread reads: it can't be interrupted.
pub(super) struct Prompt {
    wanted: mpsc::Sender<oneshot::Sender<PromptInput>>,
    /// How the terminal was before.
    before: Option<Termios>,
}

impl Prompt {
    pub(super) fn open() -> Self {
        let (wanted, wants) = mpsc::channel(1);
        std::thread::spawn(move || read(wants));
        Self {
            wanted,
            before: tcgetattr(rustix::stdio::stdin()).ok(),
        }
    }

    /// The next line. A line that ends with a backslash continues.
    pub(super) async fn next(&self) -> PromptInput {
        let (answer, typed) = oneshot::channel();
        if self.wanted.send(answer).await.is_err() {
            return PromptInput::Leave;
        }
        typed.await.unwrap_or(PromptInput::Leave)
    }

    /// Gives the terminal back as it was: the thread may be in the middle of a line.
    pub(super) fn close(self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}

fn read(mut wants: mpsc::Receiver<oneshot::Sender<PromptInput>>) {
    let mut editor = match editor() {
        Ok(editor) => editor,
        Err(error) => {
            return streams::err().failure(format_args!("the terminal can't be read: {error}"));
        }
    };
    let history = ampoule::data_folder().map(|folder| folder.join(FILE));
    load(&mut editor, history.as_ref());
    while let Some(answer) = wants.blocking_recv() {
        let typed = line(&mut editor, history.as_ref());
        let is_last = matches!(typed, PromptInput::Leave);
        if answer.send(typed).is_err() || is_last {
            return;
        }
    }
}

type LineEditor = Editor<Lines, FileHistory>;

fn editor() -> Result<LineEditor, ReadlineError> {
    let config = Config::builder()
        .max_history_size(HISTORY)?
        .history_ignore_space(true)
        .auto_add_history(false)
        .bracketed_paste(true)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Lines));
    Ok(editor)
}

fn load(editor: &mut LineEditor, history: Option<&PathBuf>) {
    // A new history begins where there is none.
    if let Some(Err(ReadlineError::Io(error))) = history.map(|file| editor.load_history(file))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "the history can't be read");
    }
}

fn line(editor: &mut LineEditor, history: Option<&PathBuf>) -> PromptInput {
    let mut is_interrupted = false;
    loop {
        match editor.readline("› ") {
            Ok(line) => {
                let line = line.replace("\\\n", "\n");
                if editor.add_history_entry(&line).unwrap_or(false)
                    && let Some(Err(error)) = history.map(|file| editor.append_history(file))
                {
                    tracing::debug!(%error, "the history can't be written");
                }
                return PromptInput::Line(line);
            }
            Err(ReadlineError::Interrupted) if !is_interrupted => {
                is_interrupted = true;
                streams::err().note("Ctrl-C again leaves");
            }
            Err(_) => return PromptInput::Leave,
        }
    }
}

/// Which lines go together, and the names of commands.
struct Lines;

impl Helper for Lines {}
impl Highlighter for Lines {}

impl Hinter for Lines {
    type Hint = String;
}

impl Validator for Lines {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match context.input().ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Completer for Lines {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        place: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let begun = line.get(..place).unwrap_or_default();
        let names = commands::NAMES.iter().map(|name| format!("/{name}"));
        let fits = |name: &String| begun.starts_with('/') && name.starts_with(begun);
        Ok((0, names.filter(fits).collect()))
    }
}
