//! The shape of the code: which files of a crate need each other in a circle, and what a folder may
//! not name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ampoule_tests::repository;

/// How many files of a crate may need each other in a circle.
const LARGEST_CIRCLE: usize = 5;

/// The crates whose largest circle has more files than that, and how many it has. A circle may lose
/// files, and then its number here is lowered; it may not gain any.
const LARGER_CIRCLES: [(&str, usize); 13] = [
    ("host/catalog/projection", 6),
    ("host/catalog/tools", 13),
    ("host/catalog/values", 8),
    ("host/command/cli", 6),
    ("host/govern/governance", 10),
    ("host/reach/outbound", 14),
    ("host/reach/sign-in", 7),
    ("host/reach/upstream", 11),
    ("host/run/isolate", 36),
    ("host/run/records", 8),
    ("host/run/runtime", 29),
    ("host/settings/config", 33),
    ("host/state/workspace", 14),
];

/// A source file of a crate, without its unit tests.
struct Source {
    path: PathBuf,
    names: Vec<Name>,
}

/// A path that a source file has.
struct Name {
    segments: Vec<String>,
    /// What the file calls it from there on, where it is one of a `use`.
    alias: Option<String>,
}

/// What counts in a source file: words, and the signs that paths are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Separator,
    Sign(char),
}

/// The path of a module in its crate; the root has none.
type Module = Vec<String>;

/// The modules of a crate, and the other ones that each of them needs. Whoever names something that a
/// module passes on by `use` needs the module that has it, and not the one that passes it on.
struct Modules {
    sources: BTreeMap<Module, Source>,
    needs: BTreeMap<Module, BTreeSet<Module>>,
}

impl Modules {
    /// Reads the crate in a folder.
    fn of(folder: &Path) -> Self {
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

    fn new(sources: BTreeMap<Module, Source>) -> Self {
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

impl Source {
    fn new(path: PathBuf, text: &str) -> Self {
        let tokens = tokens(&without_tests(text));
        let mut names = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let is_used = before == Some(&Token::Word("use".to_owned()));
            let begins_a_path = matches!(token, Token::Word(_))
                && tokens.get(at + 1) == Some(&Token::Separator)
                && !matches!(before, Some(Token::Separator | Token::Sign('$' | '.')));
            at = match begins_a_path {
                true => names_in(&tokens, at, &[], is_used, &mut names),
                false => at + 1,
            };
        }
        Self { path, names }
    }
}

/// Takes the paths of a `use`, or of an expression or a type, from here on. Returns where they end.
fn names_in(
    tokens: &[Token],
    mut at: usize,
    prefix: &[String],
    is_used: bool,
    names: &mut Vec<Name>,
) -> usize {
    let mut segments = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(Token::Word(word)) => {
                if word != "self" || segments.is_empty() {
                    segments.push(word.clone());
                }
                at += 1;
            }
            Some(Token::Sign('{')) if is_used => {
                at += 1;
                while !matches!(tokens.get(at), None | Some(Token::Sign('}'))) {
                    at = match tokens[at] {
                        Token::Sign(',') => at + 1,
                        _ => names_in(tokens, at, &segments, is_used, names),
                    };
                }
                return at + 1;
            }
            _ => {
                // All of it, or what has type arguments.
                names.push(Name {
                    segments,
                    alias: None,
                });
                return at + 1;
            }
        }
        if tokens.get(at) != Some(&Token::Separator) {
            break;
        }
        at += 1;
    }
    let mut alias = segments.last().cloned();
    if let (Some(Token::Word(word)), Some(Token::Word(other))) =
        (tokens.get(at), tokens.get(at + 1))
        && is_used
        && word == "as"
    {
        alias = Some(other.clone());
        at += 2;
    }
    names.push(Name {
        segments,
        alias: alias.filter(|_| is_used),
    });
    at
}

/// The path of the module in a file.
fn module_of(file: &Path) -> Module {
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

/// The lines of a file without the items that only tests have.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept += line;
            kept.push('\n');
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_whole = |line: &str| line.ends_with([';', '}']);
        let ends_block = |line: &str| {
            let rest = line.strip_prefix(indent);
            rest.is_some_and(|rest| ["}", "};", ");"].contains(&rest))
        };
        let item = lines.find(|line| !line.trim_start().starts_with("#["));
        match item {
            Some(item) if is_whole(item) => {}
            Some(item) if item.ends_with('=') => drop(lines.find(|line| line.ends_with(';'))),
            _ => drop(lines.find(|line| ends_block(line))),
        }
    }
    kept
}

/// The words and signs of a source text, without comments, texts and characters.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(taken) = text_literal(rest) {
            taken
        } else if rest.starts_with("::") {
            found.push(Token::Separator);
            2
        } else if first.is_alphanumeric() || first == '_' {
            let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_owned()));
            end
        } else {
            if !first.is_whitespace() {
                found.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        rest = &rest[taken..];
    }
    found
}

/// How long the text or the character is that begins here, if one does.
fn text_literal(rest: &str) -> Option<usize> {
    let raw = rest.trim_start_matches(['b', 'c']).strip_prefix('r');
    if let Some(raw) = raw {
        let opened = raw.trim_start_matches('#');
        let marks = raw.len() - opened.len();
        if opened.starts_with('"') && rest.len() - raw.len() <= 2 {
            let end = format!("\"{}", "#".repeat(marks));
            let begun = rest.len() - opened.len() + 1;
            let length = rest[begun..].find(&end)?;
            return Some(begun + length + end.len());
        }
    }
    let quote = rest
        .chars()
        .next()
        .filter(|quote| ['"', '\''].contains(quote))?;
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + 1),
            // A lifetime.
            _ if quote == '\'' && at > 1 && !rest[1..].starts_with('\\') => return Some(1),
            _ => {}
        }
    }
    None
}

/// The folders of the host's crates.
fn crates() -> Vec<PathBuf> {
    let families = std::fs::read_dir(repository().join("host")).expect("the host's crates");
    let mut found: Vec<_> = (families.flatten())
        .filter(|family| family.path().is_dir())
        .flat_map(|family| {
            std::fs::read_dir(family.path())
                .expect("a family")
                .flatten()
        })
        .map(|entry| entry.path())
        .filter(|folder| folder.join("Cargo.toml").exists() && folder.join("src").exists())
        .collect();
    found.sort();
    found
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
