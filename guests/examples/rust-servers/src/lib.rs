//! Two real servers: reads every file of a folder at once by `server-filesystem`, and notes in
//! `server-memory` how many lines and words each has.

wit_bindgen::generate!({
    path: "wit",
    world: "program",
    generate_all,
});

use futures::future::try_join_all;
use mcp::files::files::{self, ListDirectoryArgs, ReadTextFileArgs};
use mcp::memory::memory::{
    self, CreateEntitiesArgs, CreateEntitiesArgsEntitiesItem as Entity, OpenNodesArgs,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What `ampoule run --arguments` gives.
#[derive(Deserialize)]
struct Arguments {
    /// A folder that the server may read.
    folder: String,
}

struct Program;

export!(Program);

impl Guest for Program {
    async fn run(arguments: String) -> Result<String, String> {
        let Arguments { folder } =
            serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let names = names_in(&folder).await?;
        let entities = names.iter().map(|name| entity(&folder, name));
        let entities = try_join_all(entities).await?;
        let created = memory::create_entities(CreateEntitiesArgs { entities });
        created.await.map_err(|error| error.message)?;

        // What is known of them now, from this run or an earlier one.
        let known = memory::open_nodes(OpenNodesArgs { names });
        let known = known.await.map_err(|error| error.message)?;
        let known: Map<String, Value> = known
            .entities
            .into_iter()
            .map(|entity| (entity.name, entity.observations.into()))
            .collect();
        Ok(Value::Object(known).to_string())
    }
}

/// The names of the files in a folder. The server gives a line for each: `[FILE] name`.
async fn names_in(folder: &str) -> Result<Vec<String>, String> {
    let listed = files::list_directory(ListDirectoryArgs {
        path: folder.to_owned(),
    });
    let listed = listed.await.map_err(|error| error.message)?;
    let lines = listed.content.lines();
    let names = lines.filter_map(|line| line.strip_prefix("[FILE] "));
    Ok(names.map(str::to_owned).collect())
}

/// What there is to note of a file.
async fn entity(folder: &str, name: &str) -> Result<Entity, String> {
    let file = files::read_text_file(ReadTextFileArgs {
        path: format!("{folder}/{name}"),
        tail: None,
        head: None,
    });
    let content = file.await.map_err(|error| error.message)?.content;
    Ok(Entity {
        name: name.to_owned(),
        entity_type: "file".to_owned(),
        observations: vec![
            format!("{} lines", content.lines().count()),
            format!("{} words", content.split_whitespace().count()),
        ],
    })
}
