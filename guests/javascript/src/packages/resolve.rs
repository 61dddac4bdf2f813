//! Which file a specifier means, by Node's rules. They are kept with two liberties that bundlers take:
//! where a package has no `exports`, an import may leave out an ending as `require` may; and what
//! a package has for browsers is preferred to what it has for Node.

use serde_json::Value;

use super::ROOT;
use super::exports::{self, Target};
use super::files::Packages;
use crate::modules::{clean_path, node_module};

/// How a module is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Import,
    Require,
}

impl How {
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
pub(crate) enum Resolved {
    /// A file of a package, by the name of its module.
    File(String),
    /// A module of Node's that is here.
    Node(&'static str),
}

/// What an import may leave out.
const ENDINGS: [&str; 5] = ["", ".js", ".json", ".mjs", ".cjs"];
/// How many subpaths of a package are imported beforehand: where there are more, few are used.
const MOST_SUBPATHS: usize = 20;

impl Packages {
    /// Whether a specifier names a package, or something in one.
    pub(crate) fn has(&self, specifier: &str) -> bool {
        let name = split(specifier).map(|(name, _)| name);
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
        how: How,
    ) -> Result<Resolved, String> {
        let missing = |why: &str| match importer {
            Some(importer) => {
                format!("{importer} imports \"{specifier}\", which is not here{why}")
            }
            None => format!("There is no module \"{specifier}\"{why}"),
        };
        if let Some(path) = specifier.strip_prefix(ROOT) {
            let file = self.file(&format!("{ROOT}{path}"));
            return file.map(Resolved::File).ok_or_else(|| missing("."));
        }
        let Some(importer) = importer else {
            let file = self.in_package(specifier, how);
            return file.map(Resolved::File).map_err(|why| missing(&why));
        };
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let (folder, _) = importer.rsplit_once('/').unwrap_or_default();
            let path = clean_path(&format!("{folder}/{specifier}"));
            let file = self.file(&format!("/{path}"));
            return file.map(Resolved::File).ok_or_else(|| missing("."));
        }
        if specifier.starts_with('#') {
            return self
                .own_import(importer, specifier, how)
                .map_err(|why| missing(&why));
        }
        if let Some(module) = node_module(specifier) {
            return Ok(Resolved::Node(module));
        }
        if !self.has(specifier) {
            let why = ": it is neither a package that was added, nor a module of Node's that scripts have";
            return Err(missing(why));
        }
        let file = self.in_package(specifier, how);
        file.map(Resolved::File).map_err(|why| missing(&why))
    }

    /// The file that a package has for a specifier that begins with its name.
    fn in_package(&self, specifier: &str, how: How) -> Result<String, String> {
        let (name, rest) = split(specifier).ok_or(".")?;
        let manifest = self.manifest(name).ok_or(".")?;
        let folder = format!("{ROOT}{name}");
        let found = match (manifest.get("exports"), rest) {
            (Some(exports), _) if !exports.is_null() => {
                let subpath = format!(".{rest}");
                match exports::exported(exports, if rest.is_empty() { "." } else { &subpath }, how)
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
    fn own_import(&self, importer: &str, specifier: &str, how: How) -> Result<Resolved, String> {
        let path = importer.strip_prefix(ROOT).ok_or(".")?;
        let (name, _) = split(path).ok_or(".")?;
        let folder = format!("{ROOT}{name}");
        let manifest = self.manifest(name).ok_or(".")?;
        let imports = manifest.get("imports").unwrap_or(&Value::Null);
        let Target::Given(target) = exports::mapped(imports, specifier, how) else {
            return Err(format!(": the package {name} does not say what it is."));
        };
        if target.starts_with("./") {
            let file = self.target(&folder, &target);
            return file.map(Resolved::File).ok_or_else(|| ".".to_owned());
        }
        if target.starts_with('#') {
            return Err(".".to_owned());
        }
        self.find(Some(importer), &target, how)
    }

    /// The file of a target in `exports` or `imports`: it is in the package, and has its whole name.
    fn target(&self, folder: &str, target: &str) -> Option<String> {
        let path = target.strip_prefix("./")?;
        let is_inside = path
            .split('/')
            .all(|part| !matches!(part, "" | "." | ".." | "node_modules"));
        let path = format!("{folder}/{path}");
        (is_inside && self.is_file(&path)).then_some(path)
    }

    /// The file of a path that may leave out its ending, or be a folder.
    fn file(&self, path: &str) -> Option<String> {
        let path = path.trim_end_matches('/');
        let with_endings = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
        let found = with_endings.into_iter().find(|path| self.is_file(path));
        found.or_else(|| self.folder(path))
    }

    /// The file that a folder stands for.
    fn folder(&self, folder: &str) -> Option<String> {
        let manifest = self.manifest_of_folder(folder);
        let main = manifest.as_ref().and_then(|manifest| manifest.get("main"));
        let mut names = Vec::new();
        if let Some(main) = main.and_then(Value::as_str) {
            let main = clean_path(&format!("{folder}/{main}"));
            names.extend(ENDINGS.iter().map(|ending| format!("/{main}{ending}")));
            names.push(format!("/{main}/index.js"));
        }
        let index = ENDINGS.iter().skip(1);
        names.extend(index.map(|ending| format!("{folder}/index{ending}")));
        names.into_iter().find(|path| self.is_file(path))
    }

    /// What of a package is imported beforehand, by specifiers.
    pub(super) fn beforehand(&self, name: &str) -> Vec<String> {
        let Some(manifest) = self.manifest(name) else {
            return Vec::new();
        };
        let exports = manifest.get("exports").unwrap_or(&Value::Null);
        let named = exports::subpaths(exports).into_iter();
        let named = named.map(|subpath| format!("{name}{}", &subpath[1..]));
        let is_code = |specifier: &String| {
            let found = self.in_package(specifier, How::Import);
            found.is_ok_and(|path| !path.ends_with(".json"))
        };
        let code: Vec<String> = named.filter(is_code).collect();
        match code.len() > MOST_SUBPATHS {
            true => code
                .into_iter()
                .filter(|specifier| specifier == name)
                .collect(),
            false => code,
        }
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
