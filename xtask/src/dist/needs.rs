//! What a program needs of the system: libraries, and of the C library which version. Read from
//! the program itself.

use std::cmp::max;

use anyhow::{Context, Result, bail, ensure};
use object::read::elf::{Dyn, ElfFile64, ProgramHeader};
use object::{Endianness, elf};

/// A program's needs.
#[derive(Debug, Clone)]
pub(super) struct Needs {
    /// The names of its libraries.
    pub(super) libraries: Vec<String>,
    /// The program that loads it.
    pub(super) loader: String,
    /// The C library's least version: 2 and 34 of `2.34`.
    pub(super) glibc: (u32, u32),
}

impl Needs {
    /// Those of a program for Linux.
    ///
    /// # Errors
    ///
    /// It is none, or needs no C library: packages say which one they need.
    pub(super) fn of(program: &[u8]) -> Result<Self> {
        let file = parsed(program)?;
        let endian = file.endian();
        let sections = file.elf_section_table();
        let (dynamic, strings) = sections
            .dynamic(endian, program)?
            .context("the program needs no libraries")?;
        let strings = sections.strings(endian, program, strings)?;
        let mut libraries = Vec::new();
        for entry in dynamic {
            if entry.tag(endian) == elf::DT_NEEDED {
                libraries.push(text(entry.string(endian, strings)?)?);
            }
        }
        let mut loader = None;
        for segment in file.elf_program_headers() {
            loader = loader.or(segment.interpreter(endian, program)?);
        }
        Ok(Self {
            libraries,
            loader: text(loader.context("nothing loads the program")?)?,
            glibc: Self::of_library(program)?,
        })
    }

    /// Which version of the C library a library needs, or a program.
    ///
    /// # Errors
    ///
    /// It is none for Linux, or needs no C library.
    pub(super) fn of_library(library: &[u8]) -> Result<(u32, u32)> {
        let file = parsed(library)?;
        let endian = file.endian();
        let sections = file.elf_section_table();
        let (mut needed, names) = sections
            .gnu_verneed(endian, library)?
            .context("it needs no version of any library")?;
        let names = sections.strings(endian, library, names)?;
        let mut glibc = (0, 0);
        while let Some((_, mut versions)) = needed.next()? {
            while let Some(version) = versions.next()? {
                let name = text(version.name(endian, names)?)?;
                if let Some(version) = name.strip_prefix("GLIBC_") {
                    glibc = max(glibc, numbers(version)?);
                }
            }
        }
        ensure!(glibc > (0, 0), "it needs no version of the C library");
        Ok(glibc)
    }
}

fn parsed(program: &[u8]) -> Result<ElfFile64<'_, Endianness>> {
    ElfFile64::parse(program).context("the file is neither a program nor a library for Linux")
}

fn text(bytes: &[u8]) -> Result<String> {
    Ok(String::from_utf8(bytes.to_vec())?)
}

/// `2.34`, and `2.2.5`, whose third number no package can ask for.
fn numbers(version: &str) -> Result<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => bail!("{version} is not a version of the C library"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_needs_a_c_library() {
        let this = std::env::current_exe().expect("this test's path");
        let needs = Needs::of(&std::fs::read(this).expect("a program")).expect("its needs");
        assert!(
            needs.libraries.iter().any(|name| name == "libc.so.6"),
            "{needs:?}"
        );
        assert!(needs.glibc >= (2, 17), "{needs:?}");
        assert!(needs.loader.contains("ld-linux"), "{needs:?}");
    }

    #[test]
    fn versions_are_ordered_as_numbers() {
        assert!(numbers("2.34").ok() > numbers("2.4").ok());
        assert_eq!(numbers("2.2.5").ok(), Some((2, 2)));
        assert!(numbers("PRIVATE").is_err());
    }
}
