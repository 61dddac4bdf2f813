//! The judgement of one call after the other, with the tools that their names mean.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::names;
use futures::future::join_all;

use super::answer::AnswerSchema;
use super::{MOST_MISTAKES, Mistake, MistakeKind, WrittenCall, arguments};
use crate::granted::{GrantedTools, Until};
use crate::resolved::ResolvedTool;
use crate::unknown::UnknownNameError;
use crate::validate::ArgumentsError;

/// Words in names of tools: after a call of such a tool, its server may have other tools.
const BRINGING: [&str; 17] = [
    "activate",
    "attach",
    "authenticate",
    "connect",
    "discover",
    "enable",
    "expand",
    "install",
    "load",
    "login",
    "mount",
    "register",
    "save",
    "switch",
    "tools",
    "toolset",
    "unlock",
];

/// A name as it is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CallName<'a> {
    /// The server, if it is said.
    server: Option<&'a str>,
    tool: &'a str,
}

/// What a name means.
enum Meaning {
    Tool(ResolvedTool),
    /// The server or the tool is unknown.
    Nothing(UnknownNameError),
    /// The name may mean something: a server has not listed its tools.
    Unknown,
}

/// The judgement of a script's calls.
pub(super) struct Judge<'a> {
    granted: &'a GrantedTools,
    calls: &'a [WrittenCall],
    until: Until,
    effort: Effort,
}

impl<'a> Judge<'a> {
    pub(super) fn of(granted: &'a GrantedTools, calls: &'a [WrittenCall]) -> Self {
        Self {
            granted,
            calls,
            until: granted.begin_to_wait(),
            effort: granted.effort(),
        }
    }

    /// The mistakes; none if there is no effort left, for then the run is over.
    pub(super) async fn mistakes(self) -> Vec<Mistake> {
        let meanings = self.meanings(|_| true).await;
        let mistakes = self.judged(&meanings).await.unwrap_or_default();
        let of_tools = |mistake: &&Mistake| !matches!(mistake.kind, MistakeKind::Name { .. });
        let doubtful: Vec<CallName<'_>> = mistakes
            .iter()
            .filter(of_tools)
            .map(|it| self.name(it))
            .collect();
        if doubtful.is_empty() {
            return mistakes;
        }
        // The list may be older than the server's tools: ask the server again before trusting it.
        let servers = doubtful.iter().filter_map(|name| match meanings.get(name) {
            Some(Meaning::Tool(tool)) => Some(tool.binding()),
            _ => None,
        });
        let refreshed = join_all(servers.map(|binding| binding.refresh()));
        match self.until.wait(refreshed).await {
            Some(refreshed) if refreshed.iter().all(Result::is_ok) => {}
            // Without the newest list, only mistakes in names are certain.
            _ => return self.only_names(mistakes),
        }
        let newer = self.meanings(|name| doubtful.contains(name)).await;
        let is_same = |name: &CallName<'_>| match (meanings.get(name), newer.get(name)) {
            (Some(Meaning::Tool(one)), Some(Meaning::Tool(other))) => one.is_as_listed_in(other),
            _ => false,
        };
        if doubtful.iter().all(is_same) {
            return mistakes;
        }
        let mut meanings = meanings;
        meanings.extend(newer);
        self.judged(&meanings).await.unwrap_or_default()
    }

    fn only_names(&self, mut mistakes: Vec<Mistake>) -> Vec<Mistake> {
        mistakes.retain(|mistake| matches!(mistake.kind, MistakeKind::Name { .. }));
        mistakes
    }

    fn name(&self, mistake: &Mistake) -> CallName<'a> {
        self.calls[mistake.call].name()
    }

    /// What each of the names means. A server is waited for where the script comes to a call of it for
    /// certain.
    async fn meanings(
        &self,
        wanted: impl Fn(&CallName<'a>) -> bool,
    ) -> HashMap<CallName<'a>, Meaning> {
        let mut names: Vec<(CallName<'a>, bool)> = Vec::new();
        let mut places: HashMap<CallName<'a>, usize> = HashMap::new();
        for call in self.calls.iter().filter(|call| wanted(&call.name())) {
            let place = *places.entry(call.name()).or_insert(names.len());
            match names.get_mut(place) {
                Some((_, is_certain)) => *is_certain |= !call.conditional,
                None => names.push((call.name(), !call.conditional)),
            }
        }
        let meant = names.into_iter().map(async |(name, is_certain)| {
            let meaning = match is_certain {
                true => self.resolved(name).await,
                false => self.known(name),
            };
            (name, meaning)
        });
        join_all(meant).await.into_iter().collect()
    }

    /// What a name means, as a call finds out.
    async fn resolved(&self, name: CallName<'a>) -> Meaning {
        let CallName { server, tool } = name;
        let resolving = async {
            match server {
                Some(server) => self.granted.resolve_on(server, tool).await,
                None => self.granted.resolve(tool).await,
            }
        };
        match self.until.wait(resolving).await {
            Some(Ok(tool)) if tool.is_listed() => Meaning::Tool(tool),
            Some(Err(unknown)) if self.is_certain(server) => Meaning::Nothing(unknown),
            _ => Meaning::Unknown,
        }
    }

    /// Whether the tools of the servers that may be meant are known, so that one that is not among them
    /// does not exist.
    fn is_certain(&self, server: Option<&str>) -> bool {
        match server.map(|name| self.granted.server(name)) {
            Some(Ok(server)) => server.known_listing().is_some(),
            Some(Err(_)) => true,
            None => (self.granted.servers()).all(|server| server.known_listing().is_some()),
        }
    }

    /// What a name means as far as that is known without waiting.
    fn known(&self, name: CallName<'a>) -> Meaning {
        let tool = name.tool;
        let found = match name.server {
            Some(server) => self.granted.known_tool_on(server, tool),
            None => self.granted.known_tool(tool),
        };
        found.map_or(Meaning::Unknown, Meaning::Tool)
    }

    async fn judged(
        &self,
        meanings: &HashMap<CallName<'a>, Meaning>,
    ) -> Result<Vec<Mistake>, EffortError> {
        let mut of_answers = self.of_answers(meanings).await?;
        let mut mistakes = Vec::new();
        for (place, call) in self.calls.iter().enumerate() {
            match meanings.get(&call.name()) {
                Some(Meaning::Tool(tool)) => {
                    mistakes.extend(self.of_arguments(place, call, tool).await?);
                    mistakes.extend(of_answers.remove(&place).into_iter().flatten());
                }
                Some(Meaning::Nothing(unknown)) if self.is_told(place) => mistakes.push(Mistake {
                    call: place,
                    message: unknown.message.clone(),
                    kind: MistakeKind::Name {
                        near: unknown.near.clone(),
                    },
                }),
                _ => {}
            }
            if mistakes.len() >= MOST_MISTAKES {
                mistakes.truncate(MOST_MISTAKES);
                break;
            }
        }
        Ok(mistakes)
    }

    /// Whether a call of what does not exist is a mistake: the script comes to it, and no call before it
    /// may bring the tool.
    fn is_told(&self, place: usize) -> bool {
        let may_bring = |call: &WrittenCall| {
            let words = names::words(&call.tool);
            words.iter().any(|word| BRINGING.contains(&word.as_str()))
        };
        !self.calls[place].conditional && !self.calls[..place].iter().any(may_bring)
    }

    async fn of_arguments(
        &self,
        place: usize,
        call: &WrittenCall,
        tool: &ResolvedTool,
    ) -> Result<Option<Mistake>, EffortError> {
        let Some(text) = &call.arguments else {
            return Ok(None);
        };
        let by_position = match call.positional {
            0 => 0,
            _ => tool.price_of_parameters(),
        };
        let price = effort::BYTE * text.len() as u64 + by_position;
        let (listing, index) = (&tool.listing, tool.index);
        let is_soon = listing.is_soon_declared(index) && listing.is_soon_checked(index);
        let problem = match is_soon && price <= effort::MOST_IN_PLACE {
            true => {
                self.effort.spend(price)?;
                wrong_arguments(tool, call, &self.effort)?
            }
            false => {
                let (tool, call) = (tool.clone(), call.clone());
                let judge = move |effort: &Effort| wrong_arguments(&tool, &call, effort);
                // The run pays for its own arguments. On the other thread, the tool's schema may have to
                // be read first. What is made of it is kept for all runs, so no single run pays for it.
                self.effort.spend(price)?;
                self.effort.elsewhere(judge).await?
            }
        };
        Ok(problem.map(|problem| Mistake {
            call: place,
            message: problem.to_string(),
            kind: MistakeKind::Arguments {
                server: tool.server().to_string(),
                tool: tool.name().to_string(),
            },
        }))
    }

    /// The mistakes in what the calls read of answers, by the place of the call. A large schema of a
    /// tool is parsed once for all its calls, and is let go of before the next tool's.
    async fn of_answers(
        &self,
        meanings: &HashMap<CallName<'a>, Meaning>,
    ) -> Result<HashMap<usize, Vec<Mistake>>, EffortError> {
        let mut places: HashMap<(usize, usize), usize> = HashMap::new();
        let mut tools: Vec<(&ResolvedTool, Vec<Reads>)> = Vec::new();
        for (call, written) in self.calls.iter().enumerate() {
            let Some(Meaning::Tool(tool)) = meanings.get(&written.name()) else {
                continue;
            };
            if written.reads.is_empty() || tool.definition().output_schema.is_none() {
                continue;
            }
            let key = (Arc::as_ptr(&tool.listing).addr(), tool.index);
            let place = *places.entry(key).or_insert(tools.len());
            if place == tools.len() {
                tools.push((tool, Vec::new()));
            }
            let pointers = written.reads.clone();
            tools[place].1.push(Reads { call, pointers });
        }
        let mut mistakes: HashMap<usize, Vec<Mistake>> = HashMap::new();
        for (tool, reads) in tools {
            let price = AnswerSchema::price(tool);
            let tool = tool.clone();
            let judge = move |effort: &Effort| match AnswerSchema::of(&tool, effort)? {
                Some(schema) => wrong_reads(&schema, &reads, effort),
                None => Ok(Vec::new()),
            };
            for mistake in self.effort.work(price, judge).await? {
                mistakes.entry(mistake.call).or_default().push(mistake);
            }
        }
        Ok(mistakes)
    }
}

/// What is wrong with the arguments of a call.
fn wrong_arguments(
    tool: &ResolvedTool,
    call: &WrittenCall,
    effort: &Effort,
) -> Result<Option<ArgumentsError>, EffortError> {
    let Some((arguments, unproven)) = arguments::known(tool, call) else {
        return Ok(None);
    };
    let (index, idiom) = (tool.index, tool.idiom);
    (tool.listing).mistakes(index, &arguments, &unproven, idiom, effort)
}

/// What one call reads of its answer, as JSON Pointers.
struct Reads {
    /// The call's place.
    call: usize,
    pointers: Vec<String>,
}

/// The first mistakes in what is read of the answers of one tool.
fn wrong_reads(
    schema: &AnswerSchema,
    reads: &[Reads],
    effort: &Effort,
) -> Result<Vec<Mistake>, EffortError> {
    let mut mistakes = Vec::new();
    for Reads { call, pointers } in reads {
        let mut known: Vec<&str> = Vec::new();
        for (read, pointer) in pointers.iter().enumerate() {
            // A read of a missing property is the same mistake.
            let missing = schema.missing(pointer, effort)?;
            let Some(missing) = missing.filter(|missing| !known.contains(&missing.place)) else {
                continue;
            };
            known.push(missing.place);
            mistakes.push(Mistake {
                call: *call,
                message: missing.said,
                kind: MistakeKind::Answer { read },
            });
            if mistakes.len() >= MOST_MISTAKES {
                return Ok(mistakes);
            }
        }
    }
    Ok(mistakes)
}

impl WrittenCall {
    fn name(&self) -> CallName<'_> {
        CallName {
            server: self.server.as_deref(),
            tool: &self.tool,
        }
    }
}
