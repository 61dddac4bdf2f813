//! What npm found that packages need: its `package-lock.json`.

use std::collections::BTreeMap;

use ampoule_untrusted::text;
use serde::Deserialize;

use crate::exit::Failure;

/// Where npm would put a package.
const FOLDER: &str = "node_modules/";

/// A package that is needed.
pub(super) struct LockedPackage {
    pub(super) name: String,
    pub(super) version: String,
    /// The SHA-512 digest of its tarball, in Base64.
    pub(super) digest: String,
    /// The tarball, if it is a file of the user's.
    pub(super) file: Option<String>,
    /// Where npm has it from, if it says so and that is not a file.
    pub(super) address: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    packages: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Entry {
    name: Option<String>,
    version: Option<String>,
    resolved: Option<String>,
    integrity: Option<String>,
    link: bool,
    optional: bool,
}

/// The packages that a lock file names.
pub(super) fn needed(lock: &str) -> Result<Vec<LockedPackage>, Failure> {
    let lock: Lock = serde_json::from_str(lock).map_err(|error| {
        Failure::usage(format!("npm's package-lock.json can't be read: {error}"))
    })?;
    let mut needed: Vec<LockedPackage> = Vec::new();
    for (place, entry) in lock.packages {
        let Some((_, name)) = place.rsplit_once(FOLDER) else {
            continue;
        };
        // What a package can do without is compiled code as a rule.
        if entry.optional {
            continue;
        }
        let one = entry.needed(name)?;
        match needed.iter().find(|other| other.name == one.name) {
            Some(other) if other.version == one.version => {}
            Some(other) => {
                return Err(unusable(
                    name,
                    &format!(
                        "two versions of it are needed, {} and {}, and scripts can have one; name it in the command, too, with the version to use",
                        other.version, one.version
                    ),
                ));
            }
            None => needed.push(one),
        }
    }
    Ok(needed)
}

impl Entry {
    fn needed(self, name: &str) -> Result<LockedPackage, Failure> {
        if self.name.is_some_and(|other| other != name) {
            return Err(unusable(name, "it stands for a package of another name"));
        }
        let digests = self.integrity.unwrap_or_default();
        let mut digests = digests.split_ascii_whitespace();
        let digest = digests.find_map(|digest| digest.strip_prefix("sha512-"));
        let (Some(version), Some(digest), false) = (self.version, digest, self.link) else {
            return Err(unusable(
                name,
                "npm has no SHA-512 digest of it; add it from a registry, or from a tarball's file (`.tgz`)",
            ));
        };
        let resolved = self.resolved.unwrap_or_default();
        let file = resolved.strip_prefix("file:").map(str::to_owned);
        let address = Some(resolved).filter(|it| file.is_none() && !it.is_empty());
        Ok(LockedPackage {
            name: name.to_owned(),
            version,
            digest: digest.to_owned(),
            file,
            address,
        })
    }
}

fn unusable(name: &str, why: &str) -> Failure {
    let (name, why) = (text::one_line(name), text::one_line(why));
    Failure::usage(format!("the package `{name}` can't be used: {why}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ampoule_mutated::{Inputs, words_of};

    use super::*;

    fn lock(packages: &str) -> Result<Vec<String>, String> {
        let found = needed(&format!(r#"{{"packages":{{"":{{}},{packages}}}}}"#));
        let shown = |of: Vec<LockedPackage>| {
            of.into_iter()
                .map(|it| it.name + "@" + &it.version)
                .collect()
        };
        found.map(shown).map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn each_package_is_needed_once_and_what_is_optional_is_not() {
        let entry = |place: &str, version: &str, more: &str| {
            format!(r#""{place}":{{"version":"{version}","integrity":"sha1-a sha512-b"{more}}}"#)
        };
        let one = entry("node_modules/@s/a", "1.0.0", "");
        let same = entry("node_modules/b/node_modules/@s/a", "1.0.0", "");
        let other = entry("node_modules/b/node_modules/@s/a", "2.0.0", "");
        let optional = entry("node_modules/c", "1.0.0", r#","optional":true"#);
        let found = lock(&format!("{one},{same},{optional}"));
        assert_eq!(found.unwrap(), ["@s/a@1.0.0"]);
        let two = lock(&format!("{one},{other}")).unwrap_err();
        assert!(
            two.contains("two versions of it are needed, 1.0.0 and 2.0.0"),
            "{two}"
        );
        let alias = lock(&entry("node_modules/a", "1.0.0", r#","name":"b""#)).unwrap_err();
        assert!(alias.contains("another name"), "{alias}");
        let link = lock(r#""node_modules/a":{"link":true,"resolved":"a"}"#).unwrap_err();
        assert!(link.contains("no SHA-512 digest"), "{link}");
    }

    #[test]
    fn any_lock_file_names_each_package_once_or_is_refused() {
        let inputs = Inputs {
            right: &[
                br#"{"packages":{"":{},"node_modules/@s/a":{"version":"1.0.0","integrity":"sha1-a sha512-b"},"node_modules/b/node_modules/c":{"version":"2.0.0","integrity":"sha512-c","resolved":"file:c.tgz"},"node_modules/d":{"link":true,"resolved":"d","optional":true}}}"#,
            ],
            words: &[
                "node_modules/", "\"version\":", "\"integrity\":", "sha512-", "file:", "\"name\":\"b\",", "\"\"", "null",
                "..", "\\n", "\\u001b", "\"optional\":true", "\"node_modules/@s/a\":{},",
            ],
            cases: 5_000,
        };
        inputs.tried(|data| {
            let Ok(text) = std::str::from_utf8(data) else {
                return "not text".to_owned();
            };
            match needed(text) {
                Ok(needed) => {
                    let names: HashSet<&str> = needed.iter().map(|it| it.name.as_str()).collect();
                    assert_eq!(names.len(), needed.len(), "a package is there twice");
                    let files = needed.iter().filter(|it| it.file.is_some());
                    format!("{} {}", needed.len(), files.count())
                }
                Err(failure) => words_of(&format!("{failure:?}")),
            }
        });
    }
}
