//! The pages in `docs/clients`: what they show is what Ampoule writes and reads.

use super::super::super::edit;
use super::super::super::tree::Format;
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/clients");
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
        assert_eq!(install, format!("ampoule clients install {id}\n"));
        assert_eq!(import, format!("ampoule clients import {id}\n"));
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

#[test]
fn what_is_understood_of_anybodys_file_is_in_the_index() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/clients");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = index.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<&str> = rows.collect();
    let quoted = |names: &[&str]| {
        let names = names.iter().map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let known = entry::KEYS
        .iter()
        .map(|key| format!("| `{}` | {} |", key.usual, quoted(key.others)));
    assert_eq!(rows, known.collect::<Vec<_>>());
    let tables: Vec<String> = pasted::TABLES.iter().map(|keys| keys.join(".")).collect();
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let words = index.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&quoted(&tables)), "{tables:?}");
}

#[test]
fn what_each_client_writes_is_understood_in_any_place() {
    let somebody = somebody();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/clients");
    for client in Client::all() {
        let page = std::fs::read_to_string(folder.join(format!("{}.md", client.id))).unwrap();
        let (language, theirs) = blocks(&page)[3];
        let file = somebody.file(&format!("pasted/it.{language}"), theirs);
        let format = Format::of(&file);
        let document = format.parsed(theirs).unwrap();
        let tables = client.tables_in(&document, &somebody.user);
        let names = tables.iter().flat_map(|(_, table)| table.members());
        let mut names: Vec<&str> = names.map(|member| &*member.name).collect();
        names.sort_unstable();
        let config = somebody.configured(&format!("import = ['{}']", file.display()));
        assert!(
            config.servers.keys().eq(&names),
            "{}: {config:?}",
            client.id
        );
        // It is the same server in either place.
        let own = somebody.imported(client.id, theirs);
        for (name, server) in &config.servers {
            let own = &own.servers[name];
            // `$X` is a variable for Gemini CLI alone, and nothing says that this is its file.
            let own_written = own.written.replace("${HOME}", "$$HOME");
            let same = server.written == own.written;
            assert!(
                same || client.id == "gemini" && server.written == own_written,
                "{name}"
            );
            let (Reach::Remote(here), Reach::Remote(there)) = (&server.reach, &own.reach) else {
                continue;
            };
            let (here, there) = (&here.headers, &there.headers);
            assert_eq!(
                format!("{here:?}"),
                format!("{there:?}"),
                "{} {name}",
                client.id
            );
        }
    }
}
