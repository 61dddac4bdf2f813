//! Skills on disk, from all sides.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use crate::skills::*;

fn draft(name: &str, code: &str) -> Draft {
    Draft {
        name: SkillName::new(name).unwrap(),
        description: "Adds up.".into(),
        instructions: String::new(),
        language: Some("typescript".into()),
        files: vec![File {
            path: "index.ts".into(),
            text: code.into(),
        }],
        example: None,
    }
}

fn store(folders: &[&Path], limits: SkillLimits) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let folders = folders.iter().map(|path| (*path).to_owned()).collect();
    let store = Store::open(&folder.path().join("skills"), folders, limits).unwrap();
    (folder, store)
}

fn keep(shelf: &Shelf, draft: Draft) -> u32 {
    shelf.keep(&mut Skill::of(draft)).unwrap()
}

#[test]
fn names_are_those_of_agent_skills() {
    for name in ["a", "save-sheet-as-csv", "v2", &"a".repeat(64)] {
        assert_eq!(SkillName::new(name).unwrap().as_str(), name);
    }
    for name in [
        "",
        "-a",
        "a-",
        "a--b",
        "A",
        "a_b",
        "a.b",
        "../a",
        "a/b",
        "ä",
        &"a".repeat(65),
    ] {
        assert!(SkillName::new(name).is_err(), "{name}");
    }
    for written in [
        "saveSheetAsCsv",
        "save_sheet_as_csv",
        "SaveSheetAsCsv",
        "save sheet as csv",
    ] {
        assert_eq!(
            SkillName::meant(written).unwrap().as_str(),
            "save-sheet-as-csv"
        );
    }
}

#[test]
fn each_save_is_a_version_and_the_oldest_go() {
    let limits = SkillLimits {
        versions: 3,
        ..SkillLimits::default()
    };
    let (_folder, store) = store(&[], limits);
    let shelf = store.of(None).unwrap();
    for version in 1..=5 {
        assert_eq!(
            keep(&shelf, draft("add", &format!("// {version}"))),
            version
        );
    }
    let name = SkillName::new("add").unwrap();
    assert_eq!(shelf.versions(&name).unwrap(), [3, 4, 5]);
    assert_eq!(shelf.get(&name, None).unwrap().files[0].text, "// 5");
    assert_eq!(shelf.get(&name, Some(3)).unwrap().files[0].text, "// 3");
    let gone = shelf.get(&name, Some(1)).unwrap_err().to_string();
    assert_eq!(gone, "the skill `add` has no version 1; it has 3, 4, 5");
    shelf.remove(&name, None).unwrap();
    assert!(matches!(
        shelf.get(&name, None),
        Err(SkillError::Missing(_))
    ));
}

#[test]
fn what_somebody_saved_others_do_not_see() {
    let (_folder, store) = store(&[], SkillLimits::default());
    keep(&store.of(Some("ada")).unwrap(), draft("add", ""));
    let sees = |who: Option<&str>| {
        let visible = store.visible(who).unwrap();
        visible.names().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(sees(Some("ada")), ["add"]);
    assert_eq!(sees(Some("bob")), [""; 0]);
    assert_eq!(sees(None), [""; 0]);
    keep(&store.shared().unwrap(), draft("add", "// shared"));
    assert_eq!(sees(Some("bob")), ["add"]);
    let name = SkillName::new("add").unwrap();
    let of = |who| store.visible(who).unwrap().get(&name).unwrap();
    assert_eq!(of(Some("bob")).origin, Origin::Approved);
    assert_eq!(of(Some("ada")).origin, Origin::Own);
    // Nor is a principal of the name of a folder anybody else.
    assert_eq!(sees(Some("shared")), ["add"]);
    assert_eq!(of(Some("shared")).origin, Origin::Approved);
}

#[test]
fn what_is_too_much_is_refused() {
    let limits = SkillLimits {
        bytes: 100,
        files: 2,
        skills: 1,
        ..SkillLimits::default()
    };
    let (_folder, store) = store(&[], limits);
    let shelf = store.of(None).unwrap();
    let refused = |draft| shelf.keep(&mut Skill::of(draft)).unwrap_err().to_string();
    let large = refused(draft("add", &"x".repeat(93)));
    assert_eq!(large, "the skill has 101 bytes; it may have 100");
    let mut many = draft("add", "");
    many.files = vec![many.files[0].clone(); 3];
    assert_eq!(refused(many), "the skill has more than 2 files");
    let mut silent = draft("add", "");
    silent.description = " ".into();
    assert_eq!(refused(silent), SkillError::Description.to_string());
    keep(&shelf, draft("add", ""));
    keep(&shelf, draft("add", ""));
    assert!(matches!(
        shelf.keep(&mut Skill::of(draft("other", ""))),
        Err(SkillError::TooMany(1))
    ));
}

#[test]
fn damaged_files_are_reported_and_do_not_hide_the_others() {
    let (folder, store) = store(&[], SkillLimits::default());
    let shelf = store.of(None).unwrap();
    keep(&shelf, draft("add", ""));
    keep(&shelf, draft("sub", ""));
    let file = folder.path().join("skills/local/add.1.json");
    let whole = fs::read(&file).unwrap();
    let renamed = String::from_utf8(whole.clone()).unwrap();
    let renamed = renamed.replace("\"add\"", "\"sub\"").into_bytes();
    for damaged in [
        Vec::new(),
        b"{}".to_vec(),
        b"\xff".to_vec(),
        whole[..50].to_vec(),
        renamed,
    ] {
        fs::write(&file, damaged).unwrap();
        let name = SkillName::new("add").unwrap();
        assert!(matches!(
            shelf.get(&name, None),
            Err(SkillError::Damaged(_))
        ));
        let all = store.visible(None).unwrap().all();
        assert_eq!(all.len(), 1);
    }
    fs::write(folder.path().join("skills/local/..1.json"), "").unwrap();
    fs::write(folder.path().join("skills/local/add.01.json"), "").unwrap();
    assert_eq!(shelf.names().unwrap().len(), 2);
}

#[test]
fn a_skill_is_bound_to_its_name_its_version_and_whose_it_is() {
    let (folder, store) = store(&[], SkillLimits::default());
    let (shelf, other) = (store.of(None).unwrap(), store.of(Some("eve")).unwrap());
    keep(&shelf, draft("add", "one"));
    keep(&shelf, draft("add", "two"));
    keep(&other, draft("add", "of eve"));
    let name = SkillName::new("add").unwrap();
    let local = folder.path().join("skills/local");
    let file = |version: u32| local.join(format!("add.{version}.json"));
    let newest = || {
        shelf
            .get(&name, None)
            .map(|skill| skill.files[0].text.clone())
    };
    assert_eq!(newest().unwrap(), "two");
    let whole = fs::read(file(2)).unwrap();
    // Each bit matters; an older version is none in the place of a newer one, nor is it missing.
    for at in 0..whole.len() {
        let mut edited = whole.clone();
        edited[at] ^= 1;
        fs::write(file(2), edited).unwrap();
        assert!(matches!(newest(), Err(SkillError::Damaged(_))), "{at}");
    }
    fs::copy(file(1), file(2)).unwrap();
    assert!(matches!(newest(), Err(SkillError::Damaged(_))));
    fs::remove_file(file(2)).unwrap();
    assert!(matches!(newest(), Err(SkillError::Damaged(_))));
    fs::write(file(2), &whole).unwrap();
    // What is on no list is none.
    fs::copy(file(1), file(3)).unwrap();
    fs::copy(file(1), local.join("more.1.json")).unwrap();
    assert_eq!(newest().unwrap(), "two");
    assert_eq!(shelf.names().unwrap().len(), 1);
    // The list itself: of somebody else, edited, gone.
    let list = fs::read(local.join("list")).unwrap();
    let eve = fs::read_dir(folder.path().join("skills")).unwrap();
    let mut eve = eve.map(|entry| entry.unwrap().path());
    let eve = eve.find(|path| path.is_dir() && *path != local).unwrap();
    fs::copy(eve.join("list"), local.join("list")).unwrap();
    assert!(matches!(newest(), Err(SkillError::List(_))));
    for at in 0..list.len() {
        let mut edited = list.clone();
        edited[at] ^= 1;
        fs::write(local.join("list"), edited).unwrap();
        assert!(matches!(newest(), Err(SkillError::List(_))), "{at}");
    }
    fs::remove_file(local.join("list")).unwrap();
    assert!(matches!(newest(), Err(SkillError::List(_))));
}

#[test]
fn what_those_had_read_who_saved_something_stays_with_the_shelf() {
    struct Reader(Vec<serde_json::Value>);
    impl Saver for Reader {
        fn reads(&mut self, carried: &serde_json::Value) -> std::io::Result<()> {
            self.0.extend(carried.as_array().cloned().unwrap());
            Ok(())
        }

        fn carried(&self) -> Option<serde_json::Value> {
            (!self.0.is_empty()).then(|| self.0.clone().into())
        }
    }
    let (_folder, store) = store(&[], SkillLimits::default());
    let shelf = store.of(None).unwrap();
    let save = |name: &str, read: &[&str]| {
        let mut saver = Reader(read.iter().map(|label| (*label).into()).collect());
        shelf
            .keep_of(&mut Skill::of(draft(name, "")), &mut saver)
            .unwrap();
        saver.0
    };
    assert!(save("a", &[]).is_empty());
    assert_eq!(shelf.carried().unwrap(), None);
    save("b", &["x"]);
    // A run that saves anything after that has learned of it; and it stays when that is removed.
    assert_eq!(save("c", &["y"]), ["y", "x"]);
    shelf.remove(&SkillName::new("b").unwrap(), None).unwrap();
    assert_eq!(save("a", &[]), ["y", "x"]);
    assert_eq!(
        shelf.carried().unwrap().unwrap(),
        serde_json::json!(["y", "x"])
    );
}

#[test]
fn skills_are_written_as_folders_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut draft = draft("add-up", "export const a = 1;");
    draft.instructions = "# How\n\nJust so.".into();
    draft.example = Some("return 1".into());
    draft.files.push(File {
        path: "data/rates.json".into(),
        text: "{}".into(),
    });
    let path = folder.path().join("add-up");
    write_folder(&draft, &path).unwrap();
    assert_eq!(read_folder(&path, SkillLimits::default()).unwrap(), draft);
    assert!(matches!(
        write_folder(&draft, &path),
        Err(SkillError::Folder(_))
    ));
}

#[test]
fn the_file_that_is_imported_is_found_or_asked_for() {
    let of = |files: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scripts")).unwrap();
        fs::write(
            folder.path().join("SKILL.md"),
            "---\nname: add-up\ndescription: Adds\n---\n",
        )
        .unwrap();
        for file in files {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let read = read_folder(folder.path(), SkillLimits::default());
        read.map(|draft| {
            let first = draft.files.into_iter().next();
            let first = first.filter(|_| draft.language.is_some());
            first.map_or("none".to_owned(), |file| file.path)
        })
    };
    for (files, entry) in [
        (&["a.py"][..], "a.py"),
        (&["b.ts", "index.ts", "a.ts"], "index.ts"),
        (
            &["scripts/add_up.py", "scripts/b.py", "notes.md"],
            "scripts/add_up.py",
        ),
        (&["helper.ts", "add-up.ts"], "add-up.ts"),
        (&["add.ts", "example.ts"], "add.ts"),
        (&["notes.md"], "none"),
    ] {
        assert_eq!(of(files).unwrap(), entry, "{files:?}");
    }
    let unclear = of(&["a.py", "b.ts"]).unwrap_err().to_string();
    assert!(
        unclear.starts_with("which file is imported is not clear, `a.py` or `b.ts`"),
        "{unclear}"
    );
}

#[test]
fn nothing_leads_out_of_an_operators_folder() {
    let folders = tempfile::tempdir().unwrap();
    let secret = folders.path().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    let skills = folders.path().join("skills");
    let path = skills.join("add-up");
    fs::create_dir_all(&path).unwrap();
    fs::write(
        path.join("SKILL.md"),
        "---\nname: add-up\ndescription: Adds\n---\n",
    )
    .unwrap();
    fs::write(path.join("index.ts"), "export const a = 1").unwrap();
    symlink(&secret, path.join("link.txt")).unwrap();
    symlink(folders.path(), path.join("out")).unwrap();
    fs::write(path.join("picture.png"), b"\x89PNG\xff").unwrap();
    let (_folder, store) = store(&[&skills], SkillLimits::default());
    let all = store.visible(Some("ada")).unwrap().all();
    let [
        VisibleSkill {
            skill,
            origin: Origin::Operator,
        },
    ] = &*all
    else {
        panic!("{all:?}");
    };
    let paths: Vec<_> = skill.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["index.ts"]);
    // One that says another name is left out, and one that is not a skill.
    fs::write(
        path.join("SKILL.md"),
        "---\nname: other\ndescription: Adds\n---\n",
    )
    .unwrap();
    assert!(store.visible(None).unwrap().all().is_empty());
}
