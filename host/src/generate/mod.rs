//! The tools of servers as files, for people who write guests and scripts outside of Ampoule.
//!
//! - `wit`: packages in WIT with a world, for components
//! - `typescript`: a module for each tool
//! - `python`: a stub for each server
//! - `tree`: files that are written only where they changed

mod python;
mod tree;
mod typescript;
mod wit;

use std::io;
use std::path::Path;

use crate::binding::ResolvedTool;
use tree::Tree;
pub(crate) use tree::Written;

/// In which language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Language {
    /// `wit/`: a package for each server, and a world that imports them.
    Wit,
    /// `servers/`: a module for each tool.
    Typescript,
    /// `servers/`: a stub for each server.
    Python,
}

/// Writes the tools of some servers, each with its tools, below `folder`. Files that were written before, and are no longer part of it, are removed.
///
/// # Errors
///
/// A file that can't be read or written, or that is there already and not one of these.
pub(crate) fn write(
    language: Language,
    servers: &[Vec<ResolvedTool>],
    folder: &Path,
) -> io::Result<Written> {
    // One list for each language: they may share a folder.
    let mut tree = Tree::new(match language {
        Language::Wit => ".ampoule-wit",
        Language::Typescript => ".ampoule-typescript",
        Language::Python => ".ampoule-python",
    });
    match language {
        Language::Wit => wit::add(servers, &mut tree),
        Language::Typescript => typescript::add(servers, &mut tree),
        Language::Python => python::add(servers, &mut tree),
    }
    tree.write(folder)
}
