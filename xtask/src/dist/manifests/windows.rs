//! Manifests of Scoop and winget. They install the archive as it is: a program that needs no
//! installer.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::super::built::Archive;
use super::super::platform::{Processor, System};
use super::super::{SUMMARY, VERSION};
use super::{Address, Manifest};

/// What winget calls the package.
const IDENTIFIER: &str = "Ampoule.Ampoule";
/// The version of winget's schemas.
const WINGET: &str = "1.10.0";
/// The program, in the folder that the archive has.
const PROGRAM: &str = "bin\\ampoule.exe";

/// Those of all archives for Windows.
pub(super) fn manifests(archives: &[Archive], address: &Address) -> Result<Vec<Manifest>> {
    let of_windows: Vec<_> = archives
        .iter()
        .filter(|archive| archive.platform.system == System::Windows)
        .collect();
    let scoop = scoop(&of_windows, address);
    let mut manifests = vec![Manifest {
        path: "scoop/ampoule.json".to_owned(),
        text: serde_json::to_string_pretty(&scoop)? + "\n",
    }];
    for (end, value) in [
        ("", version()),
        (".installer", installer(&of_windows, address)),
        (".locale.en-US", locale(address)),
    ] {
        manifests.push(Manifest {
            path: format!("winget/{IDENTIFIER}{end}.yaml"),
            text: yaml(&value)?,
        });
    }
    Ok(manifests)
}

/// Scoop's manifest.
fn scoop(archives: &[&Archive], address: &Address) -> Value {
    let architectures: Map<String, Value> = archives
        .iter()
        .map(|archive| {
            let architecture = match archive.platform.processor {
                Processor::X86_64 => "64bit",
                Processor::Arm64 => "arm64",
            };
            let of = json!({
                "url": address.of(archive),
                "hash": archive.digest,
                "extract_dir": archive.folder,
            });
            (architecture.to_owned(), of)
        })
        .collect();
    json!({
        "version": VERSION,
        "description": SUMMARY,
        "homepage": address.0,
        "license": "Apache-2.0",
        "architecture": architectures,
        "bin": PROGRAM,
    })
}

/// What is the same in winget's three files.
fn winget(kind: &str, rest: Value) -> Value {
    let mut all = json!({ "PackageIdentifier": IDENTIFIER, "PackageVersion": VERSION });
    if let (Value::Object(all), Value::Object(rest)) = (&mut all, rest) {
        all.extend(rest);
        all.insert("ManifestType".to_owned(), kind.into());
        all.insert("ManifestVersion".to_owned(), WINGET.into());
    }
    all
}

fn version() -> Value {
    winget("version", json!({ "DefaultLocale": "en-US" }))
}

fn installer(archives: &[&Archive], address: &Address) -> Value {
    let installers: Vec<_> = archives
        .iter()
        .map(|archive| {
            let architecture = match archive.platform.processor {
                Processor::X86_64 => "x64",
                Processor::Arm64 => "arm64",
            };
            json!({
                "Architecture": architecture,
                "InstallerUrl": address.of(archive),
                "InstallerSha256": archive.digest.to_uppercase(),
                "NestedInstallerFiles": [{
                    "RelativeFilePath": format!("{}\\{PROGRAM}", archive.folder),
                    "PortableCommandAlias": "ampoule",
                }],
            })
        })
        .collect();
    winget(
        "installer",
        json!({
            "InstallerType": "zip",
            "NestedInstallerType": "portable",
            "Commands": ["ampoule"],
            "Installers": installers,
        }),
    )
}

fn locale(address: &Address) -> Value {
    winget(
        "defaultLocale",
        json!({
            "PackageLocale": "en-US",
            "Publisher": "The makers of Ampoule",
            "PackageName": "Ampoule",
            "PackageUrl": address.0,
            "License": "Apache-2.0",
            "ShortDescription": SUMMARY,
        }),
    )
}

/// A table in YAML. Texts are in double quotes, where YAML reads what JSON reads.
fn yaml(table: &Value) -> Result<String> {
    let mut text = String::new();
    block(table, 0, &mut text)?;
    Ok(text)
}

/// Writes the members of a table or the items of a list, each in lines of its own.
fn block(value: &Value, indent: usize, text: &mut String) -> Result<()> {
    let begin = " ".repeat(indent);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                write!(text, "{begin}{name}:")?;
                after(member, indent + 2, text)?;
            }
        }
        Value::Array(items) => {
            for item in items {
                write!(text, "{begin}-")?;
                after(item, indent + 2, text)?;
            }
        }
        scalar => writeln!(text, "{begin}{scalar}")?,
    }
    Ok(())
}

/// Writes what a name or a dash stands before.
fn after(value: &Value, indent: usize, text: &mut String) -> Result<()> {
    match value {
        Value::Object(_) | Value::Array(_) => {
            text.push('\n');
            block(value, indent, text)
        }
        scalar => Ok(writeln!(text, " {scalar}")?),
    }
}
