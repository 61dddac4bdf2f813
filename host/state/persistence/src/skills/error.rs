//! Why something can't be done with a skill.

use std::io;
use std::path::PathBuf;

/// Why something can't be done with a skill. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// It is not a name.
    #[error(
        "the name of a skill has small letters, digits and single hyphens between them, at most 64, such as `save-sheet-as-csv`"
    )]
    Name,
    /// The skill does not exist.
    #[error("unknown skill `{0}`")]
    Missing(String),
    /// It has no such version.
    #[error("the skill `{name}` has no version {version}; it has {there}")]
    NoVersion {
        /// Which skill.
        name: String,
        /// The version that was asked for.
        version: u32,
        /// Those that there are.
        there: String,
    },
    /// It has no description, or one that is too long.
    #[error("a skill has a description, of 1 to 1,024 characters")]
    Description,
    /// It is larger than skills may be.
    #[error("the skill has {bytes} bytes; it may have {most}")]
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        most: u64,
    },
    /// It has more files than skills may have.
    #[error("the skill has more than {0} files")]
    TooManyFiles(usize),
    /// There are as many as there may be.
    #[error("there are {0} skills already, which is the limit; remove one that is not used")]
    TooMany(usize),
    /// A folder is not a skill's.
    #[error("{0}")]
    Folder(String),
    /// What is kept of it is not what was written.
    #[error("the stored files of the skill `{0}` are damaged; remove it, and save it again")]
    Damaged(String),
    /// The list of somebody's skills is not the one that was written.
    #[error(
        "the list of skills in {folder} was changed, or is missing, or is an earlier version's, so none of these skills is used: look at the files there, remove the folder, and save again what you want to keep (`ampoule skills add`)",
        folder = .0.display()
    )]
    List(PathBuf),
    /// The disk, or the folder.
    #[error("the skills' folder can't be used: {0}")]
    Disk(#[from] io::Error),
}
