//! What is said about names that mean nothing in a grant: what is wrong, what was likely meant, and
//! what there is.

use ampoule_effort::{Effort, EffortError};
use ampoule_projection::Idiom;
use ampoule_projection::names::{ToolPattern, canonical, identifier, near};

use super::BindingError;
use crate::error::Error;

/// How many near misses an error names.
const NEAR: usize = 3;
/// How many granted names an error lists before it only counts them.
const LISTED: usize = 20;
/// How much of a name from a script an error shows, in bytes.
const SHOWN_BYTES: usize = 80;

/// No such server or tool in the grant.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UnknownNameError {
    /// The sentence that the guest throws.
    pub message: String,
    /// The names that were likely meant, best first.
    pub near: Vec<String>,
}

/// What there is instead.
pub(super) struct KnownNames<'a> {
    pub(super) names: &'a [String],
    pub(super) idiom: Idiom,
    /// Names are compared for as long as this lasts.
    pub(super) effort: &'a Effort,
}

impl UnknownNameError {
    /// No server of that name; `granted` are those there are.
    pub(super) fn server(name: &str, granted: &KnownNames<'_>) -> Self {
        let problem = format!("unknown server `{}`", shown(name));
        Self::new(&problem, name, "Servers", granted)
    }

    /// No tool of that name on this server; `granted` are its tools.
    pub(super) fn tool_of(server: &str, name: &str, granted: &KnownNames<'_>) -> Self {
        let problem = format!("server `{server}` has no tool `{}`", shown(name));
        Self::new(&problem, name, "Its tools", granted)
    }

    /// A tool that the server lists, and that is left out for one of these problems of its list.
    pub(super) fn left_out(server: &str, name: &str, problems: &[String]) -> Option<Self> {
        let asked = canonical(name);
        let means_it = |problem: &&String| named(problem).is_some_and(|it| canonical(it) == asked);
        let problem = problems.iter().find(means_it)?;
        Some(Self {
            message: format!("a tool of the server `{server}` can't be called: {problem}"),
            near: Vec::new(),
        })
    }

    /// No tool of that name on any server; `granted` are the tools of all.
    pub(super) fn tool(name: &str, granted: &KnownNames<'_>) -> Self {
        let problem = format!("unknown tool `{}`", shown(name));
        Self::new(&problem, name, "Tools", granted)
    }

    /// No tool of that name on the servers that could be asked, and why the others could not.
    pub(super) fn unasked(name: &str, failed: &[BindingError]) -> Self {
        let reasons: Vec<&str> = failed.iter().map(|error| error.message.as_str()).collect();
        let reasons = reasons.join("\n");
        Self {
            message: format!(
                "unknown tool `{}`. Some tools could not be listed:\n{reasons}",
                shown(name)
            ),
            near: Vec::new(),
        }
    }

    /// Several names, a line each.
    pub(super) fn several(unknown: Vec<Self>) -> Self {
        let (messages, near): (Vec<_>, Vec<_>) = unknown
            .into_iter()
            .map(|unknown| (unknown.message, unknown.near))
            .unzip();
        Self {
            message: messages.join("\n"),
            near: near.concat(),
        }
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

    /// A name that, parted in one way or another, is that of each of these tools.
    pub(super) fn of_joined(name: &str, meant: Vec<String>) -> Self {
        let message = format!(
            "`{}` may be any of these tools; say which: {}",
            shown(name),
            listed(&meant)
        );
        Self {
            message,
            near: meant,
        }
    }

    /// A name that differs from these servers' only in case and punctuation.
    pub(super) fn of_servers(name: &str, meant: Vec<String>) -> Self {
        let message = format!(
            "`{}` may be any of these servers; write the whole name, in brackets where scripts need them: {}",
            shown(name),
            listed(&meant)
        );
        Self {
            message,
            near: meant,
        }
    }

    /// The name of a server with these accounts, of which none is the default.
    pub(super) fn of_accounts<'a>(
        server: &str,
        accounts: impl Iterator<Item = &'a str>,
        idiom: Idiom,
    ) -> Self {
        let accounts: Vec<&str> = accounts.collect();
        let first = accounts.first().copied().unwrap_or_default();
        let named: Vec<String> = accounts.iter().map(|&it| it.to_owned()).collect();
        let call = idiom.account(
            &format!("tools.{}", identifier(server, idiom.style())),
            first,
        );
        Self {
            message: format!(
                "server `{server}` has several accounts; say which, as in `{call}`: {}",
                listed(&named)
            ),
            near: accounts.iter().map(|it| format!("{server}@{it}")).collect(),
        }
    }

    /// The package of a server with several accounts, which have these packages, and of which none is
    /// the default.
    pub(super) fn of_packages(server: &str, packages: &[&str]) -> Self {
        let imports = packages.iter().map(|it| format!("mcp:{it}/{it}"));
        Self {
            message: format!(
                "server `{}` has several accounts, and none is the default; import one of them: {}",
                shown(server),
                listed(&imports.collect::<Vec<_>>())
            ),
            near: Vec::new(),
        }
    }

    /// No account of that name on this server; `granted` are those there are.
    pub(super) fn account(server: &str, name: &str, granted: &[&str]) -> Self {
        let near = nearest(name, granted.iter().copied());
        let there = match granted {
            [] => "It has no accounts".to_owned(),
            _ => format!("Its accounts: {}", granted.join(", ")),
        };
        Self {
            message: format!(
                "server `{server}` has no account `{}`{} {there}",
                shown(name),
                guess(&near)
            ),
            near: near.iter().map(|it| format!("{server}@{it}")).collect(),
        }
    }

    /// No server of that name, of which a grant speaks; `configured` are those there are.
    pub(super) fn to_grant(name: &str, configured: &KnownNames<'_>) -> Self {
        let problem = format!("unknown server `{}` in a grant", shown(name));
        Self::new(&problem, name, "Servers", configured)
    }

    /// A pattern that means none of these tools.
    pub(super) fn idle<'a>(pattern: &ToolPattern, tools: impl Iterator<Item = &'a str>) -> Self {
        let near = nearest(pattern.tool(), tools);
        let message = format!(
            "the grant `{pattern}` matches no tool{} `ampoule tools` lists the tools",
            guess(&near)
        );
        Self { message, near }
    }

    fn new(problem: &str, name: &str, kind: &str, known: &KnownNames<'_>) -> Self {
        let &KnownNames {
            names: known,
            idiom,
            effort,
        } = known;
        let compared = known.iter().take_while(|_| effort.spend(0).is_ok());
        let near = nearest(name, compared.map(String::as_str));
        let shown = known.len().min(LISTED);
        let rest = match known.len() - shown {
            0 => String::new(),
            rest => format!(" and {rest} more; search with {}", idiom.search()),
        };
        let known = match known {
            [] => "This run was granted none".to_owned(),
            _ => format!("{kind}: {}{rest}", known[..shown].join(", ")),
        };
        Self {
            message: format!("{problem}{} {known}", guess(&near)),
            near,
        }
    }
}

/// Where the tools could not be listed, the reason is what matters.
impl From<BindingError> for UnknownNameError {
    fn from(error: BindingError) -> Self {
        Self {
            message: error.message,
            near: Vec::new(),
        }
    }
}

/// Nobody hears it: if effort is cut short, so is the run.
impl From<EffortError> for UnknownNameError {
    fn from(broken_off: EffortError) -> Self {
        BindingError::from(broken_off).into()
    }
}

/// A caller asked for something that does not exist.
impl From<UnknownNameError> for Error {
    fn from(unknown: UnknownNameError) -> Self {
        Self::request(unknown.message)
    }
}

/// The tool that a problem of a list is about.
pub(super) fn named(problem: &str) -> Option<&str> {
    let (name, _) = problem.strip_prefix("tool `")?.split_once('`')?;
    Some(name)
}

fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    near(name, known, NEAR)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// The end of a sentence, with what was likely meant.
fn guess(near: &[String]) -> String {
    match near {
        [] => ".".to_owned(),
        _ => format!("; did you mean {}?", listed(near)),
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
