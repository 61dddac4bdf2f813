//! What an operator chooses: `[workspace]`, and the entries of `[folders]`.

use std::fmt;
use std::path::PathBuf;

use ampoule_fields::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::store::Sharing;
use crate::tree::Quota;

/// The longest name of a folder, in bytes.
const LONGEST_NAME: usize = 64;

/// Files that outlive runs. Without this table, runs have none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorkspaceSettings {
    /// The folder of the files, with a folder for each principal. Default: `workspaces` in the
    /// user's folder of data.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
    /// Whether all principals share the files, which are in `folder` itself then.
    pub shared: bool,
    /// How many files and folders each workspace may hold. Default: 10,000.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub most: u64,
    /// How much each workspace may hold, such as `1GiB`. Default: `256MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub bytes: u64,
}

/// A folder of the operator that runs see.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FolderSettings {
    /// Where it is.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub path: PathBuf,
    /// Whether runs may change its files. Default: runs only read them.
    #[serde(default)]
    pub writable: bool,
}

/// The name of a folder: scripts can write it in a path, and no two names look the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct FolderName(String);

impl Default for WorkspaceSettings {
    fn default() -> Self {
        let Quota { bytes, files } = Quota::default();
        Self {
            folder: None,
            shared: false,
            most: files,
            bytes,
        }
    }
}

impl WorkspaceSettings {
    /// How much each workspace may hold.
    pub fn quota(&self) -> Quota {
        Quota {
            bytes: self.bytes,
            files: self.most,
        }
    }

    /// Which principal has which workspace.
    pub fn sharing(&self) -> Sharing {
        match self.shared {
            true => Sharing::Project,
            false => Sharing::ByPrincipal,
        }
    }
}

impl TryFrom<String> for FolderName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_name = name.len() <= LONGEST_NAME
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        match is_name {
            true => Ok(Self(name)),
            false => Err(format!(
                "a folder's name has letters, digits, `.`, `_` and `-`, a letter or digit first, and at most {LONGEST_NAME} of them"
            )),
        }
    }
}

impl fmt::Display for FolderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
