//! The modules of a crate, and which of them needs which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::names::Source;

/// The path of a module in its crate; the root has none.
pub(super) type Module = Vec<String>;

/// The modules of a crate, and the other ones that each of them needs. Whoever names something that a
/// module passes on by `use` needs the module that has it, and not the one that passes it on.
pub(super) struct Modules {
    pub(super) sources: BTreeMap<Module, Source>,
    pub(super) needs: BTreeMap<Module, BTreeSet<Module>>,
}

impl Modules {
    /// Reads the crate in a folder.
    pub(super) fn of(folder: &Path) -> Self {
        let mut sources = BTreeMap::new();
        let root = folder.join("src");
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let name = name.to_string_lossy();
                if path.is_dir() {
                    if name != "tests" {
                        folders.push(path);
                    }
                } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                    let text = std::fs::read_to_string(&path).expect("text");
                    let module = module_of(path.strip_prefix(&root).expect("beneath it"));
                    sources.insert(module, Source::new(path, &text));
                }
            }
        }
        Self::new(sources)
    }

    pub(super) fn new(sources: BTreeMap<Module, Source>) -> Self {
        let needs = BTreeMap::new();
        let mut modules = Self { sources, needs };
        modules.needs = (modules.sources.keys())
            .map(|module| (module.clone(), modules.needed_by(module)))
            .collect();
        modules
    }

    /// The other modules that a module names.
    fn needed_by(&self, module: &Module) -> BTreeSet<Module> {
        let names = self.sources[module].names.iter();
        let homes = names.filter_map(|name| self.home(module, &name.segments, 0));
        homes.filter(|home| home != module).collect()
    }

    /// The module that has what a path in another one names; none if that is in another crate.
    fn home(&self, module: &Module, segments: &[String], followed: usize) -> Option<Module> {
        let (first, mut rest) = segments.split_first()?;
        let mut reached = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" => module[..module.len().saturating_sub(1)].to_vec(),
            child => [module, &[child.to_owned()][..]].concat(),
        };
        if !self.sources.contains_key(&reached) {
            return None;
        }
        while let Some((next, after)) = rest.split_first() {
            let deeper = match next.as_str() {
                "super" => reached[..reached.len().saturating_sub(1)].to_vec(),
                name => [&reached, &[name.to_owned()][..]].concat(),
            };
            if !self.sources.contains_key(&deeper) {
                break;
            }
            (reached, rest) = (deeper, after);
        }
        let passed_on = rest.first().filter(|_| followed < 8).and_then(|wanted| {
            let mut names = self.sources[&reached].names.iter();
            names.find(|name| name.alias.as_ref() == Some(wanted))
        });
        match passed_on {
            Some(name) => self.home(&reached, &name.segments, followed + 1),
            None => Some(reached),
        }
    }
}

/// The path of the module in a file.
pub(super) fn module_of(file: &Path) -> Module {
    let mut module: Module = (file.with_extension("").iter())
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if module
        .last()
        .is_some_and(|name| ["mod", "lib", "main"].contains(&&**name))
    {
        module.pop();
    }
    module
}
