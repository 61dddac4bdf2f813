//! Folders of policies.

use std::fs;

use super::*;
use crate::read_folder;

const PERMIT: &str = "permit(principal, action, resource);\n";

#[test]
fn all_policies_of_a_folder_are_read_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("b.cedar", PERMIT),
        ("a.cedar", "// nothing\n"),
        (".c.cedar", "half wri"),
        ("d.cedar~", "half wri"),
        ("README.md", "text"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::create_dir(folder.path().join("e.cedar")).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.path().join("README.cedar.link")).unwrap();
    let files = read_folder(folder.path()).unwrap();
    let names: Vec<&str> = files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["a.cedar", "b.cedar"]);
    assert_eq!(&*files[1].text, PERMIT);
}

#[test]
fn a_link_to_a_file_is_followed_and_to_others_refused() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("..data");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("p.cedar"), PERMIT).unwrap();
    std::os::unix::fs::symlink("..data/p.cedar", folder.path().join("p.cedar")).unwrap();
    assert_eq!(read_folder(folder.path()).unwrap().len(), 1);
    std::os::unix::fs::symlink("nowhere", folder.path().join("q.cedar")).unwrap();
    let PolicyError(told) = read_folder(folder.path()).unwrap_err();
    assert!(
        told[0].to_string().starts_with("`q.cedar` can't be read: "),
        "{told:?}"
    );
}

#[test]
fn everything_counts_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.cedar"), PERMIT).unwrap();
    fs::write(folder.path().join("b.cedar"), &PERMIT[..20]).unwrap();
    let sources = |folder: &std::path::Path| Sources {
        files: read_folder(folder).unwrap(),
        ..Sources::default()
    };
    let told = problems(build(&sources(folder.path())));
    assert!(told[0].starts_with("b.cedar:1:"), "{told:?}");
    fs::write(folder.path().join("b.cedar"), [0xff, 0xfe]).unwrap();
    assert!(read_folder(folder.path()).is_err());
    fs::remove_file(folder.path().join("b.cedar")).unwrap();
    assert!(build(&sources(folder.path())).is_ok());
    assert!(read_folder(&folder.path().join("missing")).is_err());
}

#[test]
fn a_folder_may_only_have_so_much() {
    let folder = tempfile::tempdir().unwrap();
    let large = fs::File::create(folder.path().join("a.cedar")).unwrap();
    large.set_len(17 << 20).unwrap();
    let PolicyError(told) = read_folder(folder.path()).unwrap_err();
    assert!(
        told[0].message.contains("more than policies may have"),
        "{told:?}"
    );
    fs::remove_file(folder.path().join("a.cedar")).unwrap();
    for number in 0..1_001 {
        fs::write(folder.path().join(format!("{number}.cedar")), "").unwrap();
    }
    let PolicyError(told) = read_folder(folder.path()).unwrap_err();
    assert!(told[0].message.contains("there may be 1000"), "{told:?}");
}

#[test]
fn a_name_that_is_no_text_is_told_and_a_pipe_is_waited_for_by_nobody() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"no-deletes-\xe9.cedar");
    fs::write(folder.path().join(odd), PERMIT).unwrap();
    let PolicyError(told) = read_folder(folder.path()).unwrap_err();
    assert!(told[0].to_string().contains("no-deletes-"), "{}", told[0]);
    fs::remove_file(folder.path().join(odd)).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("p.cedar"))
        .status();
    assert!(made.unwrap().success());
    let path = folder.path().to_owned();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(read_folder(&path)));
    let told = told.recv_timeout(std::time::Duration::from_secs(10));
    let PolicyError(told) = told.unwrap().unwrap_err();
    assert!(
        told[0].to_string().contains("it is not a file"),
        "{}",
        told[0]
    );
}
