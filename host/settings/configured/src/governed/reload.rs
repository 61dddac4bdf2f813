//! Reloads policies and toolkits when their files change: either all of the new ones, or the old ones stay.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ampoule_audit::{Configuration, Event};
use ampoule_config::{Config, GovernanceConfig, Toolkits};
use ampoule_governance::Governance;
use ampoule_policy::Sources;
use tokio::sync::watch;
use tokio::task::{AbortHandle, spawn_blocking};

use super::sources::{place, sources};

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(500);
/// Who changes policies, as the audit log has it.
const BY: &str = "files";

/// Looks at files, as long as this is there.
pub(super) struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A file or a folder, as far as one sees whether it is another by now.
type FileState = Option<(u64, u64, SystemTime)>;

/// The configuration and the files of its policies, as far as one sees whether they are others.
#[derive(Clone, Default, PartialEq)]
struct Files {
    config: FileState,
    policies: Vec<(PathBuf, FileState)>,
}

/// What was seen last, and what was made of it.
struct WatchedFiles {
    governance: Governance,
    file: PathBuf,
    folder: Option<PathBuf>,
    /// As it was when it was read last.
    read: Files,
    /// As it was the last time that it was looked at.
    looked_at: Files,
    applied: Sources,
    config: GovernanceConfig,
    toolkits: watch::Sender<Toolkits>,
}

/// Looks at the configuration and its policies from now on. `applied` are those that hold. Toolkits
/// are sent where they have changed.
pub(super) fn start(
    governance: &Governance,
    config: &Config,
    applied: Sources,
    toolkits: watch::Sender<Toolkits>,
) -> Option<Watch> {
    let file = config.source.clone()?;
    let mut watched = WatchedFiles {
        governance: governance.clone(),
        // They were read a moment ago: what has changed since then is seen by this.
        read: Files::default(),
        looked_at: Files::default(),
        folder: place(config),
        file,
        applied,
        config: config.governance.clone(),
        toolkits,
    };
    let task = tokio::spawn(async move {
        loop {
            let looking = spawn_blocking(move || {
                watched.look();
                watched
            });
            match looking.await {
                Ok(looked) => watched = looked,
                Err(error) => {
                    tracing::error!(%error, "stopped watching policies");
                    return;
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    });
    Some(Watch(task.abort_handle()))
}

impl WatchedFiles {
    /// Reads changed files, once they change no more: half of a file may allow more than the whole.
    /// An error is logged once, and the files are read again at the next change.
    fn look(&mut self) {
        let files = Files {
            config: seen(&self.file),
            policies: in_folder(self.folder.as_deref()),
        };
        let settled = files == self.looked_at;
        self.looked_at = files;
        if !settled || self.looked_at == self.read {
            return;
        }
        // Before they are read: what is written meanwhile is seen the next time.
        self.read.clone_from(&self.looked_at);
        let config = match Config::load(&self.file) {
            Ok(config) => config,
            Err(error) => return self.refused(&error.to_string()),
        };
        let now = place(&config);
        if now != self.folder {
            // Its files are looked at first, too.
            self.folder = now;
            self.read = Files::default();
            return;
        }
        match sources(&config) {
            // Roles name toolkits: either both are the new ones, or neither.
            Ok(sources) => {
                if self.renew(sources) {
                    self.send(config.toolkits);
                }
            }
            Err(problems) => self.refused(&problems.to_string()),
        }
        self.say_what_waits(config.governance);
    }

    fn send(&self, toolkits: Toolkits) {
        let is_changed = self.toolkits.send_if_modified(|before| {
            let is_changed = *before != toolkits;
            *before = toolkits;
            is_changed
        });
        if is_changed {
            tracing::warn!("reloaded the toolkits");
        }
    }

    /// Whether these policies hold now.
    fn renew(&mut self, sources: Sources) -> bool {
        if sources == self.applied {
            return true;
        }
        match (self.governance).policies_changed(sources.clone(), Some(BY.into())) {
            Ok(()) => {
                self.applied = sources;
                let fingerprint = self.governance.fingerprint();
                let short = fingerprint.get(..12).unwrap_or("none");
                tracing::warn!("reloaded the policies ({short})");
                true
            }
            Err(why) => {
                self.refused(&why.to_string());
                false
            }
        }
    }

    /// Logs why changed policies are not used.
    fn refused(&self, why: &str) {
        tracing::warn!("the changed policies can't be used; the old ones stay in force:\n{why}");
        let Some(log) = self.governance.audit() else {
            return;
        };
        let failed = Event::Configuration(Configuration {
            outcome: "failed".into(),
            reason: Some(why.into()),
            ..Configuration::default()
        });
        if let Err(error) = log.write(&failed) {
            tracing::warn!(%error, "the audit log lacks the change of policies");
        }
    }

    /// Logs which changed tables need a restart.
    fn say_what_waits(&mut self, now: GovernanceConfig) {
        let mut before = std::mem::replace(&mut self.config, now);
        let now = &self.config;
        // These are reloaded.
        before.roles.clone_from(&now.roles);
        before.policies.clone_from(&now.policies);
        before.labels.clone_from(&now.labels);
        before.approvals.ask.clone_from(&now.approvals.ask);
        let changed = [
            ("quotas", before.quotas != now.quotas),
            ("approvals", before.approvals != now.approvals),
            ("privacy", before.privacy != now.privacy),
            ("audit", before.audit != now.audit),
        ];
        for (table, _) in changed.iter().filter(|(_, is_changed)| *is_changed) {
            tracing::warn!("[{table}] was changed; restart to apply it");
        }
    }
}

fn seen(path: &Path) -> FileState {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.ino(), metadata.modified().ok()?))
}

/// The folder's files, in the order of their names, and the folder itself.
fn in_folder(folder: Option<&Path>) -> Vec<(PathBuf, FileState)> {
    let Some(folder) = folder else {
        return Vec::new();
    };
    let listed = || -> io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder)?;
        entries.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = listed().unwrap_or_default();
    paths.retain(|path| path.extension().is_some_and(|it| it == "cedar"));
    paths.push(folder.to_owned());
    paths.sort_unstable();
    let seen = |path: PathBuf| {
        let seen = seen(&path);
        (path, seen)
    };
    paths.into_iter().map(seen).collect()
}
