//! `ampoule sessions`: state that a run leaves for the next run of the same session.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule::{Principal, SessionEntry, SessionError, SessionVariable, Sessions};
use ampoule_audit::{Event, Session};
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use serde_json::json;

use super::exit::Failure;
use super::governance::command_log::CommandLog;
use super::output::Output;
use super::owner::{OwnerArguments, help_of};
use super::streams;

/// Lists, shows, rewinds and copies sessions of runs.
///
/// `ampoule run --session NAME` and `execute_code` with `session` create sessions. A session can be
/// rewound run by run, copied, and moved to another machine as a file.
#[derive(Debug, Args)]
#[command(mut_arg("principal", help_of("sessions")))]
pub(super) struct SessionsCommand {
    #[command(subcommand)]
    what: Option<Task>,
    #[command(flatten)]
    owner: OwnerArguments,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Lists sessions, the last used first (the default).
    Ls,
    /// Lists the top-level names of a session, with their values.
    Show {
        /// The session.
        name: String,
    },
    /// Rewinds a session by a number of runs.
    Rewind {
        /// The session.
        name: String,
        /// How many runs to undo.
        runs: usize,
    },
    /// Copies a session, with all runs that it can be rewound by.
    Fork {
        /// The session.
        name: String,
        /// The name of the copy.
        new: String,
    },
    /// Writes the state after the last run to a signed file.
    Export {
        /// The session.
        name: String,
        /// The file.
        file: PathBuf,
    },
    /// Creates a session from an exported file.
    Import {
        /// The file.
        file: PathBuf,
        /// The name of the session.
        name: String,
        /// The file `key` from the sessions' folder of the machine that wrote the file, if that was
        /// another machine.
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Removes a session.
    Rm {
        /// The session.
        name: String,
    },
}

impl SessionsCommand {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        let runtime = self.owner.setup.ungoverned()?.runtime;
        let principal = self.owner.principal();
        let shelf = runtime.sessions(principal.as_ref())?;
        let what = self.what.unwrap_or(Task::Ls);
        let event = what.event(principal.as_ref());
        let recorded = match event {
            None => None,
            Some(_) => Some(CommandLog::of(&self.owner.setup.read()?)?),
        };
        done(&shelf, what, self.owner.output)?;
        if let (Some(recorded), Some(event)) = (recorded, event) {
            recorded.done(|| event)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Task {
    /// The action on a session, for the audit log; none if the command only reads.
    fn event(&self, principal: Option<&Principal>) -> Option<Event> {
        let (action, name, from) = match self {
            Self::Ls | Self::Show { .. } => return None,
            Self::Rewind { name, .. } => ("rewound", name, None),
            Self::Fork { name, new } => ("forked", new, Some(name)),
            Self::Export { name, .. } => ("exported", name, None),
            Self::Import { name, .. } => ("imported", name, None),
            Self::Rm { name } => ("removed", name, None),
        };
        Some(Event::Session(Session {
            action: action.into(),
            name: name.as_str().into(),
            principal: principal.map(|it| Arc::clone(it.name())),
            by: Some(ampoule::governance::LOCAL.into()),
            from: from.map(|from| from.as_str().into()),
            ..Session::default()
        }))
    }
}

fn done(shelf: &Arc<Sessions>, what: Task, output: Output) -> Result<(), Failure> {
    match what {
        Task::Ls => list(shelf, output.as_json)?,
        Task::Show { name } => show(shelf, &name, output.as_json)?,
        Task::Rewind { name, runs } => {
            let mut session = shelf.take(&name)?;
            session.rewind(runs)?;
            let run = session.heads()?.last().copied().unwrap_or(0);
            output.report(
                &json!({ "name": name, "run": run }),
                format_args!("{name} is back at run {run}"),
            );
        }
        Task::Fork { name, new } => {
            shelf.take(&name)?.fork(&new)?;
            output.report(
                &json!({ "name": new, "from": name }),
                format_args!("copied {name} to {new}"),
            );
        }
        Task::Export { name, file } => {
            let exported = shelf.take(&name)?.export()?;
            let shown = text::one_line(&file.to_string_lossy()).into_owned();
            write_private(&file, &exported)
                .map_err(|error| Failure::usage(format!("{shown} can't be written: {error}")))?;
            output.report(
                &json!({ "name": name, "file": shown }),
                format_args!(
                    "exported {name} to {shown}; anyone with that file can read the session's values"
                ),
            );
        }
        Task::Import { file, name, key } => {
            shelf.import(&file, &name, key.as_deref())?;
            output.report(&json!({ "name": name }), format_args!("imported {name}"));
        }
        Task::Rm { name } => {
            shelf.take(&name)?.remove()?;
            output.report(&json!({ "removed": name }), format_args!("removed {name}"));
        }
    }
    Ok(())
}

/// Writes a file that only this user can read, even over a file that others could read.
fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut how = OpenOptions::new();
    let mut file = (how.write(true).create(true).truncate(true).mode(0o600)).open(path)?;
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    file.write_all(content)
}

fn list(shelf: &Sessions, as_json: bool) -> Result<(), SessionError> {
    let listed = shelf.list()?;
    let out = streams::out();
    if as_json {
        let document = |session: &SessionEntry| {
            json!({
                "name": session.name,
                "run": session.run,
                "back": session.back,
                "bytes": session.bytes,
                "used": humantime::format_rfc3339_seconds(session.used).to_string(),
            })
        };
        let document: Vec<_> = listed.iter().map(document).collect();
        out.json(&json!(document).to_string());
        return Ok(());
    }
    if listed.is_empty() {
        streams::err().note("no sessions; `ampoule run --session NAME` creates one");
    }
    for SessionEntry {
        name,
        run,
        heads,
        bytes,
        used,
        ..
    } in listed
    {
        let ago = SystemTime::now().duration_since(used).unwrap_or_default();
        let ago = humantime::format_duration(Duration::from_secs(ago.as_secs()));
        let kept = if heads == 1 {
            "1 run"
        } else {
            &format!("{heads} runs")
        };
        out.line(format_args!(
            "{name}  run {run}, {kept} stored in {:.1} KiB, used {ago} ago",
            bytes as f64 / 1024.0
        ));
    }
    Ok(())
}

fn show(shelf: &Arc<Sessions>, name: &str, as_json: bool) -> Result<(), SessionError> {
    let session = shelf.take(name)?;
    let heads = session.heads()?;
    let Some(&newest) = heads.last() else {
        return Err(SessionError::Missing(name.to_owned()));
    };
    let about = session.about(newest)?;
    let out = streams::out();
    if as_json {
        let back = session.back()?;
        let document = json!({ "name": name, "back": back, "head": about });
        out.json(&document.to_string());
        return Ok(());
    }
    for SessionVariable { name, kind, size } in &about.names {
        let size = size.map_or_else(String::new, |size| format!(" ({size})"));
        let line = format!("{name}: {kind}{size}");
        out.line(text::one_line(&line));
    }
    if about.more > 0 {
        out.line(format_args!("and {} more", about.more));
    }
    let back = session.back()?;
    streams::err().note(format_args!(
        "{}, run {newest}, {:.1} MiB of memory; can be rewound by {back} {}",
        about.language,
        about.memory_bytes as f64 / f64::from(1 << 20),
        if back == 1 { "run" } else { "runs" },
    ));
    Ok(())
}

/// The request can't be done, or the folder can't be used.
impl From<SessionError> for Failure {
    fn from(problem: SessionError) -> Self {
        match problem {
            SessionError::Folder(_) => Self::host(&problem),
            problem => Self::usage(problem.to_string()),
        }
    }
}
