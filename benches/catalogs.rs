//! Catalogs of real servers' tools, from `tests/corpora/tools`, and what projecting them gives.

use std::path::Path;

use ampoule_projection::names::{Names, Style, camel_case, kebab_case};
use ampoule_projection::{Detail, Interface, Tool, python, typescript, wit};
use serde_json::Value;

/// A server's name and tools.
pub type Server = (String, Vec<Tool>);

/// Servers with `count` tools in all: those of ten real servers, all ten again under other names
/// until there are enough. Where there are too many, they are taken evenly from all of them.
///
/// # Panics
///
/// Where the corpora are not there.
pub fn servers(count: usize) -> Vec<Server> {
    let real = real_servers();
    let all: usize = real.iter().map(|(_, tools)| tools.len()).sum();
    let step = (all / count).max(1);
    let mut servers: Vec<Server> = Vec::new();
    let mut left = count;
    for round in 1.. {
        let mut place = 0;
        for (name, tools) in &real {
            let mut taken = Vec::new();
            for tool in tools {
                if place % step == 0 && left > 0 {
                    taken.push(tool.clone());
                    left -= 1;
                }
                place += 1;
            }
            if !taken.is_empty() {
                servers.push((format!("{name}-{round}"), taken));
            }
        }
        if left == 0 {
            break;
        }
    }
    servers
}

fn real_servers() -> Vec<Server> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpora/tools");
    let files = std::fs::read_dir(folder).expect("the corpora");
    let mut servers: Vec<Server> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let text = std::fs::read(&path).expect("a corpus");
            let mut list: Value = serde_json::from_slice(&text).expect("JSON");
            let tools = serde_json::from_value(list["tools"].take()).expect("tools");
            let name = path.file_stem().expect("a name").to_string_lossy();
            (name.into_owned(), tools)
        })
        .collect();
    servers.sort_by(|a, b| a.0.cmp(&b.0));
    servers
}

/// Projects servers: reads the schemas, and writes a package in WIT, declarations in TypeScript and
/// a stub in Python, with everything in them. Gives the length of all texts.
pub fn project(servers: &[Server]) -> usize {
    let projected = servers.iter().map(|(server, tools)| {
        let interface = Interface::of(tools);
        let names = |style| Names::new(tools.iter().map(|tool| tool.name.as_str()), style);
        let package = wit::package(&kebab_case(server), &interface, &names(Style::Kebab));
        let namespace = typescript::Namespace {
            identifier: &camel_case(server),
            interface: &interface,
            names: &names(Style::Camel),
        };
        package.to_string().len()
            + typescript::declare(&[namespace], Detail::Full).len()
            + python::stub(&interface, &names(Style::Snake)).len()
    });
    projected.sum()
}
