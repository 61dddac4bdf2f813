//! Tables on disk.

use std::fs;

use crate::{KeepError, Table, TableLimits, Tables};

#[test]
fn a_table_comes_back_and_is_no_one_elses() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("privacy");
    let tables = Tables::open(&path, TableLimits::default()).expect("a folder");
    let mut table = Table::default();
    assert_eq!(table.token("email", "jane@example.com", false), "<email:1>");
    assert_eq!(table.token("phone", "4915112345678", true), "<phone:1>");
    tables.write("ann/one", &table).expect("written");
    let mut back = tables.read("ann/one").expect("read");
    assert_eq!(back.token("phone", "4915112345678", true), "<phone:1>");
    assert_eq!(back.token("email", "joe@example.com", false), "<email:2>");
    assert!(tables.read("ann/two").expect("nothing is kept").is_empty());

    let names: Vec<_> = fs::read_dir(&path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let file = names
        .iter()
        .find(|path| path.extension().is_some_and(|end| end == "table"))
        .expect("a file");
    let content = fs::read(file).expect("bytes");
    assert!(!content.windows(7).any(|bytes| bytes == b"example"));

    // The file of one session under the name of another's.
    tables.write("ann/two", &Table::default()).expect("written");
    let mut other = fs::read_dir(&path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let other = other
        .find(|path| path.extension().is_some_and(|end| end == "table") && path != file)
        .expect("a file");
    fs::copy(file, &other).expect("copied");
    assert!(matches!(tables.read("ann/two"), Err(KeepError::Damaged)));
    for at in [0, 20, content.len() - 1] {
        let mut damaged = content.clone();
        damaged[at] ^= 1;
        fs::write(file, &damaged).expect("written");
        assert!(matches!(tables.read("ann/one"), Err(KeepError::Damaged)));
    }
    tables.remove("ann/one").expect("removed");
    assert!(tables.read("ann/one").expect("nothing").is_empty());
}
