//! Inputs that others' software met, and what comes back here.

mod asyncio_in_functions;
mod code_as_it_arrives;
mod errors_with_structure;
mod files_in_memory;
mod integers;
mod integers_beyond_doubles;
mod names_people_give_servers;
mod odd_schemas;
mod other_code_modes;
mod patterns_that_mean_nothing;
mod pictures_in_values;
mod refusals_at_a_refresh;
mod regular_expressions;
mod structure_without_content;
mod talk_on_stdout;
mod tools_called_at_the_top;
mod what_people_paste;

use ampoule_tests::command::Workplace;
use serde_json::Value;

/// A folder whose configuration has this, and a server `t` with these tools and answers.
fn with_server(config: &str, listed: &Value) -> Workplace {
    let workplace = Workplace::default();
    workplace.file("listed.json", listed.to_string());
    let server = env!("CARGO_BIN_EXE_listed-server");
    let config = format!("{config}\n[servers.t]\ncommand = '{server}'\nargs = ['listed.json']\n");
    workplace.file("ampoule.toml", config);
    workplace
}
