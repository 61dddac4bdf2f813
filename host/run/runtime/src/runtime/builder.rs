//! What a runtime is made of, before there is one.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ampoule_isolate::engine::{Capacity, Engines, Shards};
use ampoule_limits::Limits;
use ampoule_parked::ParkedLimits;
use ampoule_sessions::SessionLimits;
use ampoule_tools::{Binding, Catalog, Error, Layer, Layers};
use ampoule_workspace::{Tree, Workspaces};
use parking_lot::Mutex;

use super::{KeptSessions, LaterRuntime, Runtime, Shared, cache_folder};
use crate::governed::{Given, Governed, Own};
use crate::parked::ParkedRuns;
use crate::record::{KeptRecords, RecordOptions};
use crate::shard::Shard;
use crate::skills::{self, KeptSkills, SkillOptions};
use crate::workspace::Offered;

/// Makes a [`Runtime`]. By default
///
/// - there are no bindings,
/// - limits are [`Limits::default`], ceilings are [`Limits::default_ceilings`],
/// - at most 1,000 isolates are alive at once, and a run waits at most 10 s for its place,
/// - compiled code is kept in `ampoule` in the user's cache folder.
pub struct RuntimeBuilder {
    bindings: Vec<Arc<dyn Binding>>,
    limits: Limits,
    ceilings: Limits,
    isolates: u32,
    slot_wait: Duration,
    code_cache: Option<PathBuf>,
    portable_code: bool,
    layers: Layers,
    sessions: Option<(PathBuf, SessionLimits)>,
    records: Option<(PathBuf, RecordOptions)>,
    parked: Option<(PathBuf, ParkedLimits)>,
    park_after: Option<Duration>,
    files: Offered,
    skills: Option<(PathBuf, SkillOptions)>,
    governance: Option<Given>,
}

impl Default for RuntimeBuilder {
    fn default() -> Self {
        Self {
            bindings: Vec::new(),
            limits: Limits::default(),
            ceilings: Limits::default_ceilings(),
            isolates: 1000,
            slot_wait: Duration::from_secs(10),
            code_cache: cache_folder().map(|folder| folder.join("code")),
            portable_code: false,
            layers: Layers::default(),
            sessions: None,
            records: None,
            parked: None,
            park_after: None,
            files: Offered::default(),
            skills: None,
            governance: None,
        }
    }
}

impl RuntimeBuilder {
    /// Adds a binding.
    #[must_use]
    pub fn binding(mut self, binding: impl Binding) -> Self {
        self.bindings.push(Arc::new(binding));
        self
    }

    /// Lets scripts have HTTP requests made, by `fetch` or `urllib.request`: as far as rules allow
    /// them, or by a function of yours. Those of the runs that are granted `outbound`. Default: by
    /// nobody, and scripts have no network.
    #[cfg(feature = "outbound")]
    #[must_use]
    pub fn outbound(
        self,
        outbound: ampoule_outbound::Outbound,
        options: ampoule_outbound::OutboundOptions,
    ) -> Self {
        match ampoule_outbound::OutboundBinding::new(outbound, options) {
            Some(binding) => self.binding(binding),
            None => self,
        }
    }

    /// Governs all runs: who may call what, how often, who is asked, what may flow where, what is on
    /// record. It is told of the bindings' tools. Default: nothing does.
    #[cfg(feature = "governance")]
    #[must_use]
    pub fn governance(mut self, governance: ampoule_governance::Governance) -> Self {
        self.governance = Some(governance);
        self
    }

    /// Puts something between every run and its bindings, inside what earlier layers do.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers = self.layers.with(layer);
        self
    }

    /// What a run may use unless it asks for something else. Lowered to the ceilings.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What no run may exceed.
    #[must_use]
    pub fn ceilings(mut self, ceilings: Limits) -> Self {
        self.ceilings = ceilings;
        self
    }

    /// How many isolates may be alive at once. Each takes address space from the start (about 4
    /// GiB, for each of up to eight cores that run isolates), and memory only while it runs.
    #[must_use]
    pub fn isolates(mut self, most: u32) -> Self {
        self.isolates = most.max(1);
        self
    }

    /// How long a run may wait for its place among the isolates.
    #[must_use]
    pub fn slot_wait(mut self, wait: Duration) -> Self {
        self.slot_wait = wait;
        self
    }

    /// Where compiled code is kept between processes; `None` keeps it nowhere. Nobody else may be
    /// able to write to the folder, or to any folder that contains it.
    #[must_use]
    pub fn code_cache(mut self, folder: Option<PathBuf>) -> Self {
        self.code_cache = folder;
        self
    }

    /// Whether code is compiled for any processor of this machine's architecture, so that what is
    /// kept can be taken to another machine, as in a container's image. It is somewhat slower.
    /// Default: for this machine's own processor.
    #[must_use]
    pub fn portable_code(mut self, portable: bool) -> Self {
        self.portable_code = portable;
        self
    }

    /// Where sessions are kept, and what they may take. Nobody else may be able to read the folder.
    /// Default: nowhere, and there are none.
    #[must_use]
    pub fn sessions(mut self, folder: impl Into<PathBuf>, limits: SessionLimits) -> Self {
        self.sessions = Some((folder.into(), limits));
        self
    }

    /// Where runs leave records, and which do. Nobody else may be able to read the folder. Default:
    /// nowhere, and none does.
    #[must_use]
    pub fn records(mut self, folder: impl Into<PathBuf>, options: RecordOptions) -> Self {
        self.records = Some((folder.into(), options));
        self
    }

    /// Where runs are kept that are [parked](crate::Isolate::park_after), and what they may take.
    /// Nobody else may be able to read the folder. Default: nowhere, and none is.
    #[must_use]
    pub fn parked(mut self, folder: impl Into<PathBuf>, limits: ParkedLimits) -> Self {
        self.parked = Some((folder.into(), limits));
        self
    }

    /// After how long scripts are parked that wait, unless [they say
    /// otherwise](crate::Isolate::park_after). Default: never.
    #[must_use]
    pub fn park_after(mut self, after: Duration) -> Self {
        self.park_after = Some(after);
        self
    }

    /// Where runs have files that outlive them: a workspace for each principal, or one for all.
    /// Default: none, and runs have only files in memory, which are gone with them.
    #[must_use]
    pub fn workspaces(mut self, workspaces: Workspaces) -> Self {
        self.files.workspaces = Some(workspaces);
        self
    }

    /// Gives every run a folder that is there, as `/folders/NAME`: see [`Workspace::folder`](crate::Workspace::folder).
    #[must_use]
    pub fn folder(mut self, name: impl Into<String>, folder: Arc<Tree>) -> Self {
        self.files.folders.push((name.into(), folder));
        self
    }

    /// Where skills are kept, and what they are: code that scripts save with `skills.save`, and that
    /// later ones import from `./skills/NAME`. Nobody else may be able to read the folder. Default:
    /// nowhere, and there are none.
    ///
    /// If a binding is called `skills`, scripts find that, and can save none.
    #[must_use]
    pub fn skills(mut self, folder: impl Into<PathBuf>, options: SkillOptions) -> Self {
        self.skills = Some((folder.into(), options));
        self
    }

    /// Makes the runtime. Guests are compiled when they are first needed, see [`Runtime::warm`].
    ///
    /// # Errors
    ///
    /// A configuration error if scripts could not tell two bindings apart, a limit or a ceiling is
    /// below the [least](crate::Limit::least), or the ceiling of the stack is above
    /// [`Limits::MOST_STACK_BYTES`], or governance's policies do not fit the bindings' tools; a host fault if WebAssembly can't run here.
    pub fn build(self) -> Result<Runtime, Error> {
        if self.ceilings.stack_bytes > Limits::MOST_STACK_BYTES {
            return Err(Error::config(format!(
                "ceilings.stack is {} bytes; the engine's own stack has room for {}",
                self.ceilings.stack_bytes,
                Limits::MOST_STACK_BYTES
            )));
        }
        for (of, limits) in [("limits", &self.limits), ("ceilings", &self.ceilings)] {
            if let Some((limit, problem)) = limits.problem() {
                return Err(Error::config(format!("{of}.{limit}: {problem}")));
            }
        }
        let (mut bindings, later) = (self.bindings, LaterRuntime::default());
        if let Some((_, options)) = &self.skills {
            let is_taken =
                |binding: &Arc<dyn Binding>| binding.name().eq_ignore_ascii_case(skills::BINDING);
            match bindings.iter().any(is_taken) {
                true => tracing::warn!(
                    "a server is called `skills`, so scripts can import skills, and neither save nor list them"
                ),
                false => bindings.push(Arc::new(skills::binding(later.clone(), options.save))),
            }
        }
        let own = (self.governance.as_ref()).map(|given| Own::beside(given, &bindings));
        bindings.extend(own.into_iter().flat_map(Own::bindings));
        let catalog = Catalog::new(bindings).map_err(|same| Error::config(same.to_string()))?;
        let given = self.governance.zip(own);
        let governed = given.map(|given| Governed::new(given, &catalog));
        let capacity = Capacity {
            isolates: self.isolates,
            memory_bytes: self.ceilings.memory_bytes,
            table_elements: self.ceilings.table_elements,
        };
        let sessions = self.sessions.map(|(folder, limits)| KeptSessions {
            folder,
            limits,
            store: OnceLock::new(),
            shelves: Mutex::default(),
        });
        let parked = (self.parked).map(|(folder, limits)| ParkedRuns::new(folder, limits));
        let engines = Engines::new(capacity, self.code_cache.as_deref())?;
        let engines = engines.portable(self.portable_code);
        let first = Shard::new(&engines)?;
        let shared = Arc::new(Shared {
            engines,
            shards: Shards::new(first),
            catalog,
            limits: self.limits.lowered_to(&self.ceilings),
            ceilings: self.ceilings,
            slot_wait: self.slot_wait,
            layers: self.layers,
            sessions,
            records: self.records.map(KeptRecords::of),
            parked,
            park_after: self.park_after,
            files: self.files,
            skills: self.skills.map(KeptSkills::of),
            governed: governed.transpose()?,
        });
        // Nobody else has it.
        let _ = later.0.set(Arc::downgrade(&shared));
        Ok(Runtime { shared })
    }
}
