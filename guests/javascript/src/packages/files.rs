//! The files of packages that are kept, and what each package says of itself.

use std::io::{Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::ROOT;
use super::tarball::Room;
use crate::modules::is_own_name;

/// Scripts of a package.json that npm runs when the package is installed.
const INSTALL_SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];
const MANIFEST: &str = "package.json";

/// All packages. A file is known by the name of its module: `/packages/dayjs/dayjs.min.js`.
#[derive(Default)]
pub(crate) struct Packages {
    /// The texts, compressed.
    files: FxHashMap<String, Vec<u8>>,
    /// What each package.json says, by the folder that it is in.
    manifests: FxHashMap<String, Rc<Value>>,
    /// The packages' names.
    pub(super) names: Vec<String>,
}

/// What kind of module a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Module,
    CommonJs,
    /// CommonJS, unless its syntax is a module's: its package does not say.
    Unsaid,
    Json,
}

impl Packages {
    /// Takes in a package.
    ///
    /// # Errors
    ///
    /// Why it is not taken.
    pub(super) fn add(
        &mut self,
        package: &str,
        tarball: &[u8],
        room: &mut Room,
    ) -> Result<(), String> {
        let (name, version) = package.rsplit_once('@').ok_or("it has no version")?;
        if is_own_name(name) {
            return Err("it has the name of a module that scripts have already".to_owned());
        }
        for file in room.unpack(tarball)? {
            let path = format!("{ROOT}{name}/{}", file.path);
            if let Some(folder) = path
                .strip_suffix(MANIFEST)
                .and_then(|it| it.strip_suffix('/'))
            {
                match serde_json::from_str(&file.text) {
                    Ok(manifest) => {
                        drop(self.manifests.insert(folder.to_owned(), Rc::new(manifest)))
                    }
                    // Those in other folders may be of examples, and of no use.
                    Err(_) if file.path != MANIFEST => {}
                    Err(error) => return Err(format!("its package.json can't be read: {error}")),
                }
            }
            self.files.insert(path, compressed(&file.text));
        }
        let manifest = self.manifest(name).ok_or("it has no package.json")?;
        let said = |key| {
            manifest
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        if (said("name"), said("version")) != (name, version) {
            let (name, version) = (said("name"), said("version"));
            return Err(format!("it says that it is {name} {version}"));
        }
        let scripts = manifest.get("scripts");
        let has = |script: &str| scripts.is_some_and(|scripts| scripts.get(script).is_some());
        if let Some(script) = INSTALL_SCRIPTS.iter().find(|script| has(script)) {
            return Err(format!(
                "it has the install script `{script}`, and nothing of a package is run on this machine"
            ));
        }
        self.names.push(name.to_owned());
        Ok(())
    }

    /// What a package says of itself.
    pub(super) fn manifest(&self, package: &str) -> Option<Rc<Value>> {
        self.manifest_of_folder(&format!("{ROOT}{package}"))
    }

    /// What the package.json in a folder says.
    pub(super) fn manifest_of_folder(&self, folder: &str) -> Option<Rc<Value>> {
        self.manifests.get(folder).cloned()
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let mut text = String::new();
        let mut decoder = DeflateDecoder::new(self.files.get(path)?.as_slice());
        // It was text when it was compressed.
        decoder.read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// What kind of module a file is, by its ending and the nearest package.json.
    pub(super) fn format(&self, path: &str) -> Format {
        match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "json" => return Format::Json,
            "mjs" => return Format::Module,
            "cjs" => return Format::CommonJs,
            _ => {}
        }
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            let Some(manifest) = self.manifests.get(folder) else {
                continue;
            };
            return match manifest.get("type").and_then(Value::as_str) {
                Some("module") => Format::Module,
                Some("commonjs") => Format::CommonJs,
                _ => Format::Unsaid,
            };
        }
        Format::Unsaid
    }
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // A vector takes whatever is written.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().expect("a vector takes all bytes")
}
