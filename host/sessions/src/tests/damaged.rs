//! Files that are not what was written.

use super::*;

#[test]
fn an_edited_file_is_refused_wherever_it_was_edited() {
    let key = [7; 32];
    let file = head("g", "some memory").written(&key);
    assert_eq!(Head::read(&file, &key).unwrap(), head("g", "some memory"));
    for at in 0..file.len() {
        let mut edited = file.clone();
        edited[at] ^= 1;
        Head::read(&edited, &key).unwrap_err();
        Head::read(&file[..at], &key).unwrap_err();
    }
    let other = [8; 32];
    assert!(matches!(Head::read(&file, &other), Err(Problem::Foreign)));
}

#[test]
fn what_was_signed_is_still_read_with_care() {
    let key = [7; 32];
    let signed = |content: &[u8]| {
        let hash = blake3::keyed_hash(&key, content);
        [content, hash.as_bytes()].concat()
    };
    let magic = b"ampoule session 1\n";
    for content in [
        &magic[..],
        &[&magic[..], &[0xff; 4]].concat(),
        &[&magic[..], &[4, 0, 0, 0], b"nope"].concat(),
        &[&magic[..], &[2, 0, 0, 0], b"{}"].concat(),
        &[&magic[..], &[0xff, 0xff, 0, 0], b"{}"].concat(),
    ] {
        let read = Head::read(&signed(content), &key);
        assert!(matches!(read, Err(Problem::NoSession(_))), "{content:?}");
    }
}

#[test]
fn other_files_in_a_session_are_left_alone() {
    let kept = Kept::new(small(3, 3));
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    session.keep(head("g", "1")).unwrap();
    let folder = shelf.path_of("a");
    for name in ["notes", "x.head", "-1.head", "99999999999999999999999.head"] {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    assert_eq!(session.heads().unwrap(), [1]);
    std::fs::write(folder.join("00000007.head"), "x").unwrap();
    // Whoever has it has read what there is.
    drop(session);
    let mut session = shelf.take("a").unwrap();
    let damaged = session.newest().unwrap_err().to_string();
    assert_eq!(
        damaged,
        "what is kept of the session `a` is damaged: it is none of this version; `ampoule sessions rewind a 1` goes back to the run before, `ampoule sessions rm a` removes it"
    );
    // It can still be undone.
    session.rewind(1).unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"1");
}
