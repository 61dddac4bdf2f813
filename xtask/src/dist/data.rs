//! The guest of Python with numpy and pandas, as packages of its own: most do without, and it is larger
//! than the program's archive.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use super::entries::Entry;
use super::release::Release;
use super::wheel::Part;
use super::{VERSION, deb, wheel};
use crate::data_guest::{FILE, NOTICE, made};
use crate::say;

/// What Debian's package is called, and PyPI's.
const DEBIAN: &str = "ampoule-python-data";
const PYPI: &str = "pyampoule-data";
const SUMMARY: &str = "numpy and pandas for scripts in Ampoule's isolates";

/// Writes the file itself, Debian's package and PyPI's, if the guest was built.
pub(super) fn write(release: &Release) -> Result<()> {
    let Some(paths) = made() else {
        say("numpy and pandas are left out: `cargo xtask guests --build python-data` makes them");
        return Ok(());
    };
    let entries: Vec<Entry> = paths
        .iter()
        .zip([FILE, NOTICE])
        .map(|(path, name)| Ok(Entry::file(name, fs::read(path)?)))
        .collect::<Result<_>>()?;
    let bytes: usize = entries.iter().map(Entry::bytes).sum();
    say(&format!(
        "numpy and pandas are {:.1} MiB, in packages of their own",
        bytes as f64 / f64::from(1 << 20)
    ));
    for (path, name) in paths.iter().zip([FILE, NOTICE]) {
        fs::copy(path, release.folder.join(name))?;
    }
    write_deb(release, &entries)?;
    write_wheel(release, &paths)
}

fn write_deb(release: &Release, files: &[Entry]) -> Result<()> {
    let kibibytes: usize = files.iter().map(|entry| entry.bytes().div_ceil(1024)).sum();
    let control = format!(
        "Package: {DEBIAN}\n\
        Version: {VERSION}\n\
        Architecture: all\n\
        Maintainer: The makers of Ampoule <ampoule@example.invalid>\n\
        Installed-Size: {kibibytes}\n\
        Depends: ampoule (= {VERSION})\n\
        Section: utils\n\
        Priority: optional\n\
        Description: {SUMMARY}\n \
        An interpreter of Python that begins with numpy and pandas imported.\n"
    );
    let mut entries = Vec::new();
    for file in files {
        let folder = match file.path == NOTICE {
            true => format!("usr/share/doc/{DEBIAN}"),
            false => "usr/share/ampoule".to_owned(),
        };
        entries.push(file.clone().below(&folder));
    }
    let package = deb::archive(vec![Entry::file("control", control)], entries, release)?;
    let name = format!("{DEBIAN}_{VERSION}_all.deb");
    Ok(fs::write(release.folder.join(name), package)?)
}

fn write_wheel(release: &Release, [guest, notice]: &[PathBuf; 2]) -> Result<()> {
    let module = PYPI.replace('-', "_");
    let information = |file: &str| format!("{module}-{VERSION}.dist-info/{file}");
    let tag = "py3-none-any";
    let metadata = format!(
        "Metadata-Version: 2.4\n\
        Name: {PYPI}\n\
        Version: {VERSION}\n\
        Summary: {SUMMARY}\n\
        License-File: {NOTICE}\n\
        Requires-Dist: pyampoule == {VERSION}\n"
    );
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: true\nTag: {tag}\n"
    );
    // Below the environment, whose `bin` has the program.
    let shared = format!("{module}-{VERSION}.data/data/share/ampoule/{FILE}");
    let parts: Vec<Part> = vec![
        (shared, 0o644, fs::read(guest)?),
        (information("METADATA"), 0o644, metadata.into()),
        (information("WHEEL"), 0o644, wheel.into()),
        (
            information(&format!("licenses/{NOTICE}")),
            0o644,
            fs::read(notice)?,
        ),
    ];
    let path = release.folder.join(format!("{module}-{VERSION}-{tag}.whl"));
    wheel::archive(&path, parts, &information("RECORD"))
}
