//! `ampoule chat`: an agent at the terminal, or for programs.
//!
//! - `options`: the command line
//! - `start`: from the configuration and the command line to an agent
//! - `people`: tasks of a person at a terminal; `prompt`: the line that is typed; `commands`: `/undo`
//!   and others
//! - `screen`: what happens, as people read it; `flow`: text that arrives word by word
//! - `program`: tasks of a program, as lines of JSON
//! - `question`: what servers ask, at the terminal
//! - `interrupt`: Ctrl-C
//! - `bench`: tasks with checks, done by a model in several ways

mod bench;
mod commands;
mod flow;
mod interrupt;
mod options;
mod people;
mod program;
mod prompt;
mod question;
mod screen;
mod start;

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::options::ChatOptions;
use super::exit::{self, Failure};

const EXAMPLES: &str = "Examples:
  ampoule chat --model qwen3-coder --endpoint http://127.0.0.1:11434/v1
  ampoule chat --model claude-sonnet-4-5 -p 'Which customers have open tickets?'
  ampoule chat --session books --model gpt-5 < task.txt
In a chat, /help lists the commands. Ctrl-C stops a task; twice, it leaves.";

/// The largest task from standard input, in bytes.
const MAX_TASK_BYTES: u64 = 1 << 20;

/// Does your tasks by the scripts of a model: an agent in the terminal.
///
/// The model sees the same tools as the model of any MCP client of `ampoule serve`. The chat shows
/// each script while the model writes it, the script's calls and its output, and asks before calls
/// that need an approval. The model is at any endpoint of OpenAI's or Anthropic's form.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = exit::CHAT_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::CHAT_HELP))]
pub(super) struct Chat {
    #[command(subcommand)]
    what: Option<Measurement>,
    #[command(flatten)]
    options: ChatOptions,
}

/// What a chat measures instead.
#[derive(Debug, Subcommand)]
enum Measurement {
    Bench(Box<bench::Bench>),
}

impl Chat {
    pub(super) async fn execute(mut self) -> Result<ExitCode, Failure> {
        if let Some(Measurement::Bench(bench)) = self.what.take() {
            return bench.execute().await;
        }
        if self.options.output.as_json {
            return program::talk(self.options).await;
        }
        match self.options.prompt.clone() {
            Some(task) => people::one(self.options, task).await,
            None if std::io::stdin().is_terminal() => people::many(self.options).await,
            None => {
                let task = tokio::task::spawn_blocking(read_task).await;
                let task = task.map_err(|error| Failure::host(&error))??;
                people::one(self.options, task).await
            }
        }
    }
}

fn read_task() -> Result<String, Failure> {
    let mut task = String::new();
    let read = std::io::stdin()
        .take(MAX_TASK_BYTES + 1)
        .read_to_string(&mut task);
    read.map_err(|error| Failure::usage(format!("standard input is not text: {error}")))?;
    if task.len() as u64 > MAX_TASK_BYTES {
        return Err(Failure::usage(
            "the task on standard input is larger than 1 MiB; put what it is about into a file of the workspace",
        ));
    }
    match task.trim().is_empty() {
        true => Err(Failure::usage(
            "missing task: use -p, or write it to standard input",
        )),
        false => Ok(task),
    }
}
