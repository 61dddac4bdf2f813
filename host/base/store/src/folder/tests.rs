use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::mpsc;
use std::thread;

use super::*;

fn private() -> (tempfile::TempDir, PrivateFolder) {
    let parent = tempfile::tempdir().unwrap();
    let folder = PrivateFolder::open(&parent.path().join("a/b"), OTHERS_WRITE).unwrap();
    (parent, folder)
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn pipe(path: &Path) {
    rustix::fs::mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
}

fn keep(folder: &PrivateFolder, name: &str, content: &[u8]) -> File {
    let draft = folder.draft(name, || panic!("nobody else writes")).unwrap();
    draft.keep(name, content).unwrap()
}

fn content(folder: &PrivateFolder, name: &str) -> io::Result<String> {
    let mut content = String::new();
    folder.file(name)?.read_to_string(&mut content)?;
    Ok(content)
}

#[test]
fn each_folder_on_the_way_must_be_safe() {
    let (parent, _) = private();
    let within = parent.path().join("a/b");
    let open = || PrivateFolder::open(&within, OTHERS_WRITE);
    assert_eq!(fs::metadata(&within).unwrap().mode() & 0o777, 0o700);
    for (changed, bad, said) in [
        (parent.path().to_owned(), 0o777, "chmod go-w"),
        (parent.path().join("a"), 0o770, "chmod go-w"),
        (within.clone(), 0o720, "chmod 700"),
    ] {
        mode(&changed, bad);
        let refused = open().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        let shown = changed.canonicalize().unwrap();
        assert!(refused.to_string().contains(said), "{refused}");
        assert!(
            refused.to_string().contains(&*shown.to_string_lossy()),
            "{refused}"
        );
        mode(&changed, 0o700);
        open().unwrap();
    }
    // Nothing is made where it could not be used.
    mode(parent.path(), 0o777);
    assert!(PrivateFolder::open(&parent.path().join("new/b"), OTHERS_WRITE).is_err());
    assert!(!parent.path().join("new").exists());
    // In a sticky one, such as /tmp, nobody can rename what is not theirs.
    mode(parent.path(), 0o1777);
    open().unwrap();
}

#[test]
fn a_folder_that_is_a_link_counts_where_it_leads() {
    let (parent, folder) = private();
    keep(&folder, "x", b"there");
    let link = parent.path().join("link");
    symlink(parent.path().join("a"), &link).unwrap();
    let through = PrivateFolder::open(&link.join("b"), OTHERS_WRITE).unwrap();
    assert_eq!(content(&through, "x").unwrap(), "there");
    mode(&parent.path().join("a"), 0o777);
    assert!(PrivateFolder::open(&link.join("b"), OTHERS_WRITE).is_err());
}

#[test]
fn swapping_the_folder_afterwards_changes_nothing() {
    let (parent, folder) = private();
    keep(&folder, "x", b"ours");
    fs::rename(parent.path().join("a"), parent.path().join("away")).unwrap();
    fs::create_dir_all(parent.path().join("a/b")).unwrap();
    fs::write(parent.path().join("a/b/x"), "theirs").unwrap();
    assert_eq!(content(&folder, "x").unwrap(), "ours");
}

#[test]
fn what_is_not_a_file_of_ours_is_refused_at_once_and_gives_way() {
    let (parent, folder) = private();
    let within = parent.path().join("a/b");
    let elsewhere = parent.path().join("elsewhere");
    fs::write(&elsewhere, "elsewhere").unwrap();
    type Obstacle<'a> = (&'a str, &'a dyn Fn(&Path));
    let ways: [Obstacle<'_>; 5] = [
        ("pipe", &pipe),
        ("folder", &|path| {
            fs::create_dir_all(path.join("full")).unwrap()
        }),
        ("link", &|path| symlink(&elsewhere, path).unwrap()),
        ("socket", &|path| {
            drop(std::os::unix::net::UnixListener::bind(path).unwrap())
        }),
        ("others", &|path| {
            fs::write(path, "theirs").unwrap();
            mode(path, 0o666);
        }),
    ];
    for (name, make) in ways {
        make(&within.join(name));
        assert!(content(&folder, name).is_err(), "{name}");
        keep(&folder, name, b"ours");
        assert_eq!(content(&folder, name).unwrap(), "ours", "{name}");
        make(&within.join(format!(".{name}2.{PART}")));
        keep(&folder, &format!("{name}2"), b"ours");
    }
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "elsewhere");
}

#[test]
fn one_writes_at_a_time_and_the_others_learn_that_they_wait() {
    let (_parent, folder) = private();
    let first = folder.draft("x", || ()).unwrap();
    let (told, waits) = mpsc::channel();
    thread::scope(|threads| {
        let second = threads.spawn(|| {
            let draft = folder.draft("x", move || told.send(()).unwrap()).unwrap();
            // What the first has kept is there by now.
            let found = content(&folder, "x").unwrap();
            drop(draft);
            found
        });
        waits.recv().unwrap();
        first.keep("x", b"whole").unwrap();
        assert_eq!(second.join().unwrap(), "whole");
    });
    assert_eq!(folder.names().unwrap(), ["x"]);
}

#[test]
fn what_killed_writers_left_is_swept_and_what_is_being_written_is_not() {
    let (parent, folder) = private();
    let within = parent.path().join("a/b");
    fs::write(within.join(".x.part"), "half").unwrap();
    fs::write(within.join(".tmpA1b2C3.cwasm"), "half").unwrap();
    pipe(&within.join(".tmppipe"));
    keep(&folder, "y", b"whole");
    let writing = folder.draft("z", || ()).unwrap();
    folder.sweep_drafts();
    let mut left = folder.names().unwrap();
    left.sort();
    assert_eq!(left, [".tmppipe", ".z.part", "y"]);
    writing.keep("z", b"whole").unwrap();
    // The next writer continues where one was killed.
    fs::write(within.join(".x.part"), "more than what comes").unwrap();
    keep(&folder, "x", b"whole");
    assert_eq!(content(&folder, "x").unwrap(), "whole");
}
