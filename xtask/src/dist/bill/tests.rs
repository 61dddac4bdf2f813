//! What the bill has.

use super::*;

#[test]
fn a_guest_is_made_of_what_it_is_linked_with() {
    let mut bill = Bill::default();
    let guest = bill.add_guest(&GUESTS[0]).expect("its crates");
    let of = |name: &str| {
        let name = format!("pkg:cargo/{name}@");
        bill.parts.iter().find(|(url, _)| url.starts_with(&name))
    };
    let (interpreter, part) = of("rquickjs-sys").expect("the interpreter");
    assert!(part["hashes"][0]["content"].is_string(), "{part}");
    assert_eq!(part["licenses"], json!([{ "expression": "MIT" }]));
    let (between, _) = of("rquickjs-core").expect("what binds it");
    assert!(bill.made_of[between].contains(interpreter));
    assert!(of("cc").is_none(), "it only compiles");
    assert!(bill.parts[&guest]["hashes"][0]["content"].is_string());
}

#[test]
fn the_program_is_made_of_no_tests_and_no_tools() {
    let mut bill = Bill::default();
    let workspace = Workspace::read(Path::new("."), super::super::platform::HERE);
    let program = bill.add(&workspace.expect("a workspace"), "ampoule-cli");
    let program = program.expect("its crates");
    let has = |name: &str| {
        let name = format!("pkg:cargo/{name}@");
        bill.parts.keys().any(|url| url.starts_with(&name))
    };
    assert!(has("wasmtime") && has("ampoule-isolate"));
    for other in ["xtask", "criterion", "ampoule-tests", "serde_derive", "cc"] {
        assert!(!has(other), "{other}");
    }
    assert!(bill.made_of[&program].len() > 20);
    let parts = bill.foreign().expect("each part has a licence");
    let of = |name: &str| parts.iter().find(|part| part.name.starts_with(name));
    let by_file = of("jsonpath-rust").expect("a part without an expression of its own");
    assert_eq!(by_file.licence, "MIT");
}

#[test]
fn what_pip_is_told_is_read() {
    let text = "# why\ncomponentize-py==0.25.1 \\\n    --hash=sha256:ab\ntzdata==2026.1\n";
    let found: Vec<_> = required(text).collect();
    assert_eq!(found, [("componentize-py", "0.25.1"), ("tzdata", "2026.1")]);
}

#[test]
fn the_model_is_in_the_bill_with_its_licence() {
    let mut bill = Bill::default();
    let carried = bill.add_required(Path::new(MODEL)).expect("its package");
    let [model] = &*carried else {
        panic!("one model: {carried:?}");
    };
    assert_eq!(bill.parts[model]["type"], "machine-learning-model");
    let notice = fs::read_to_string(repository().join("xtask/src/model/notice.txt"));
    let notice = notice.expect("what is said of it in packages");
    assert!(notice.contains("Apache License, Version 2.0"));
    let parts = bill.foreign().expect("its licence");
    assert_eq!(parts[0].licence, "Apache-2.0");
}

#[test]
fn a_bill_without_a_guest_or_what_it_carries_is_found() {
    let mut bill = Bill::default();
    bill.add_guests().expect("their parts");
    with_console(&mut bill);
    bill.add_editor().expect("its packages");
    let missing = |bill: &Bill| {
        let parts: Vec<_> = bill.parts.values().collect();
        Bill::missing_of_committed(&json!({ "components": parts })).expect("the guests")
    };
    assert_eq!(missing(&bill), Vec::<String>::new());
    bill.parts
        .retain(|url, _| !url.contains("sqlite") && !url.contains("crelt"));
    assert_eq!(
        missing(&bill),
        ["pkg:generic/sqlite@3.51.2", "pkg:npm/crelt@1.0.7"]
    );
    let all = Bill::missing_of_committed(&json!({})).expect("the guests");
    let editor = editor::packages().expect("its packages").len();
    assert_eq!(all.len(), GUESTS.len() + EMBEDDED.len() + editor);
}

/// The crate that carries the editor, as Cargo would list it.
fn with_console(bill: &mut Bill) {
    let console = "pkg:cargo/ampoule-console@0.1.0";
    bill.parts.insert(
        console.to_owned(),
        json!({ "name": "ampoule-console", "version": "0.1.0" }),
    );
}

#[test]
fn the_editor_is_in_the_bill_with_the_versions_that_it_was_bundled_of() {
    let mut bill = Bill::default();
    assert!(bill.add_editor().is_err(), "something carries it");
    with_console(&mut bill);
    bill.add_editor().expect("its packages");
    let foreign = bill.foreign().expect("each part has a licence");
    let view = foreign
        .iter()
        .find(|part| part.name.starts_with("@codemirror/view "))
        .expect("CodeMirror");
    assert_eq!(view.licence, "MIT");
    let LicenceText::Here(text) = view.text else {
        panic!("its text is here");
    };
    assert!(
        text.starts_with("MIT License\n\nCopyright (C) 2018"),
        "{text}"
    );
    assert!(!text.contains("----"), "{text}");
    // What package.json pins is what was bundled, and nothing else of it is.
    let pinned = repository().join("host/serve/console/assets/editor/package.json");
    let pinned = fs::read_to_string(pinned).expect("what is pinned");
    let pinned: Value = serde_json::from_str(&pinned).expect("JSON");
    let pinned = pinned["dependencies"].as_object().expect("packages");
    let packages = editor::packages().expect("its packages");
    for (name, version) in pinned.iter().filter(|(name, _)| *name != "esbuild") {
        let found = packages.iter().find(|package| package.name == name);
        let found = found.unwrap_or_else(|| panic!("{name} is listed"));
        assert_eq!(found.version, version, "{name}");
    }
    assert!(packages.len() > pinned.len(), "{packages:?}");
}

#[test]
fn a_serial_number_is_a_uuid() {
    let serial = serial(&digest(b"program"));
    let uuid = serial.strip_prefix("urn:uuid:").expect("a name");
    let groups: Vec<_> = uuid.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12], "{serial}");
}

#[test]
fn what_a_guest_carries_is_in_the_bill_and_named_in_the_notice() {
    let mut bill = Bill::default();
    bill.add_guests().expect("their parts");
    let notice = fs::read_to_string(repository().join("NOTICE")).expect("NOTICE");
    let notice: Vec<_> = notice.split_whitespace().collect();
    let notice = notice.join(" ");
    for software in &EMBEDDED {
        let part = &bill.parts[&software.url()];
        assert!(notice.contains(&full_name(part)), "{part}");
        assert!(notice.contains(software.source), "{part}");
        for carrier in software.carriers {
            assert!(bill.made_of[*carrier].contains(&software.url()), "{part}");
        }
    }
    let Some(LicenceText::Folder { folder, .. }) = bill.texts.get("pkg:generic/quickjs-ng@0.16.2")
    else {
        panic!("the engine's sources are there");
    };
    let header = fs::read_to_string(folder.join("quickjs.h")).expect("its header");
    for (name, number) in [("MAJOR", 0), ("MINOR", 16), ("PATCH", 2)] {
        let line = format!("#define QJS_VERSION_{name} {number}\n");
        assert!(header.contains(&line), "{line}");
    }
}
