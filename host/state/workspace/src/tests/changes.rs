//! What a run changes, as it and others see it.

use super::*;

#[test]
fn what_a_run_wrote_is_there_when_it_is_merged_and_not_before() {
    let place = Fixture::new();
    let run = place.run();
    write(&run, "a.csv", "1,2\n");
    run.make_folder("deep").unwrap();
    run.make_folder("deep/er").unwrap();
    write(&run, "deep/er/b", "b");
    assert_eq!(read(&run, "/workspace/a.csv").unwrap(), "1,2\n");
    assert_eq!(names(&run, "."), ["a.csv", "deep"]);
    assert_eq!(place.names(), [""; 0]);
    assert_eq!(code(read(&place.run(), "a.csv")), Code::NoEntry);
    run.merge().unwrap();
    drop(run);
    assert_eq!(place.names(), ["a.csv", "deep"]);
    assert_eq!(place.on_disk("deep/er/b").unwrap(), "b");
    assert_eq!(place.layers(), 0);
    assert_eq!(read(&place.run(), "a.csv").unwrap(), "1,2\n");
}

#[test]
fn what_is_not_merged_leaves_nothing() {
    let place = Fixture::new();
    fs::write(place.path.join("old"), "old").unwrap();
    let run = place.run();
    write(&run, "old", "new");
    run.remove("old").unwrap();
    write(&run, "more", "more");
    assert_eq!(place.layers(), 1);
    drop(run);
    assert_eq!(place.layers(), 0);
    assert_eq!(
        (place.names(), place.on_disk("old").unwrap()),
        (vec!["old".to_owned()], "old".to_owned())
    );
}

#[test]
fn a_file_is_appended_to_and_cut_and_the_old_one_stays_until_then() {
    let place = Fixture::new();
    fs::write(place.path.join("log"), "one\n").unwrap();
    let run = place.run();
    let file = run.open("log", APPEND, FREELY).unwrap();
    assert_eq!(run.write(file, 0, b"two\n").unwrap(), 8);
    assert_eq!(run.status_of(file).unwrap().size, 8);
    assert_eq!(place.on_disk("log").unwrap(), "one\n");
    run.resize(file, 5).unwrap();
    assert_eq!(read(&run, "log").unwrap(), "one\nt");
    run.merge().unwrap();
    assert_eq!(place.on_disk("log").unwrap(), "one\nt");
    assert_eq!(code(run.write(file, 0, b"x")), Code::BadHandle);
}

#[test]
fn folders_are_moved_and_removed_with_all_that_is_in_them() {
    let place = Fixture::new();
    fs::create_dir_all(place.path.join("a/b")).unwrap();
    fs::write(place.path.join("a/b/c"), "c").unwrap();
    fs::write(place.path.join("a/d"), "d").unwrap();
    let run = place.run();
    run.rename("a", "z", FREELY).unwrap();
    assert_eq!(
        (names(&run, "."), names(&run, "z")),
        (vec!["z".into()], vec!["b".into(), "d".into()])
    );
    assert_eq!(read(&run, "z/b/c").unwrap(), "c");
    // The file is the same one until it is written to.
    write(&run, "z/d", "other");
    assert_eq!(place.on_disk("a/d").unwrap(), "d");
    assert_eq!(code(run.remove_folder("z")), Code::NotEmpty);
    assert_eq!(code(run.rename("z", "z/b/z", FREELY)), Code::Invalid);
    run.make_folder("a").unwrap();
    write(&run, "a/new", "new");
    run.merge().unwrap();
    drop(run);
    assert_eq!(place.names(), ["a", "z"]);
    let on_disk = ["a/new", "z/b/c", "z/d", "a/d"].map(|path| place.on_disk(path));
    assert_eq!(
        on_disk,
        [
            Some("new".into()),
            Some("c".into()),
            Some("other".into()),
            None
        ]
    );
    let run = place.run();
    for path in ["z/b/c", "z/d"] {
        run.remove(path).unwrap();
    }
    run.remove_folder("z/b").unwrap();
    run.remove_folder("z").unwrap();
    write(&run, "z", "a file now");
    run.merge().unwrap();
    assert_eq!(place.on_disk("z").unwrap(), "a file now");
}

#[test]
fn two_files_change_places() {
    let place = Fixture::new();
    fs::write(place.path.join("a"), "a").unwrap();
    fs::write(place.path.join("b"), "b").unwrap();
    let run = place.run();
    run.rename("a", "c", FREELY).unwrap();
    run.rename("b", "a", FREELY).unwrap();
    run.rename("c", "b", FREELY).unwrap();
    run.merge().unwrap();
    assert_eq!(place.names(), ["a", "b"]);
    assert_eq!(
        (place.on_disk("a").unwrap(), place.on_disk("b").unwrap()),
        ("b".into(), "a".into())
    );
}

#[test]
fn a_file_that_is_open_stays_what_it_was() {
    let place = Fixture::new();
    fs::write(place.path.join("a"), "before").unwrap();
    let run = place.run();
    let file = run.open("a", READ, FREELY).unwrap();
    run.remove("a").unwrap();
    assert_eq!(run.read(file, 0, 100).unwrap(), b"before");
    write(&run, "a", "after");
    let again = run.open("a", READ, FREELY).unwrap();
    assert_ne!(again, file);
    assert_eq!(run.read(file, 3, 100).unwrap(), b"ore");
    assert_eq!(run.read(again, 0, 100).unwrap(), b"after");
}

#[test]
fn a_folder_of_the_operators_is_read_and_written_only_where_that_is_allowed() {
    let place = Fixture::new();
    let (read_only, writable) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(read_only.path().join("r"), "r").unwrap();
    let quota = Quota {
        bytes: 100,
        files: 10,
    };
    let folders = vec![
        (
            "in".to_owned(),
            Tree::folder(read_only.path(), false, quota).unwrap(),
        ),
        (
            "out".to_owned(),
            Tree::folder(writable.path(), true, quota).unwrap(),
        ),
    ];
    let run = Files::new(Some(Arc::clone(&place.tree)), folders);
    assert_eq!(names(&run, "/folders"), ["in", "out"]);
    assert_eq!(read(&run, "/folders/in/r").unwrap(), "r");
    assert_eq!(code(try_write(&run, "/folders/in/w", "w")), Code::ReadOnly);
    assert_eq!(code(run.remove("/folders/in/r")), Code::ReadOnly);
    assert_eq!(code(read(&run, "/folders/other/r")), Code::NoEntry);
    write(&run, "/folders/out/w", "w");
    assert!(!writable.path().join("w").exists());
    run.merge().unwrap();
    assert_eq!(fs::read_to_string(writable.path().join("w")).unwrap(), "w");
    assert_eq!(fs::read_dir(read_only.path()).unwrap().count(), 1);
}

#[test]
fn what_a_run_changes_is_described_with_short_texts() {
    let place = Fixture::new();
    for (name, text) in [
        ("changed", "old\n"),
        ("removed", "gone\n"),
        ("same", "same"),
    ] {
        fs::write(place.path.join(name), text).unwrap();
    }
    fs::write(place.path.join("long"), "x".repeat(40 << 10)).unwrap();
    let run = place.run();
    assert!(run.changes().is_empty());
    write(&run, "changed", "new\n");
    run.remove("removed").unwrap();
    run.make_folder("deep").unwrap();
    write(&run, "deep/created", "made\n");
    write(&run, "same", "same");
    write(&run, "long", "short");
    let changes = run.changes();
    let text = |text: &str| Some(text.to_owned());
    let wanted = [
        (
            "changed",
            ChangeKind::Changed,
            Some(4),
            text("old\n"),
            text("new\n"),
        ),
        (
            "deep/created",
            ChangeKind::Created,
            Some(5),
            None,
            text("made\n"),
        ),
        ("long", ChangeKind::Changed, Some(5), None, text("short")),
        ("removed", ChangeKind::Removed, None, text("gone\n"), None),
    ];
    let wanted = wanted.map(|(path, kind, bytes, before, after)| FileChange {
        path: path.to_owned(),
        kind,
        bytes,
        before,
        after,
    });
    assert_eq!(changes, wanted);
}

#[test]
fn texts_that_stay_the_same_are_not_described_where_little_room_is_left() {
    let place = Fixture::new();
    let large = "x".repeat(20 << 10);
    fs::write(place.path.join("same"), &large).unwrap();
    let run = place.run();
    for file in 0..7 {
        write(&run, &format!("new-{file}"), &"x".repeat(32 << 10));
    }
    write(&run, "same", &large);
    // Of the 32 KiB that are left, the first of these takes twenty.
    write(&run, "text", &large);
    write(&run, "without", &large);
    let changes = run.changes();
    let changes = changes.iter().skip(7);
    let described: Vec<_> = changes
        .map(|change| (&*change.path, change.after.is_some()))
        .collect();
    assert_eq!(described, [("text", true), ("without", false)]);
}
