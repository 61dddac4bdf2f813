//! WASI 0.3: the text files of a granted folder, read as streams, all at once, while a tool is
//! called. What it finds is printed as it comes.

wit_bindgen::generate!({
    path: "wit",
    world: "program",
    generate_all,
});

use std::collections::BTreeMap;

use futures::future::try_join_all;
use mcp::demo::demo;
use serde::Deserialize;
use wasip3::cli::stdout;
use wasip3::clocks::monotonic_clock;
use wasip3::filesystem::preopens;
use wasip3::filesystem::types::{
    Descriptor, DescriptorFlags, DirectoryEntry, ErrorCode, OpenFlags, PathFlags,
};

/// What `ampoule run --arguments` gives.
#[derive(Deserialize)]
struct Arguments {
    /// The end of the names of files to read.
    suffix: String,
}

struct Program;

export!(Program);

impl Guest for Program {
    async fn run(arguments: String) -> Result<String, String> {
        let Arguments { suffix } =
            serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let began = monotonic_clock::now();
        let (folder, name) = preopens::get_directories()
            .into_iter()
            .next()
            .ok_or("no folder is granted: run it with `--folder`")?;
        let mut names = names(&folder).await.map_err(|code| failed(&name, code))?;
        names.retain(|name| name.ends_with(&suffix));
        // A pause of WASI's clock, a tool and all files, at once.
        let (business, counts, ()) = futures::join!(
            demo::get_business(),
            try_join_all(names.iter().map(|name| counted(&folder, name))),
            monotonic_clock::wait_for(20_000_000),
        );
        let business = business.map_err(|error| error.message)?;
        let lines: BTreeMap<_, _> = names.iter().zip(counts?).collect();
        let waited = monotonic_clock::now() - began >= 20_000_000;
        let found = serde_json::json!({
            "business": business.name,
            "folder": name,
            "lines": lines,
            "waited": waited,
        });
        Ok(found.to_string())
    }
}

/// The names in a folder.
async fn names(folder: &Descriptor) -> Result<Vec<String>, ErrorCode> {
    let (entries, end) = folder.read_directory();
    let entries: Vec<DirectoryEntry> = entries.collect().await;
    end.await?;
    let mut names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
    names.sort();
    Ok(names)
}

/// Counts the lines of a file, and prints how many there are.
async fn counted(folder: &Descriptor, name: &str) -> Result<usize, String> {
    let opened = folder.open_at(
        PathFlags::empty(),
        name.to_owned(),
        OpenFlags::empty(),
        DescriptorFlags::READ,
    );
    let file = opened.await.map_err(|code| failed(name, code))?;
    let (content, end) = file.read_via_stream(0);
    let content = content.collect().await;
    end.await.map_err(|code| failed(name, code))?;
    let lines = content.iter().filter(|byte| **byte == b'\n').count();
    print(format!("{name} has {lines} lines\n")).await;
    Ok(lines)
}

/// Prints a text, as a stream of WASI 0.3.
async fn print(text: String) {
    let (mut writer, reader) = wasip3::wit_stream::new();
    let (printed, _) = futures::join!(
        async { stdout::write_via_stream(reader).await },
        async move { writer.write_all(text.into_bytes()).await },
    );
    // A run's output has a limit, and ends the run there: no error comes back.
    let _ = printed;
}

fn failed(name: &str, code: ErrorCode) -> String {
    format!("{name} can't be read: {code:?}")
}
