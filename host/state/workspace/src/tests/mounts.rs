//! Files in memory beside those that a run was given.

use super::memory::{at, memory, write};
use super::{APPEND, Fixture, READ, code, read as read_given, write as write_given};
use crate::{Code, Files, Memory, Mount, NewFile, mount};

#[test]
fn paths_lead_to_memory_or_to_what_was_given() {
    for (path, has_workspace, in_memory) in [
        ("/tmp/x", true, true),
        ("../tmp/x", true, true),
        ("x", true, false),
        ("/tmp/../workspace/x", true, false),
        ("x", false, true),
        ("/workspace/../tmp/x", false, true),
        ("/folders/a/x", false, false),
    ] {
        let mount = mount(path, (!has_workspace).then_some("")).unwrap();
        assert_eq!(matches!(mount, Mount::Memory(_)), in_memory, "{path}");
        assert!(in_memory || mount == Mount::Given, "{path}");
    }
    assert_eq!(mount("/tmp/..", Some("")), Ok(Mount::Top));
    for (path, why) in [
        ("/tmp/../../etc/passwd", Code::NoEntry),
        ("/etc/passwd", Code::NoEntry),
        ("/tmp/a\0b", Code::Invalid),
        ("/tmp/.ampoule/journal", Code::Access),
        ("", Code::NoEntry),
        (&format!("/tmp/{}", "n".repeat(256)), Code::NameTooLong),
        (&format!("/tmp/{}", "n/".repeat(64)), Code::NameTooLong),
    ] {
        assert_eq!(code(mount(path, Some(""))), why, "{path}");
    }
    assert_eq!(code(mount("/etc/passwd", None)), Code::Access);
}

#[test]
fn a_file_goes_from_memory_to_a_workspace_whole_or_not_at_all() {
    let folder = Fixture::new();
    let run = folder.run();
    write_given(&run, "old", "old");
    let mut memory = memory();
    write(&mut memory, "/tmp/x", &"x".repeat(70_000)).unwrap();
    let (content, modified) = memory.contents(&at("/tmp/x"), true).unwrap();
    let puts = |files: &Files, path: &str, exclusive| {
        let content = &content;
        let new = NewFile {
            content,
            modified,
            exclusive,
        };
        files.put(path, new, &|_| true)
    };
    assert_eq!(code(puts(&run, "old", true)), Code::Exists);
    assert_eq!(code(puts(&run, "n/x", false)), Code::NoEntry);
    assert_eq!(code(puts(&run, "x/", false)), Code::IsFolder);
    let old = NewFile {
        content: &content,
        modified: 0,
        exclusive: false,
    };
    assert_eq!(code(run.put("old", old, &|_| false)), Code::BrokenOff);
    assert_eq!(read_given(&run, "old").unwrap(), "old");
    puts(&run, "old", false).unwrap();
    assert_eq!(read_given(&run, "old").unwrap(), "x".repeat(70_000));
    assert_eq!(run.status("old").unwrap().modified, 2);
    run.merge().unwrap();
    assert_eq!(folder.on_disk("old").unwrap().len(), 70_000);

    let small = Fixture::limited(crate::Quota {
        bytes: 10,
        files: 9,
    });
    let run = small.run();
    write_given(&run, "old", "old");
    assert_eq!(code(puts(&run, "old", false)), Code::Full);
    assert_eq!(read_given(&run, "old").unwrap(), "old");
    assert_eq!(super::names(&run, "."), ["old"]);
}

#[test]
fn what_is_open_to_be_written_and_folders_are_not_moved_out() {
    let mut memory = memory();
    write(&mut memory, "/tmp/x", "x").unwrap();
    let writes = memory.open(&at("/tmp/x"), APPEND, 0).unwrap();
    let error = |memory: &Memory, path| memory.contents(&at(path), true).map(drop);
    assert_eq!(code(error(&memory, "/tmp/x")), Code::CrossDevice);
    assert!(memory.contents(&at("/tmp/x"), false).is_ok());
    memory.close(writes, 0).unwrap();
    let reads = memory.open(&at("/tmp/x"), READ, 0).unwrap();
    error(&memory, "/tmp/x").unwrap();
    memory.close(reads, 0).unwrap();
    assert_eq!(code(error(&memory, "/tmp")), Code::CrossDevice);
    assert_eq!(code(error(&memory, "/tmp/n")), Code::NoEntry);
}
