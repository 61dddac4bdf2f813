//! What the list has, and that every package has it.

use std::collections::BTreeSet;

use flate2::read::GzDecoder;
use serde_json::json;

use super::super::pages::Pages;
use super::super::platform::{HERE, Platform};
use super::super::release::Release;
use super::super::{deb, image, npm, tarball};
use super::*;

#[test]
fn every_package_has_the_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let release = Release::of_this(folder.path());
    let licences = Licences::of(&Bill::default()).expect("licences");
    let pages = Pages {
        completions: [Vec::new(), Vec::new(), Vec::new()],
        manual: Vec::new(),
    };
    let below = |folder: &str, entries: Result<Vec<Entry>>| -> BTreeSet<String> {
        let entries = entries.expect("its files").into_iter();
        let names = entries.filter_map(|entry| {
            Some(
                entry
                    .path
                    .strip_prefix(folder)?
                    .trim_start_matches('/')
                    .to_owned(),
            )
        });
        names.collect()
    };
    let documents = "usr/share/doc/ampoule";
    let tarball = tarball::entries(&release, &pages, &licences);
    let of_tarball = below("share/doc/ampoule", tarball);
    let of_deb = below(documents, deb::entries(&release, &pages, &licences));
    let of_image = below(documents, image::program(&release, &licences));
    let manifest = json!({ "name": "@ampoule/one" });
    let of_npm = npm::packed(&release, &licences, &manifest, Vec::new()).expect("a package");
    assert!(
        of_npm.ends_with(format!("ampoule-one-{VERSION}.tgz")),
        "{of_npm:?}"
    );
    let of_npm = fs::File::open(of_npm).expect("a package");
    let mut of_npm = tar::Archive::new(GzDecoder::new(of_npm));
    let of_npm: BTreeSet<_> = (of_npm.entries().expect("entries"))
        .map(|entry| {
            entry
                .expect("an entry")
                .path()
                .expect("a path")
                .display()
                .to_string()
        })
        .filter_map(|path| Some(path.strip_prefix("package/")?.to_owned()))
        .collect();
    for (name, _) in licences.files() {
        for package in [&of_tarball, &of_image, &of_npm] {
            assert!(package.contains(name), "{name}: {package:?}");
        }
        // Debian has this text for all packages.
        assert_eq!(of_deb.contains(name), name != LICENCE, "{of_deb:?}");
    }
}

#[test]
fn each_part_is_listed_and_each_text_is_there_once() {
    let bill = Bill::of(Platform::of(HERE).expect("a platform")).expect("a bill");
    let page = third_party(&bill).expect("a page");
    let (list, texts) = page.split_once("\n====").expect("a list, and texts");
    for part in bill.foreign().expect("parts") {
        let line = format!("\n{}: {}\n", part.name, part.licence);
        assert!(list.contains(&line), "{line}");
    }
    assert!(list.contains("\nCPython 3.14.0: PSF-2.0\n"), "{list}");
    let of_python = "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2\n";
    assert_eq!(texts.matches(of_python).count(), 1, "CPython's text");
    assert!(
        texts.contains("Daan Leijen"),
        "texts of what CPython incorporates"
    );
    assert!(list.contains("ampoule-isolate,") && !list.contains("ampoule-isolate 0"));
    let engine = "Copyright (c) 2017-2026 Fabrice Bellard";
    assert_eq!(texts.matches(engine).count(), 1, "the engine's text");
    let (of_engine, _) = texts.split_once(engine).expect("the engine's text");
    let (_, names) = of_engine.rsplit_once("\n\n====").expect("its parts");
    assert!(
        names.contains("QuickJS-NG 0.16.2, rquickjs-sys 0."),
        "{names}"
    );
    let mut lines = texts.lines().map(str::trim);
    assert!(lines.all(|line| line != "GNU GENERAL PUBLIC LICENSE"));
}

#[test]
fn names_are_listed_in_lines() {
    let names: Vec<_> = (0..40).map(|number| format!("part {number}.0")).collect();
    let lines = listed(&names);
    assert!(lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
    assert_eq!(lines.replace('\n', " ").trim_end(), names.join(", "));
}
