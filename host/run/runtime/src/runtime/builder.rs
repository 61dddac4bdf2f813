//! What a runtime is made of, before there is one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ampoule_isolate::Check;
use ampoule_isolate::engine::{Capacity, Engines, Shards};
use ampoule_limits::Limits;
use ampoule_tools::meaning::Meaning;
use ampoule_tools::{Binding, Catalog, Error, Layer, Layers};

use super::{LaterRuntime, Runtime, Shared, cache_folder};
use crate::data_guest::DataGuest;
#[cfg(feature = "governance")]
use crate::governed::{Governing, OwnTools};
use crate::guests::{DerivedGuest, GuestOptions, Guests, OtherGuests, PackagedGuest};
use crate::shard::Shard;
use crate::stores::Stores;

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
    check: Check,
    code_cache: Option<PathBuf>,
    portable_code: bool,
    layers: Layers,
    meaning: Option<Arc<dyn Meaning>>,
    pub(crate) javascript: Option<Arc<dyn PackagedGuest>>,
    pub(crate) python: Option<Arc<dyn PackagedGuest>>,
    pub(crate) data: Option<DataGuest>,
    /// The same packages as of `python`, in the guest `data`.
    pub(crate) python_data: Option<Arc<dyn PackagedGuest>>,
    pub(crate) stores: Stores,
    /// What scripts have of skills. It gets the runtime once that is made.
    pub(crate) skills_binding: Option<Arc<dyn Binding>>,
    /// Components that are tools. It gets the runtime once that is made.
    pub(crate) components_binding: Option<Arc<dyn Binding>>,
    /// The runtime that is to be made.
    pub(crate) later: LaterRuntime,
    #[cfg(feature = "governance")]
    governance: Option<ampoule_governance::Governance>,
}

impl Default for RuntimeBuilder {
    fn default() -> Self {
        Self {
            bindings: Vec::new(),
            limits: Limits::default(),
            ceilings: Limits::default_ceilings(),
            isolates: 1000,
            slot_wait: Duration::from_secs(10),
            check: Check::default(),
            code_cache: cache_folder().map(|folder| folder.join("code")),
            portable_code: false,
            layers: Layers::default(),
            meaning: None,
            javascript: None,
            python: None,
            data: None,
            python_data: None,
            stores: Stores::default(),
            skills_binding: None,
            components_binding: None,
            later: LaterRuntime::default(),
            #[cfg(feature = "governance")]
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

    /// Governs all runs: who may call what, how often, which people approve, what may flow where,
    /// what the audit log records. It learns of the bindings' tools. Default: nothing does.
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

    /// Lets searches find tools by what they mean, too: by a model's file, with the feature
    /// `meaning`, or by anything else that says what texts mean. Default: by their words alone.
    #[must_use]
    pub fn meaning(mut self, meaning: impl Meaning) -> Self {
        self.meaning = Some(Arc::new(meaning));
        self
    }

    /// Gives scripts in Python numpy and pandas. A script that names one of their modules runs in this
    /// guest, all others as without. A session, a parked run and a replay keep to the guest that they
    /// began with. Default: none.
    #[must_use]
    pub fn python_data(mut self, guest: DataGuest) -> Self {
        self.data = Some(guest);
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

    /// How scripts are [checked](ampoule_isolate::Script::check) that say nothing else. Default: [`Check::First`].
    #[must_use]
    pub fn check(mut self, check: Check) -> Self {
        self.check = check;
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
        let mut bindings = self.bindings;
        let own = [
            (
                self.skills_binding,
                "a server is called `skills`, so scripts can import skills, but neither save nor list them",
            ),
            (
                self.components_binding,
                "a server is called `components`, so scripts do not have the components that are tools",
            ),
        ];
        for (own, lacking) in own {
            let Some(own) = own else { continue };
            let is_taken =
                |binding: &Arc<dyn Binding>| binding.name().eq_ignore_ascii_case(own.name());
            match bindings.iter().any(is_taken) {
                true => tracing::warn!("{lacking}"),
                false => bindings.push(own),
            }
        }
        #[cfg(feature = "governance")]
        let own = (self.governance.as_ref()).map(|given| OwnTools::beside(given, &bindings));
        #[cfg(feature = "governance")]
        bindings.extend(own.into_iter().flat_map(OwnTools::bindings));
        let catalog = Catalog::with_meaning(bindings, self.meaning);
        let catalog = catalog.map_err(|same| Error::config(same.to_string()))?;
        #[cfg(feature = "governance")]
        let governor = (self.governance.zip(own))
            .map(|(governance, own)| Governing::governor(governance, own, &catalog))
            .transpose();
        #[cfg(not(feature = "governance"))]
        let governor = Ok::<_, Error>(None);
        let has_undo = catalog.servers().iter().any(|it| it.binding().has_undo());
        let capacity = Capacity {
            isolates: self.isolates,
            memory_bytes: self.ceilings.memory_bytes,
            table_elements: self.ceilings.table_elements,
        };
        let engines = Engines::new(capacity, self.code_cache.as_deref())?;
        let engines = engines.portable(self.portable_code);
        let limits = self.limits.lowered_to(&self.ceilings);
        // Packages are imported once for all runs: that may take what no single run gets by default.
        let importing = Limits {
            fuel: self.ceilings.fuel,
            wall_time: self.ceilings.wall_time,
            ..limits
        };
        let derived = |guest: Arc<dyn PackagedGuest>| DerivedGuest {
            guest,
            options: GuestOptions {
                limits: importing,
                code_cache: self.code_cache.clone(),
                portable_code: self.portable_code,
            },
        };
        let guests = Guests::new(OtherGuests {
            javascript: self.javascript.map(&derived),
            python: self.python.map(&derived),
            data: self.data.map(DataGuest::into_file),
            python_data: self.python_data.map(&derived),
        });
        let first = Shard::new(&engines, &guests)?;
        let shared = Arc::new(Shared {
            engines,
            guests,
            shards: Shards::new(first),
            catalog,
            limits,
            ceilings: self.ceilings,
            slot_wait: self.slot_wait,
            check: self.check,
            layers: self.layers,
            stores: self.stores,
            governor: governor?,
            undo: Arc::default(),
            has_undo,
        });
        // Nobody else has it.
        let _ = self.later.0.set(Arc::downgrade(&shared));
        Ok(Runtime { shared })
    }
}
