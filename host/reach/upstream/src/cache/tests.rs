use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn remembered() -> CacheEntry {
    let tool = serde_json::json!({ "name": "read", "inputSchema": { "type": "object" } });
    let tools: Vec<Tool> = vec![serde_json::from_value(tool).unwrap()];
    let introduction = Introduction {
        about: Some("Reads.".to_owned()),
        says_it_is: Some("reader".to_owned()),
        version: Some("1.2.0".to_owned()),
    };
    CacheEntry::new(
        Era::Sessions,
        introduction,
        Offers::default(),
        Some(tools.into()),
    )
}

fn cache(folder: &tempfile::TempDir) -> Cache {
    Cache::new(folder.path(), blake3::hash(b"a server"))
}

impl Cache {
    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }
}

#[test]
fn what_is_kept_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(&folder);
    assert_eq!(cache.load(), None);
    cache.save(&remembered()).unwrap();
    assert_eq!(cache.load(), Some(remembered()));
    let modes = [&cache.folder, &cache.path()]
        .map(|path| path.metadata().unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o700, 0o600]);
    assert_eq!(
        fs::read_dir(&cache.folder).unwrap().count(),
        1,
        "a temporary file is left behind"
    );
}

#[test]
fn what_results_looked_like_is_kept_beside_the_tools() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(&folder);
    let known = remembered();
    cache.save(&known).unwrap();
    let tools = known.tools.unwrap();
    cache.add_seen(&tools).unwrap();
    assert_eq!(cache.load().unwrap().tools.unwrap()[0].seen.shape(), None);
    let result = r#"{"lines": ["secret"]}"#;
    assert!(tools[0].seen.wants(result.len()));
    tools[0].seen.learn(result);
    cache.add_seen(&tools).unwrap();
    let text = fs::read_to_string(cache.path()).unwrap();
    assert!(!text.contains("secret"), "{text}");
    let shape = cache.load().unwrap().tools.unwrap()[0].seen.shape();
    assert_eq!(shape, tools[0].seen.shape());
    assert!(shape.is_some());
}

#[test]
fn what_is_damaged_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(&folder);
    cache.save(&remembered()).unwrap();
    let text = fs::read_to_string(cache.path()).unwrap();
    for damaged in [
        &text[..text.len() / 2],
        "",
        "null",
        &text.replace("\"format\":2", "\"format\":1"),
    ] {
        fs::write(cache.path(), damaged).unwrap();
        assert_eq!(cache.load(), None, "{damaged}");
    }
    fs::write(cache.path(), &text).unwrap();
    assert_eq!(cache.load(), Some(remembered()));
}

#[test]
fn a_folder_that_others_can_reach_is_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(&folder);
    cache.save(&remembered()).unwrap();
    fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o770)).unwrap();
    assert_eq!(cache.load(), None);
    assert!(cache.save(&remembered()).is_err());
}

#[test]
fn what_is_no_file_keeps_nobody_waiting_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(&folder);
    cache.save(&remembered()).unwrap();
    fs::remove_file(cache.path()).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, cache.path(), mode).unwrap();
    assert_eq!(cache.load(), None);
    cache.save(&remembered()).unwrap();
    assert_eq!(cache.load(), Some(remembered()));
    fs::remove_file(cache.path()).unwrap();
    fs::create_dir(cache.path()).unwrap();
    assert_eq!(cache.load(), None);
    cache.save(&remembered()).unwrap();
    assert_eq!(cache.load(), Some(remembered()));
}
