//! Which files of a crate need each other in a circle, and what a folder may not name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ampoule_tests::repository;

use super::crates;
use super::modules::{Module, Modules, module_of};
use super::names::Source;

/// How many files of a crate may need each other in a circle.
const LARGEST_CIRCLE: usize = 5;

/// The crates whose largest circle has more files than that, and how many it has. A circle may lose
/// files, and then its number here is lowered; it may not gain any.
const LARGER_CIRCLES: [(&str, usize); 4] = [
    ("host/catalog/tools", 6),
    ("host/run/isolate", 6),
    ("host/run/runtime", 8),
    ("host/state/workspace", 8),
];

impl Modules {
    /// The files that need each other in a circle, for each circle, the largest first.
    fn circles(&self) -> Vec<Vec<String>> {
        let mut search = Search {
            needs: &self.needs,
            order: BTreeMap::new(),
            stack: Vec::new(),
            circles: Vec::new(),
        };
        for module in self.needs.keys() {
            if !search.order.contains_key(module) {
                search.visit(module);
            }
        }
        let mut circles = search.circles;
        circles.retain(|circle| circle.len() > 1);
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        let shown = |module: &Module| match module.is_empty() {
            true => "the root".to_owned(),
            false => module.join("::"),
        };
        (circles.iter())
            .map(|circle| circle.iter().map(shown).collect())
            .collect()
    }
}

/// Tarjan's search for strongly connected components.
struct Search<'a> {
    needs: &'a BTreeMap<Module, BTreeSet<Module>>,
    /// When each module was found; and when the earliest was that it leads back to. The latter is the
    /// largest number for those whose component is known.
    order: BTreeMap<Module, (usize, usize)>,
    stack: Vec<Module>,
    circles: Vec<Vec<Module>>,
}

impl Search<'_> {
    fn visit(&mut self, module: &Module) -> usize {
        let (found, depth) = (self.order.len(), self.stack.len());
        self.order.insert(module.clone(), (found, found));
        self.stack.push(module.clone());
        let mut earliest = found;
        for needed in &self.needs[module] {
            earliest = earliest.min(match self.order.get(needed) {
                None => self.visit(needed),
                Some((_, usize::MAX)) => usize::MAX,
                Some((found, _)) => *found,
            });
        }
        if earliest == found {
            let circle = self.stack.split_off(depth);
            for module in &circle {
                self.order.insert(module.clone(), (found, usize::MAX));
            }
            self.circles.push(circle);
            return usize::MAX;
        }
        self.order.insert(module.clone(), (found, earliest));
        earliest
    }
}

#[test]
fn few_files_of_a_crate_need_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    let crates = crates();
    assert!(crates.len() > 20, "{crates:?}");
    for folder in crates {
        let name = folder.strip_prefix(repository()).expect("beneath it");
        let name = name.to_string_lossy().into_owned();
        let circles = Modules::of(&folder).circles();
        let largest = circles.first().map_or(1, Vec::len);
        let stated = (LARGER_CIRCLES.iter()).find(|(larger, _)| *larger == name);
        let allowed = stated.map_or(LARGEST_CIRCLE, |(_, files)| *files);
        if largest > allowed {
            wrong.push(format!(
                "{name}: {largest} files need each other in a circle, {allowed} may: {}",
                circles[0].join(", ")
            ));
        } else if stated.is_some() && largest < allowed {
            wrong.push(format!(
                "{name}: its largest circle has {largest} files now: say so in LARGER_CIRCLES, or take it out at {LARGEST_CIRCLE}"
            ));
        }
    }
    for (name, _) in LARGER_CIRCLES {
        if !repository().join(name).exists() {
            wrong.push(format!("{name}: there is no such crate"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_servers_runs_know_nothing_of_how_clients_reach_them() {
    let folder = repository().join("host/serve/server");
    let modules = Modules::of(&folder);
    let above = ["mcp", "http", "operator", "approvals"];
    let mut runs = 0;
    for (module, needed) in &modules.needs {
        if module.first().is_none_or(|first| first != "runs") {
            continue;
        }
        runs += 1;
        let source = &modules.sources[module];
        let text = std::fs::read_to_string(&source.path).expect("text");
        assert!(!text.contains("rmcp"), "{}", source.path.display());
        for needed in needed {
            let first = needed.first().map_or("", |first| first);
            let is_above = first.is_empty() || above.contains(&first);
            assert!(!is_above, "{} needs {needed:?}", source.path.display());
        }
    }
    assert!(runs > 10, "{runs} files");
}

#[test]
fn a_circle_is_found_with_all_its_files_and_no_others() {
    let texts = [
        ("", "mod a; pub use a::{A, Other as One};"),
        (
            "a",
            "use super::b::{self, c as d};\n#[cfg(test)]\nuse super::e;",
        ),
        ("b", "fn f() { let s = \"crate::e::g\"; crate::c::f() }"),
        ("c", "// crate::e\nuse {super::One, super::d};"),
        ("d", "fn f<'a>(x: &'a char) -> bool { *x == '\"' }"),
        ("e", "use crate::{a::*, b};"),
    ];
    let sources = texts.map(|(name, text)| {
        let module: Module = name.split_terminator(' ').map(str::to_owned).collect();
        (module, Source::new(PathBuf::from(name), text))
    });
    let mut circles = Modules::new(sources.into()).circles();
    circles.iter_mut().for_each(|circle| circle.sort());
    assert_eq!(circles, [["a", "b", "c"]]);
    assert_eq!(
        module_of(Path::new("a/mod.rs")),
        module_of(Path::new("a.rs"))
    );
}
