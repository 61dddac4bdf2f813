//! What is said of names that mean nothing in a grant: what is wrong, what was likely meant, and what there is.

use super::BindingError;
use crate::projection::names::near;

/// How many near misses an error names.
const NEAR: usize = 3;
/// How many granted names an error lists before it only counts them.
const LISTED: usize = 20;
/// How much of a name from a script an error shows, in bytes.
const SHOWN_BYTES: usize = 80;

/// No such server or tool in the grant.
#[derive(Debug)]
pub(crate) struct UnknownName {
    /// The sentence that the guest throws.
    pub(crate) message: String,
    /// The names that were likely meant, best first.
    pub(crate) near: Vec<String>,
}

impl UnknownName {
    /// No server of that name; `granted` are those there are.
    pub(super) fn server(name: &str, granted: &[String]) -> Self {
        let problem = format!("there is no server `{}`", shown(name));
        Self::new(&problem, name, "Servers", granted)
    }

    /// No tool of that name on this server; `granted` are its tools.
    pub(super) fn tool_of(server: &str, name: &str, granted: &[String]) -> Self {
        let problem = format!("server `{server}` has no tool `{}`", shown(name));
        Self::new(&problem, name, "Its tools", granted)
    }

    /// No tool of that name on any server; `granted` are the tools of all.
    pub(super) fn tool(name: &str, granted: &[String]) -> Self {
        let problem = format!("there is no tool `{}`", shown(name));
        Self::new(&problem, name, "Tools", granted)
    }

    /// A name that each of these tools has.
    pub(super) fn of_several(name: &str, meant: Vec<String>) -> Self {
        let message = format!(
            "several servers have a tool `{}`; say which: {}",
            shown(name),
            listed(&meant)
        );
        Self {
            message,
            near: meant,
        }
    }

    fn new(problem: &str, name: &str, kind: &str, granted: &[String]) -> Self {
        let candidates = granted.iter().map(String::as_str);
        let near: Vec<String> = near(name, candidates, NEAR)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let guess = if near.is_empty() {
            ".".to_owned()
        } else {
            format!("; did you mean {}?", listed(&near))
        };
        let shown = granted.len().min(LISTED);
        let rest = match granted.len() - shown {
            0 => String::new(),
            rest => format!(" and {rest} more; search with tools.$search(query)"),
        };
        let known = match granted {
            [] => "This run was granted none".to_owned(),
            _ => format!("{kind}: {}{rest}", granted[..shown].join(", ")),
        };
        Self {
            message: format!("{problem}{guess} {known}"),
            near,
        }
    }
}

/// Where the tools could not be listed, the reason is what matters.
impl From<BindingError> for UnknownName {
    fn from(error: BindingError) -> Self {
        Self {
            message: error.message,
            near: Vec::new(),
        }
    }
}

fn listed(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A name from a script, as far as a message needs it.
fn shown(name: &str) -> &str {
    &name[..name.floor_char_boundary(SHOWN_BYTES)]
}
