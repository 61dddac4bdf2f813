//! The tools of servers as files, for people who write guests and scripts outside of Ampoule.
//!
//! - `command`: the subcommand; `server`: a server whose files are written
//! - `wit`: packages in WIT with a world, for components
//! - `typescript`: the global `tools`, and a module for each tool
//! - `python`: a stub for each server
//! - `rust`: a crate with the packages in WIT and a program
//! - `tree`: files that are written only where they changed

mod command;
mod python;
mod rust;
mod server;
mod tree;
mod typescript;
mod wit;

use std::io;
use std::path::{Path, PathBuf};

use ampoule_projection::Idiom;
use ampoule_projection::wit::Calling;
use ampoule_tools::ServerIdentifiers;

use server::GeneratedServer;
use tree::{Changes, Tree};

pub(crate) use command::Generate;

/// In which language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Language {
    /// `wit/`: a package for each server, and a world that imports them.
    Wit,
    /// `tools.d.ts`: the global `tools`, for editors and `tsc`. `servers/`: a module for each tool.
    Typescript,
    /// `servers/`: a stub for each server.
    Python,
    /// `wit/` as above, and a crate with a program that calls one of the tools, for people to
    /// extend.
    Rust,
}

/// Writes the tools of some servers, each with its tools, below `folder`; in WIT with functions of
/// that kind. Earlier files that are no longer part of it are removed. Starters that people have
/// changed stay as they are, and so do the files of servers that can't be reached this time.
///
/// # Errors
///
/// A file that can't be read or written, or that exists and was not written by this command.
fn write(
    language: Language,
    calling: Calling,
    servers: &[GeneratedServer],
    left_out: &[&ServerIdentifiers],
    folder: &Path,
) -> io::Result<Changes> {
    // One list for each language: languages may share a folder.
    let mut tree = Tree::new(match language {
        Language::Wit => ".ampoule-wit",
        Language::Typescript => ".ampoule-typescript",
        Language::Python => ".ampoule-python",
        Language::Rust => ".ampoule-rust",
    });
    let kept: Vec<&ServerIdentifiers> = left_out
        .iter()
        .copied()
        .filter(|server| folder.join(language.place_of(server)).exists())
        .collect();
    for server in &kept {
        tree.keep(language.place_of(server));
    }
    match language {
        Language::Wit => wit::add(servers, &kept, calling, &mut tree),
        Language::Typescript => typescript::add(servers, &kept, &mut tree),
        Language::Python => python::add(servers, &kept, &mut tree),
        Language::Rust => rust::add(servers, &kept, &mut tree),
    }
    tree.write(folder)
}

impl Language {
    /// How tools are named in what is written.
    fn idiom(self) -> Idiom {
        match self {
            Self::Python => Idiom::Python,
            Self::Typescript | Self::Wit | Self::Rust => Idiom::TypeScript,
        }
    }

    /// Where what is written of a server is.
    fn place_of(self, server: &ServerIdentifiers) -> PathBuf {
        let place = match self {
            Self::Wit | Self::Rust => format!("wit/deps/mcp-{}", server.package),
            Self::Typescript => format!("servers/{}", server.typescript),
            Self::Python => format!("servers/{}/__init__.pyi", server.python),
        };
        place.into()
    }
}
