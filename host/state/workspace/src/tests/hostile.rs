//! Workspaces full of what leads elsewhere, and runs that want too much.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::*;

#[test]
fn no_link_leads_anywhere() {
    let place = Fixture::new();
    fs::create_dir(place.path.join("d")).unwrap();
    fs::write(place.path.join("d/x"), "x").unwrap();
    symlink("../secret", place.path.join("out")).unwrap();
    symlink("..", place.path.join("up")).unwrap();
    symlink("/", place.path.join("root")).unwrap();
    symlink("d", place.path.join("within")).unwrap();
    symlink("loop", place.path.join("loop")).unwrap();
    let run = place.run();
    for path in ["out", "loop", "up/secret", "root/etc/passwd", "within/x"] {
        assert_eq!(code(read(&run, path)), Code::Link, "{path}");
        assert_eq!(code(try_write(&run, path, "x")), Code::Link, "{path}");
        assert_eq!(code(run.touch(path, 0, FREELY)), Code::Link, "{path}");
        assert_eq!(code(run.rename(path, "y", FREELY)), Code::Link, "{path}");
    }
    for path in ["up", "root", "within"] {
        assert_eq!(code(run.list(path, "", FREELY)), Code::Link, "{path}");
        assert_eq!(
            code(run.make_folder(&format!("{path}/new"))),
            Code::Link,
            "{path}"
        );
        assert_eq!(run.status(path).unwrap().kind, Kind::Link);
    }
    // A folder with one is not moved, but a link can be removed.
    fs::rename(place.path.join("out"), place.path.join("d/out")).unwrap();
    assert_eq!(code(run.rename("d", "e", FREELY)), Code::Link);
    run.remove("d/out").unwrap();
    run.merge().unwrap();
    assert!(fs::symlink_metadata(place.path.join("d/out")).is_err());
    let secret = fs::read_to_string(place.path.parent().unwrap().join("secret"));
    assert_eq!(secret.unwrap(), "secret");
}

#[test]
fn a_link_that_is_put_there_while_a_run_is_under_way_leads_nowhere() {
    let place = Fixture::new();
    let above = place.path.parent().unwrap();
    let run = place.run();
    run.make_folder("d").unwrap();
    write(&run, "d/x", "x");
    write(&run, "secret", "x");
    symlink("..", place.path.join("d")).unwrap();
    symlink("../secret", place.path.join("secret")).unwrap();
    let told = run.merge().unwrap_err();
    assert!(
        told.advice.starts_with("`d`, `d/x`, `secret` changed"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(above.join("secret")).unwrap(), "secret");
    assert!(!above.join("x").exists());
}

#[test]
fn what_is_not_a_file_does_not_block() {
    let place = Fixture::new();
    let _listener = UnixListener::bind(place.path.join("socket")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let run = place.run();
    for path in ["pipe", "socket"] {
        assert!(read(&run, path).is_err());
        assert_eq!(code(try_write(&run, path, "x")), Code::Access);
        assert_eq!(run.status(path).unwrap().kind, Kind::Other);
    }
}

#[test]
fn the_hosts_own_folder_is_out_of_reach() {
    let place = Fixture::new();
    let run = place.run();
    write(&run, "a", "a");
    for path in [
        ".ampoule",
        ".ampoule/lock",
        "x/../.ampoule/journal",
        "/workspace/.ampoule",
    ] {
        assert_eq!(code(run.status(path)), Code::Access, "{path}");
        assert_eq!(code(try_write(&run, path, "x")), Code::Access, "{path}");
    }
    run.make_folder("d").unwrap();
    assert_eq!(code(run.rename("d", ".ampoule", FREELY)), Code::Access);
    assert_eq!(names(&run, "."), ["a", "d"]);
}

#[test]
fn a_quota_holds_while_a_run_writes_and_when_it_is_merged() {
    let place = Fixture::limited(Quota {
        bytes: 100,
        files: 3,
    });
    fs::write(place.path.join("old"), [b'x'; 60]).unwrap();
    let run = place.run();
    write(&run, "a", &"x".repeat(40));
    let file = run.open("a", APPEND, FREELY).unwrap();
    assert_eq!(code(run.write(file, 0, b"x")), Code::Full);
    assert_eq!(code(run.resize(file, 1 << 50)), Code::Full);
    assert_eq!(code(run.copy("old", "b", false, FREELY)), Code::Full);
    // What takes the place of something may be as large as that.
    write(&run, "old", &"y".repeat(60));
    write(&run, "c", "");
    assert_eq!(code(run.make_folder("d")), Code::Full);
    run.remove("c").unwrap();
    run.make_folder("d").unwrap();
    let other = place.run();
    write(&other, "other", &"z".repeat(40));
    run.merge().unwrap();
    let told = other.merge().unwrap_err();
    assert_eq!(told.code, Code::Full, "{told}");
    assert_eq!(place.names(), ["a", "d", "old"]);
}

#[test]
fn only_so_many_files_are_open_at_once() {
    let place = Fixture::new();
    let run = place.run();
    write(&run, "a", "a");
    let open: Vec<_> = (0..256)
        .map(|_| run.open("a", READ, FREELY).unwrap())
        .collect();
    assert_eq!(code(run.open("a", READ, FREELY)), Code::TooManyOpen);
    run.close(open[0]).unwrap();
    let again = run.open("a", READ, FREELY).unwrap();
    assert!(!open.contains(&again));
    assert_eq!(code(run.read(open[0], 0, 1)), Code::BadHandle);
}

#[test]
fn ten_thousand_files_are_listed_moved_and_removed() {
    let place = Fixture::limited(Quota {
        bytes: 1 << 30,
        files: 20_100,
    });
    let run = place.run();
    run.make_folder("d").unwrap();
    for number in 0..10_000 {
        write(&run, &format!("d/{number:05}"), "x");
    }
    run.merge().unwrap();
    drop(run);
    let run = place.run();
    let (mut after, mut all) = (String::new(), 0);
    loop {
        let listing = run.list("d", &after, FREELY).unwrap();
        all += listing.entries.len();
        match listing.entries.last() {
            Some(last) if listing.more => after.clone_from(&last.name),
            _ => break,
        }
    }
    assert_eq!(all, 10_000);
    run.rename("d", "e", FREELY).unwrap();
    run.merge().unwrap();
    assert_eq!(place.names(), ["e"]);
    assert_eq!(fs::read_dir(place.path.join("e")).unwrap().count(), 10_000);
    place.tree.remove("e").unwrap();
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn a_journal_that_is_none_does_nothing() {
    let place = Fixture::new();
    write_journal(
        &place,
        r#"{"layer":"../..","remove":["../secret"],"remove_folders":[],"folders":[],"place":[]}"#,
    );
    assert_eq!(code(read(&place.run(), "a")), Code::NoEntry);
    write_journal(&place, "{");
    assert_eq!(code(read(&place.run(), "a")), Code::NoEntry);
    assert!(place.path.parent().unwrap().join("secret").exists());
    assert!(place.path.join(".ampoule/journal.damaged").exists());
}

fn write_journal(place: &Fixture, text: &str) {
    fs::create_dir_all(place.path.join(".ampoule")).unwrap();
    fs::write(place.path.join(".ampoule/journal"), text).unwrap();
}
