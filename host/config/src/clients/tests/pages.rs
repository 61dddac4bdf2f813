//! The pages in `docs/clients`: what they show is what Ampoule writes and reads.

use super::super::super::edit;
use super::*;

/// The blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("```").skip(1).step_by(2);
    fenced
        .map(|block| block.split_once('\n').unwrap())
        .collect()
}

#[test]
fn each_client_has_a_page_whose_blocks_are_so() {
    let mut somebody = somebody();
    somebody.user.program = "ampoule".into();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for client in Client::all() {
        let id = client.id;
        assert!(index.contains(&format!("]({id}.md) | `{id}` |")), "{id}");
        let page = std::fs::read_to_string(folder.join(format!("{id}.md"))).unwrap();
        let target = ClientFile::named(id, &somebody.user).unwrap();
        let shown = somebody.user.shown(&target.path);
        assert!(page.contains(&format!("`{shown}`")), "{id}: {shown}");
        let blocks = blocks(&page);
        let [(_, install), (language, ours), (_, import), (same, theirs)] = blocks[..] else {
            panic!("{id} has {} blocks", blocks.len());
        };
        assert_eq!(install, format!("ampoule install {id}\n"));
        assert_eq!(import, format!("ampoule servers import {id}\n"));
        assert_eq!(language, same);

        let format = Format::of(&target.path);
        let serve = ["serve".to_owned()];
        let plan = edit::install(&target, &somebody.user, &serve, None).unwrap();
        plan.apply().unwrap();
        let written = std::fs::read_to_string(&target.path).unwrap();
        let meant = |text: &str| format.parsed(text).unwrap().to_json();
        assert_eq!(meant(ours), meant(&written), "{id}");

        let document = format.parsed(theirs).unwrap();
        let tables = client.tables_in(&document, &somebody.user);
        let names = tables.iter().flat_map(|(_, table)| table.members());
        let mut names: Vec<&str> = names.map(|member| &*member.name).collect();
        names.sort_unstable();
        let config = somebody.imported(id, theirs);
        assert!(config.servers.keys().eq(&names), "{id}: {config:?}");
        assert!(config.notes.is_empty(), "{id}: {:?}", config.notes);
        assert!(!names.is_empty(), "{id}");
    }
    let pages = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(pages, Client::all().len() + 1);
}
