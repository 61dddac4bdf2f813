//! The tools that exist for somebody: those that policies might let them call.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ampoule_governance::{Caller, Governance};
use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, Catalog, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::binding_lists::BindingLists;

/// For how many callers their catalogs are kept.
const CALLERS: usize = 256;
/// How many lists are kept that all callers share.
const LISTS: usize = 256;

/// The catalogs of callers, for as long as tools and policies stay as they are.
pub(super) struct VisibleCatalogs {
    telling: Arc<BindingLists>,
    lists: Arc<ListPool>,
    kept: Mutex<CatalogCache>,
}

#[derive(Default)]
struct CatalogCache {
    version: u64,
    catalogs: HashMap<Caller, Catalog>,
}

impl VisibleCatalogs {
    pub(super) fn new(telling: Arc<BindingLists>) -> Self {
        Self {
            telling,
            lists: Arc::default(),
            kept: Mutex::default(),
        }
    }

    /// The catalog as it is for a caller.
    pub(super) fn of(&self, catalog: &Catalog, caller: Caller) -> Catalog {
        let version = self.telling.governance.version();
        if let Some(kept) = self.kept.lock().get(version, &caller) {
            return kept;
        }
        let caller = Arc::new(caller);
        let seen = |place, binding| {
            if place >= self.telling.count() {
                return binding;
            }
            Arc::new(VisibleBinding {
                binding,
                place,
                caller: Arc::clone(&caller),
                telling: Arc::clone(&self.telling),
                lists: Arc::clone(&self.lists),
                tools: Mutex::default(),
                offered: Mutex::default(),
            }) as Arc<dyn Binding>
        };
        // The names are those of before, which can be distinguished.
        let seen = catalog.through(seen).unwrap_or_else(|_| catalog.clone());
        let none_of = |place: usize| {
            let servers = (&catalog.servers()[place], &seen.servers()[place]);
            // Of tools that governance does not know yet, none may be called. A run waits until it
            // knows them, when it asks for the list: so their server is not hidden before.
            let is_known = place >= self.telling.count() || self.telling.knows(place);
            is_known && has_tools(servers.0.binding()) && !has_tools(servers.1.binding())
        };
        let made = seen.hiding(none_of).unwrap_or(seen);
        let mut kept = self.kept.lock();
        if kept.version == version && kept.catalogs.len() < CALLERS {
            kept.catalogs.insert((*caller).clone(), made.clone());
        }
        made
    }
}

impl CatalogCache {
    fn get(&mut self, version: u64, caller: &Caller) -> Option<Catalog> {
        if self.version != version || self.catalogs.len() >= CALLERS {
            *self = Self {
                version,
                catalogs: HashMap::new(),
            };
        }
        self.catalogs.get(caller).cloned()
    }
}

fn has_tools(binding: &Arc<dyn Binding>) -> bool {
    let known = binding.known_tools();
    known.is_some_and(|tools| !tools.is_empty()) || !binding.offered().is_empty()
}

/// A binding as a caller sees it.
struct VisibleBinding {
    binding: Arc<dyn Binding>,
    /// Its place among those of the runtime.
    place: usize,
    caller: Arc<Caller>,
    telling: Arc<BindingLists>,
    lists: Arc<ListPool>,
    tools: Mutex<Option<FilteredTools>>,
    offered: Mutex<Option<FilteredTools>>,
}

/// What was seen last: the same list gives the same, as long as governance is the same.
struct FilteredTools {
    version: u64,
    from: Arc<[Tool]>,
    seen: Arc<[Tool]>,
}

impl VisibleBinding {
    fn of(&self, from: Arc<[Tool]>, last: &Mutex<Option<FilteredTools>>) -> Arc<[Tool]> {
        let governance = &self.telling.governance;
        let version = governance.version();
        let mut last = last.lock();
        if let Some(last) = &*last
            && last.version == version
            && Arc::ptr_eq(&last.from, &from)
        {
            return Arc::clone(&last.seen);
        }
        let seen = self.lists.seen(&from, self.may_ever(&from, governance));
        *last = Some(FilteredTools {
            version,
            from,
            seen: Arc::clone(&seen),
        });
        seen
    }

    fn may_ever(&self, tools: &[Tool], governance: &Governance) -> Vec<bool> {
        let server = self.binding.name();
        let may = |tool: &Tool| governance.may_ever(&self.caller, server, &tool.name);
        tools.iter().map(may).collect()
    }
}

/// Parts of lists, shared by all who see the same of them: what is made of a list is made once.
#[derive(Default)]
struct ListPool(Mutex<VecDeque<FilteredList>>);

/// A list, which of its tools are there, and these.
type FilteredList = (Arc<[Tool]>, Vec<bool>, Arc<[Tool]>);

impl ListPool {
    fn seen(&self, from: &Arc<[Tool]>, there: Vec<bool>) -> Arc<[Tool]> {
        if there.iter().all(|there| *there) {
            return Arc::clone(from);
        }
        let mut kept = self.0.lock();
        let is_same = |(of, part, _): &&FilteredList| Arc::ptr_eq(of, from) && *part == there;
        if let Some((.., seen)) = kept.iter().find(is_same) {
            return Arc::clone(seen);
        }
        let tools = from.iter().zip(&there).filter(|(_, there)| **there);
        let seen: Arc<[Tool]> = tools.map(|(tool, _)| tool.clone()).collect();
        kept.push_front((Arc::clone(from), there, Arc::clone(&seen)));
        kept.truncate(LISTS);
        seen
    }
}

impl Binding for VisibleBinding {
    fn name(&self) -> &str {
        self.binding.name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(&*self.binding)
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        async {
            let tools = self.binding.tools().await?;
            self.telling.of(self.place, &tools).await;
            Ok(self.of(tools, &self.tools))
        }
        .boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        let tools = self.binding.known_tools()?;
        self.telling.soon(self.place, &tools);
        Some(self.of(tools, &self.tools))
    }

    fn offered(&self) -> Arc<[Tool]> {
        self.of(self.binding.offered(), &self.offered)
    }

    fn problems(&self) -> Arc<[String]> {
        // They may name tools that do not exist here.
        let (all, seen) = (self.binding.known_tools(), self.known_tools());
        match (all, seen) {
            (Some(all), Some(seen)) if !Arc::ptr_eq(&all, &seen) => Arc::default(),
            _ => self.binding.problems(),
        }
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.binding.call(tool, arguments, context)
    }
}
