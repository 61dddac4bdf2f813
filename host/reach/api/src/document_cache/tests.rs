use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn cache(folder: &Path, told: &[&str]) -> DocumentCache {
    let cache = DocumentCache::new(Some(folder), told.iter().copied(), &Tls::default());
    cache.expect("a folder")
}

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

fn document(text: &str) -> CachedDocument {
    CachedDocument {
        text: text.to_owned(),
        version: DocumentVersion {
            tag: Some("\"1\"".to_owned()),
            modified: None,
        },
        at: UNIX_EPOCH + Duration::from_secs(1_000_000),
    }
}

/// The files that there are.
fn files(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder.join("documents")).unwrap();
    all.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_document_is_of_one_address_and_of_what_is_told_there() {
    let folder = tempfile::tempdir().unwrap();
    let own = cache(folder.path(), &["x-key", "hunter2"]);
    let at = url("https://example.com/openapi.json?key=hunter2");
    assert_eq!(own.load(&at), None);
    own.save(&at, &document("{}\n{}"));
    assert_eq!(own.load(&at), Some(document("{}\n{}")));
    assert_eq!(own.load(&url("https://example.com/openapi.json")), None);
    for others in [&["x-key", "hunter3"][..], &["x-keyhunter2"], &[]] {
        assert_eq!(cache(folder.path(), others).load(&at), None, "{others:?}");
    }
    let tls = Tls {
        certificate: Some("client.pem".into()),
        ..Tls::default()
    };
    let other = DocumentCache::new(Some(folder.path()), ["x-key", "hunter2"], &tls);
    assert_eq!(other.expect("a folder").load(&at), None);
    let [file] = &files(folder.path())[..] else {
        panic!("one file");
    };
    assert_eq!(
        fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let kept = format!("{}{}", file.display(), fs::read_to_string(file).unwrap());
    assert!(
        !kept.contains("hunter2") && !kept.contains("example"),
        "{kept}"
    );
}

#[test]
fn what_is_damaged_or_could_be_anothers_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, at) = (cache(folder.path(), &[]), url("https://example.com/a"));
    cache.save(&at, &document("{}"));
    let file = files(folder.path()).remove(0);
    let good = fs::read_to_string(&file).unwrap();
    for damaged in [
        "",
        "{}",
        "{}\n{}",
        &good.replace("\"format\":1", "\"format\":9"),
    ] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(cache.load(&at), None, "{damaged}");
    }
    fs::write(&file, good).unwrap();
    assert_eq!(cache.load(&at), Some(document("{}")));
    let documents = folder.path().join("documents");
    fs::set_permissions(&documents, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(cache.load(&at), None);
}

#[test]
fn the_oldest_of_too_many_go() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(folder.path(), &[]);
    let at = |number: usize| url(&format!("https://example.com/{number}"));
    for number in 0..ROOM.files {
        cache.save(&at(number), &document("{}"));
        let used = SystemTime::now() - Duration::from_hours(2) + Duration::from_secs(number as u64);
        let name = folder
            .path()
            .join("documents")
            .join(cache.file(&at(number)));
        fs::File::open(name).unwrap().set_modified(used).unwrap();
    }
    cache.save(&at(ROOM.files), &document("{}"));
    assert_eq!(files(folder.path()).len(), ROOM.files);
    assert_eq!(cache.load(&at(0)), None);
    assert!(cache.load(&at(1)).is_some() && cache.load(&at(ROOM.files)).is_some());
}
