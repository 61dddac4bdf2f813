use super::*;

const LIST: &str = ".list";

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(LIST);
    files
        .iter()
        .for_each(|(path, content)| tree.add(*path, *content));
    tree
}

#[test]
fn only_what_changed_is_written_and_what_is_gone_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("out");
    let first = tree(&[("a/b.ts", "1"), ("c.ts", "2")]).write(&at).unwrap();
    assert_eq!((first.changed, first.unchanged, first.removed), (2, 0, 0));
    let again = tree(&[("a/b.ts", "1"), ("c.ts", "2")]).write(&at).unwrap();
    assert_eq!((again.changed, again.unchanged, again.removed), (0, 2, 0));
    fs::write(at.join("own.ts"), "mine").unwrap();
    let other = tree(&[("d/b.ts", "3"), ("c.ts", "2")]).write(&at).unwrap();
    assert_eq!((other.changed, other.unchanged, other.removed), (1, 1, 1));
    assert_eq!(fs::read_to_string(at.join("d/b.ts")).unwrap(), "3");
    // Nor is its folder left.
    assert!(!at.join("a").exists() && at.join("own.ts").exists());
}

#[test]
fn what_is_kept_stays_until_it_is_written_again_or_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    tree(&[("a/b", "1"), ("a/c", "1"), ("ab", "1")])
        .write(at)
        .unwrap();
    let mut without = tree(&[("ab", "2")]);
    without.keep("a");
    assert_eq!(without.write(at).unwrap().removed, 0);
    assert_eq!(fs::read_to_string(at.join("a/b")).unwrap(), "1");
    // It is still known as written by this command.
    let again = tree(&[("a/b", "2")]).write(at).unwrap();
    assert_eq!((again.changed, again.removed), (1, 2));
}

#[test]
fn a_file_of_somebody_else_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b"), "mine").unwrap();
    let refused = tree(&[("a", "1"), ("b", "2")]).write(folder.path());
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .starts_with("b already exists")
    );
    assert!(!folder.path().join("a").exists());
    assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "mine");
}

#[test]
fn a_starter_is_kept_up_until_somebody_changes_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |content: &str| {
        let mut tree = Tree::new(LIST);
        tree.add("wit", content);
        tree.add_starter("src/lib.rs", content);
        let written = tree.write(at).unwrap();
        (written.changed, written.unchanged, written.kept)
    };
    let read = || fs::read_to_string(at.join("src/lib.rs")).unwrap();
    assert_eq!(write("1"), (2, 0, 0));
    assert_eq!(write("1"), (0, 2, 0));
    assert_eq!((write("2"), read()), ((2, 0, 0), "2".to_owned()));
    fs::write(at.join("src/lib.rs"), "mine").unwrap();
    assert_eq!((write("3"), read()), ((1, 0, 1), "mine".to_owned()));
    assert_eq!((write("3"), read()), ((0, 1, 1), "mine".to_owned()));
    // Changed back, the starter is updated again; and a missing starter is written.
    fs::write(at.join("src/lib.rs"), "2").unwrap();
    assert_eq!((write("4"), read()), ((2, 0, 0), "4".to_owned()));
    fs::remove_file(at.join("src/lib.rs")).unwrap();
    assert_eq!((write("4"), read()), ((1, 1, 0), "4".to_owned()));
}

#[test]
fn a_starter_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "mine").unwrap();
    let starter = || {
        let mut tree = Tree::new(LIST);
        tree.add_starter("Cargo.toml", "1");
        tree
    };
    assert_eq!(starter().write(folder.path()).unwrap().kept, 1);
    // It was never written by this command, so it is not removed either.
    assert_eq!(tree(&[]).write(folder.path()).unwrap().removed, 0);
    assert!(folder.path().join("Cargo.toml").exists());
}

#[test]
fn a_list_that_leads_elsewhere_removes_nothing_there() {
    let folder = tempfile::tempdir().unwrap();
    let (at, elsewhere) = (folder.path().join("out"), folder.path().join("precious"));
    fs::create_dir(&at).unwrap();
    fs::write(&elsewhere, "data").unwrap();
    let list = format!("../precious\n{}\n", elsewhere.display());
    fs::write(at.join(LIST), list).unwrap();
    let written = tree(&[("a", "1")]).write(&at).unwrap();
    assert_eq!(written.removed, 0);
    assert!(elsewhere.exists());
}
