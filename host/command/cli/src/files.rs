//! `ampoule files`: the files of a workspace, which runs read and write.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use ampoule::{Error, FileCode, FileEntry, FileError, FileKind, Principal, Quota, Workspace};
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use serde_json::json;

use super::exit::Failure;
use super::output::Output;
use super::setup::Setup;
use super::{run, streams};

/// How many files are listed.
const LISTED: usize = 100_000;

/// Lists, gets, puts and removes the files of a workspace.
///
/// A workspace is a folder on this machine: `workspace` in the configuration says where, with one
/// folder for each principal. Files that a run writes appear when the run ends.
#[derive(Debug, Args)]
pub(super) struct Files {
    #[command(subcommand)]
    what: Option<Task>,
    /// The principal whose files are meant. Default: the local user.
    #[arg(long, value_name = "NAME", global = true)]
    principal: Option<String>,
    /// Uses this folder instead of the configuration's `workspace`. `put` creates it if missing.
    #[arg(long, value_name = "FOLDER", global = true)]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Lists files (the default).
    Ls,
    /// Writes a file of the workspace to standard output, or to another file.
    Get {
        /// Its path in the workspace.
        path: String,
        /// The file to write to. Default: standard output.
        to: Option<PathBuf>,
    },
    /// Puts a file into the workspace, replacing one of the same path.
    Put {
        /// The file; `-` is standard input.
        file: PathBuf,
        /// Its path in the workspace. Default: its name.
        path: Option<String>,
    },
    /// Removes a file, or a folder with its content.
    Rm {
        /// Its path in the workspace.
        path: String,
    },
}

impl Files {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        let workspace = self.opened()?;
        let what = self.what.unwrap_or(Task::Ls);
        match what {
            Task::Ls => list(&workspace, self.output.as_json)?,
            Task::Get { path, to } => get(&workspace, &path, to)?,
            Task::Put { file, path } => put(&workspace, &file, path, self.output)?,
            Task::Rm { path } => {
                workspace
                    .remove(&path)
                    .map_err(|problem| refused(&path, problem))?;
                self.output.report(
                    &json!({ "removed": path }),
                    format_args!("removed {}", text::one_line(&path)),
                );
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn opened(&self) -> Result<Arc<Workspace>, Failure> {
        if let Some(folder) = &self.workspace {
            return match self.what {
                Some(Task::Put { .. }) => run::opened(folder),
                _ => there(folder),
            };
        }
        let principal = self.principal.as_deref().map(Principal::new);
        let runtime = self.setup.ungoverned()?.runtime;
        runtime.workspace(principal.as_ref())?.ok_or_else(|| {
            Failure::usage("no workspace is configured: name a folder with --workspace, or add `[workspace]` to ampoule.toml")
        })
    }
}

/// The workspace in a folder that exists.
fn there(folder: &Path) -> Result<Arc<Workspace>, Failure> {
    Workspace::existing(folder, Quota::default()).map_err(|error| {
        let folder = text::one_line(&folder.to_string_lossy()).into_owned();
        Failure::usage(match error.kind() {
            io::ErrorKind::NotFound => format!(
                "--workspace {folder}: folder not found; `ampoule run --workspace` and `ampoule files put` create it"
            ),
            io::ErrorKind::NotADirectory => {
                format!("--workspace {folder}: this is a file; name a folder")
            }
            _ => format!("--workspace {folder}: {error}"),
        })
    })
}

fn list(workspace: &Workspace, as_json: bool) -> Result<(), Failure> {
    let all = workspace.all(LISTED);
    let (files, more) = all.map_err(|problem| refused("the workspace", problem))?;
    let out = streams::out();
    if as_json {
        let document = |file: &FileEntry| {
            json!({
                "path": file.path,
                "bytes": file.status.size,
                "modified": humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_nanos(file.status.modified)).to_string(),
            })
        };
        let document: Vec<_> = files.iter().map(document).collect();
        out.json(&json!(document).to_string());
        return Ok(());
    }
    if files.is_empty() {
        streams::err().note("no files");
    }
    for FileEntry { path, status } in &files {
        let kind = match status.kind {
            FileKind::Link => "  a link (not followed)",
            FileKind::Other => "  not a file",
            _ => "",
        };
        out.line(format_args!(
            "{:>12}  {}{kind}",
            status.size,
            text::one_line(path)
        ));
    }
    if more {
        streams::err().note("more files are not listed");
    }
    Ok(())
}

fn get(workspace: &Arc<Workspace>, path: &str, to: Option<PathBuf>) -> Result<(), Failure> {
    // A file that can't be read leaves nothing at the destination.
    let found = workspace.status(path);
    found.map_err(|problem| refused(path, problem))?;
    let mut to: Box<dyn Write> = match to {
        Some(file) => Box::new(File::create(file)?),
        // Bytes as they are, as fast as they are read.
        None => Box::new(io::stdout().lock()),
    };
    let got = workspace.get(path, &mut to);
    got.map_err(|problem| refused(path, problem))?;
    Ok(to.flush()?)
}

fn put(
    workspace: &Arc<Workspace>,
    file: &PathBuf,
    path: Option<String>,
    output: Output,
) -> Result<(), Failure> {
    let is_input = file.as_os_str() == "-";
    let name = file.file_name().filter(|_| !is_input);
    let path = path.or_else(|| Some(name?.to_str()?.to_owned()));
    let path = path.ok_or_else(|| {
        Failure::usage("missing path: say what the file is called in the workspace")
    })?;
    let mut from: Box<dyn Read> = match is_input {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(file)?),
    };
    let put = workspace.put(&path, &mut from);
    let bytes = put.map_err(|problem| refused(&path, problem))?;
    output.report(
        &json!({ "path": path, "bytes": bytes }),
        format_args!("wrote {} ({bytes} bytes)", text::one_line(&path)),
    );
    Ok(())
}

fn refused(path: &str, problem: FileError) -> Failure {
    match problem.code {
        FileCode::Io => Failure::host(&Error::host("the workspace can't be used", problem)),
        _ => Failure::usage(format!("{}: {problem}", text::one_line(path))),
    }
}
