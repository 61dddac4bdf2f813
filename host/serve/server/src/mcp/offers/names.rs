//! Names of prompts: those of servers, with the server's name before them.

/// What stands between the names of a server and its prompt.
const SEPARATOR: &str = "__";

/// The name of a server's prompt.
pub(super) fn prompt(server: &str, prompt: &str) -> String {
    format!("{server}{SEPARATOR}{prompt}")
}

/// The server's own name of a prompt, if it may be a prompt of this server.
pub(super) fn own_prompt<'a>(server: &str, name: &'a str) -> Option<&'a str> {
    name.strip_prefix(server)?.strip_prefix(SEPARATOR)
}
