//! Which file a specifier means, by Node's rules. They are kept with two liberties that bundlers take:
//! where a package has no `exports`, an import may leave out an ending as `require` may; and what
//! a package has for browsers is preferred to what it has for Node.

use serde_json::Value;

use super::ROOT;
use super::exports::{self, Target};
use super::files::Packages;
use crate::modules::{clean_path, node_module};

/// How a module is asked for: by `import`, or by `require`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Import,
    Require,
}

impl RequestKind {
    /// The condition of `exports` that it makes hold.
    pub(super) fn condition(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Require => "require",
        }
    }
}

/// What a specifier means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// A file of a package, by the name of its module.
    File(String),
    /// A module of Node's that is here.
    Node(&'static str),
}

/// What an import may leave out, where that is no folder's name.
const ENDINGS: [&str; 3] = ["", ".js", ".json"];
/// What it may leave out besides, here and with bundlers.
const MORE_ENDINGS: [&str; 2] = [".mjs", ".cjs"];
/// The modules that Node has only by names that begin with `node:`.
const PREFIXED_ALONE: [&str; 4] = [
    "node:sea",
    "node:sqlite",
    "node:test",
    "node:test/reporters",
];
/// How many subpaths of a package are imported beforehand: where there are more, few are used.
const MOST_SUBPATHS: usize = 20;

impl Packages {
    /// Whether a specifier names a package, or something in one.
    pub(crate) fn has(&self, specifier: &str) -> bool {
        let name = split(plain(specifier)).map(|(name, _)| name);
        name.is_some_and(|name| self.names.iter().any(|known| known == name))
    }

    /// What a specifier means to a module of a package, or to a script.
    ///
    /// # Errors
    ///
    /// The module is missing; the message says why.
    pub(crate) fn find(
        &self,
        importer: Option<&str>,
        specifier: &str,
        kind: RequestKind,
    ) -> Result<Resolution, String> {
        let missing = |why: &str| match importer {
            Some(importer) => {
                format!("{importer} imports \"{specifier}\", which is not here{why}")
            }
            None => format!("There is no module \"{specifier}\"{why}"),
        };
        if let Some(path) = specifier.strip_prefix(ROOT) {
            let file = self.file(&format!("{ROOT}{path}"));
            return file.map(Resolution::File).ok_or_else(|| missing("."));
        }
        let Some(importer) = importer else {
            let file = self.in_package(specifier, kind);
            return file.map(Resolution::File).map_err(|why| missing(&why));
        };
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let (folder, _) = importer.rsplit_once('/').unwrap_or_default();
            let file = self.file(&format!("{folder}/{specifier}"));
            return file.map(Resolution::File).ok_or_else(|| missing("."));
        }
        if specifier.starts_with('#') {
            return self
                .own_import(importer, specifier, kind)
                .map_err(|why| missing(&why));
        }
        if let Some(module) = node_module(specifier) {
            return Ok(Resolution::Node(module));
        }
        if !self.has(specifier) {
            let why = ": it is neither a package that was added, nor a module of Node's that scripts have";
            return Err(missing(why));
        }
        let file = self.in_package(specifier, kind);
        file.map(Resolution::File).map_err(|why| missing(&why))
    }

    /// The file that a package has for a specifier that begins with its name.
    fn in_package(&self, specifier: &str, kind: RequestKind) -> Result<String, String> {
        let (name, rest) = split(plain(specifier)).ok_or(".")?;
        let manifest = self.manifest(name).ok_or(".")?;
        let folder = format!("{ROOT}{name}");
        let found = match (manifest.get("exports"), rest) {
            (Some(exports), _) if !exports.is_null() => {
                let subpath = format!(".{rest}");
                match exports::exported(exports, if rest.is_empty() { "." } else { &subpath }, kind)
                {
                    Target::Given(path) => self.target(&folder, &path),
                    Target::Withheld | Target::Unsaid => None,
                }
            }
            (_, "") => self.folder(&folder),
            (_, rest) => self.file(&format!("{folder}{rest}")),
        };
        found.ok_or_else(|| {
            format!(": the package {name} has nothing by that name that can be imported here.")
        })
    }

    /// What a package's name for something of its own means.
    fn own_import(
        &self,
        importer: &str,
        specifier: &str,
        kind: RequestKind,
    ) -> Result<Resolution, String> {
        let path = importer.strip_prefix(ROOT).ok_or(".")?;
        let (name, _) = split(path).ok_or(".")?;
        let folder = format!("{ROOT}{name}");
        let manifest = self.manifest(name).ok_or(".")?;
        let imports = manifest.get("imports").unwrap_or(&Value::Null);
        let Target::Given(target) = exports::own(imports, specifier, kind) else {
            return Err(format!(": the package {name} does not say what it is."));
        };
        if target.starts_with("./") {
            let file = self.target(&folder, &target);
            return file.map(Resolution::File).ok_or_else(|| ".".to_owned());
        }
        if target.starts_with(['#', '.', '/']) {
            return Err(".".to_owned());
        }
        self.find(Some(importer), &target, kind)
    }

    /// The file of a target in `exports` or `imports`: it is in the package, and has its whole name.
    fn target(&self, folder: &str, target: &str) -> Option<String> {
        let path = target
            .strip_prefix("./")
            .filter(|_| exports::is_inside(target))?;
        let path = format!("{folder}/{path}");
        self.is_file(&path).then_some(path)
    }

    /// The file of a path that may leave out its ending, or be a folder. Where it ends as only those of
    /// folders do, it is one.
    fn file(&self, path: &str) -> Option<String> {
        let (_, last) = path.rsplit_once('/').unwrap_or_default();
        let is_folder = matches!(last, "" | "." | "..");
        let path = format!("/{}", clean_path(path));
        if is_folder {
            return self.folder(&path);
        }
        self.with_an_ending(&path, &ENDINGS)
            .or_else(|| self.folder(&path))
            .or_else(|| self.with_an_ending(&path, &MORE_ENDINGS))
    }

    fn with_an_ending(&self, path: &str, endings: &[&str]) -> Option<String> {
        let mut paths = endings.iter().map(|ending| format!("{path}{ending}"));
        paths.find(|path| self.is_file(path))
    }

    /// The file that a folder stands for.
    fn folder(&self, folder: &str) -> Option<String> {
        let index = |folder: &str| {
            let path = format!("{folder}/index");
            self.with_an_ending(&path, &ENDINGS[1..])
                .or_else(|| self.with_an_ending(&path, &MORE_ENDINGS))
        };
        let manifest = self.manifest_of_folder(folder);
        let main = manifest.as_ref().and_then(|manifest| manifest.get("main"));
        let main = main.and_then(Value::as_str).and_then(|main| {
            let main = format!("/{}", clean_path(&format!("{folder}/{main}")));
            self.with_an_ending(&main, &ENDINGS)
                .or_else(|| index(&main))
                .or_else(|| self.with_an_ending(&main, &MORE_ENDINGS))
        });
        main.or_else(|| index(folder))
    }

    /// What of a package is imported beforehand. An entry point other than the main one may change
    /// what all scripts have, such as globals, and is loaded when a script asks for it; unless the
    /// package says that none does.
    pub(super) fn beforehand(&self, name: &str) -> EarlyImports {
        let Some(manifest) = self.manifest(name) else {
            return EarlyImports::default();
        };
        let exports = manifest.get("exports").unwrap_or(&Value::Null);
        let named = exports::subpaths(exports).into_iter();
        let named = named.map(|subpath| format!("{name}{}", &subpath[1..]));
        let is_code = |specifier: &String| {
            let found = self.in_package(specifier, RequestKind::Import);
            found.is_ok_and(|path| !path.ends_with(".json"))
        };
        let mut specifiers: Vec<String> = named.filter(is_code).collect();
        let all = specifiers.len();
        let only_declares = manifest.get("sideEffects") == Some(&Value::Bool(false));
        if !only_declares || all > MOST_SUBPATHS {
            specifiers.retain(|specifier| specifier == name);
        }
        EarlyImports {
            is_all: specifiers.len() == all,
            specifiers,
        }
    }
}

/// What of a package is imported beforehand.
#[derive(Default)]
pub(super) struct EarlyImports {
    pub(super) specifiers: Vec<String>,
    /// Whether it has no other entry points.
    pub(super) is_all: bool,
}

/// A specifier without `node:` before it, if it may be a package's: one that has the name of a module
/// of Node's stands for that module.
fn plain(specifier: &str) -> &str {
    match specifier.strip_prefix("node:") {
        Some(name) if !PREFIXED_ALONE.contains(&specifier) => name,
        _ => specifier,
    }
}

/// A package's name, and what follows it: nothing, or `/…`.
pub(super) fn split(specifier: &str) -> Option<(&str, &str)> {
    let from = match specifier.starts_with('@') {
        true => specifier.find('/')? + 1,
        false => 0,
    };
    let end = specifier[from..]
        .find('/')
        .map_or(specifier.len(), |at| from + at);
    (end > from).then(|| specifier.split_at(end))
}
