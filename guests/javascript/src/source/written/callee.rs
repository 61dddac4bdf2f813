//! What expressions mean: servers and tools by all the names that scripts have for them, promises
//! of calls, and answers.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::flow;
use super::json::{push_integer, push_token};
use super::names::identifier;
use super::walk::Walk;

/// A tool as a script names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Callee<T = String> {
    /// `server.tool`, where the source does not declare the server's name.
    Global { server: T, tool: T },
    /// `tools.server.tool`
    Member { server: T, tool: T },
    /// `tools.server.as("account").tool`
    Account { server: T, account: T, tool: T },
    /// The tool's name says it all, or the server's is beside it.
    Named {
        server: Option<T>,
        tool: T,
        /// A name that means nothing is told as such: it is not another kind of error.
        is_told: bool,
    },
    /// What a module exports, or a tool that this has. Without a name, it is the module's namespace.
    Import {
        specifier: T,
        name: Option<T>,
        tool: Option<T>,
    },
}

impl<'a> Callee<&'a str> {
    /// The tool, where it is of a server that is named with it.
    fn tool(&self) -> Option<&'a str> {
        match self {
            Self::Global { tool, .. } | Self::Member { tool, .. } | Self::Account { tool, .. } => {
                Some(tool)
            }
            Self::Import { tool, .. } => *tool,
            Self::Named { .. } => None,
        }
    }

    /// The same, apart from the source.
    pub(super) fn owned(self) -> Callee {
        let owned = str::to_owned;
        match self {
            Self::Global { server, tool } => Callee::Global {
                server: owned(server),
                tool: owned(tool),
            },
            Self::Member { server, tool } => Callee::Member {
                server: owned(server),
                tool: owned(tool),
            },
            Self::Account {
                server,
                account,
                tool,
            } => Callee::Account {
                server: owned(server),
                account: owned(account),
                tool: owned(tool),
            },
            Self::Named {
                server,
                tool,
                is_told,
            } => Callee::Named {
                server: server.map(owned),
                tool: owned(tool),
                is_told,
            },
            Self::Import {
                specifier,
                name,
                tool,
            } => Callee::Import {
                specifier: owned(specifier),
                name: name.map(owned),
                tool: tool.map(owned),
            },
        }
    }
}

/// What an expression means.
#[derive(Debug, Clone)]
pub(super) enum Meaning<'a> {
    /// `tools`
    Catalog,
    /// `codemode`
    Codemode,
    Server(Server<'a>),
    Tool(Callee<&'a str>),
    /// The promise of a call, by the call's place.
    Promise(usize),
    /// The promise of a list.
    Promises(Vec<Option<Meaning<'a>>>),
    List(Vec<Option<Meaning<'a>>>),
    /// A call's answer, or what is at a place in it.
    Answer(usize, String),
}

/// A server as a script names it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Server<'a> {
    Global(&'a str),
    Member(&'a str),
    Account {
        server: &'a str,
        account: &'a str,
    },
    Import {
        specifier: &'a str,
        name: Option<&'a str>,
    },
}

/// The function of a server that gives an account of it.
const ACCOUNT: &str = "as";

impl<'a> Server<'a> {
    fn tool(self, tool: &'a str) -> Callee<&'a str> {
        match self {
            Self::Global(server) => Callee::Global { server, tool },
            Self::Member(server) => Callee::Member { server, tool },
            Self::Account { server, account } => Callee::Account {
                server,
                account,
                tool,
            },
            Self::Import { specifier, name } => Callee::Import {
                specifier,
                name,
                tool: Some(tool),
            },
        }
    }
}

/// Functions that take a tool's name.
const BY_NAME: [&str; 2] = ["callMCPTool", "callTool"];

/// What joins a server's name and a tool's where scripts call a tool by a name alone.
const JOINED: &str = "mcp__";

impl<'a> Meaning<'a> {
    /// Whether it is a value that the source uses, rather than what it calls.
    fn is_value(&self) -> bool {
        matches!(
            self,
            Self::Promise(_) | Self::Promises(_) | Self::List(_) | Self::Answer(..)
        )
    }

    /// What a member of it means.
    #[inline(never)]
    pub(super) fn member(self, name: &'a str) -> Option<Self> {
        Some(match self {
            Self::Catalog if !name.starts_with('$') => Self::Server(Server::Member(name)),
            Self::Codemode => Self::Tool(Callee::Named {
                server: None,
                tool: name,
                is_told: false,
            }),
            Self::Server(server) if !name.starts_with('$') => Self::Tool(server.tool(name)),
            Self::Answer(call, mut pointer) => {
                push_token(&mut pointer, name);
                Self::Answer(call, pointer)
            }
            _ => return None,
        })
    }

    /// What an item of it means; none stands for any.
    pub(super) fn item(self, index: Option<usize>) -> Option<Self> {
        match (self, index) {
            (Self::Answer(call, mut pointer), index) => {
                match index {
                    Some(index) => {
                        pointer.push('/');
                        push_integer(&mut pointer, index as u64);
                    }
                    None => push_token(&mut pointer, "-"),
                }
                Some(Self::Answer(call, pointer))
            }
            (Self::List(items), Some(index)) => items.into_iter().nth(index).flatten(),
            _ => None,
        }
    }

    #[inline(never)]
    fn awaited(self) -> Option<Self> {
        match self {
            Self::Promise(call) => Some(Self::Answer(call, String::new())),
            Self::Promises(all) => {
                let awaited = all.into_iter().map(|one| one.and_then(Self::awaited));
                Some(Self::List(awaited.collect()))
            }
            Self::Answer(..) => Some(self),
            _ => None,
        }
    }
}

impl<'a> Walk<'a> {
    /// What an expression means, once all calls in it have been visited.
    pub(super) fn meaning(&self, it: &Expression<'a>) -> Option<Meaning<'a>> {
        match it {
            Expression::Identifier(it) => self.meaning_of_name(it.name),
            Expression::StaticMemberExpression(it) if !it.optional => {
                self.meaning(&it.object)?.member(it.property.name.as_str())
            }
            Expression::AwaitExpression(it) => self.meaning(&it.argument)?.awaited(),
            Expression::CallExpression(it) => self.meaning_of_call(it),
            _ => self.other_meaning(it),
        }
    }

    #[inline(never)]
    fn other_meaning(&self, it: &Expression<'a>) -> Option<Meaning<'a>> {
        let it = match it {
            Expression::ComputedMemberExpression(it) => it,
            Expression::ParenthesizedExpression(it) => return self.meaning(&it.expression),
            // Who casts a value knows better what it is.
            it if it.is_typescript_syntax() => {
                let meaning = self.meaning(it.get_inner_expression());
                return meaning.filter(|meaning| !meaning.is_value());
            }
            _ => return None,
        };
        if it.optional {
            return None;
        }
        let object = self.meaning(&it.object)?;
        match it.expression.get_inner_expression() {
            Expression::StringLiteral(name) => object.member(name.value.as_str()),
            Expression::NumericLiteral(index) if index.value.fract() == 0.0 => {
                object.item(Some(index.value as usize))
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn meaning_of_name(&self, name: Ident<'a>) -> Option<Meaning<'a>> {
        if let Some(known) = self.variables.get(&name) {
            return Some(known.meaning.clone());
        }
        if !self.names.is_foreign(name) {
            return None;
        }
        let name = name.as_str();
        match name {
            "tools" => Some(Meaning::Catalog),
            "codemode" => Some(Meaning::Codemode),
            _ if super::GLOBALS.binary_search(&name).is_ok() => None,
            _ => Some(Meaning::Server(Server::Global(name))),
        }
    }

    #[inline(never)]
    fn meaning_of_call(&self, it: &CallExpression<'a>) -> Option<Meaning<'a>> {
        if let Some(&call) = self.called.get(&it.span) {
            return Some(Meaning::Promise(call));
        }
        let Expression::StaticMemberExpression(callee) = it.callee.get_inner_expression() else {
            return None;
        };
        let name = callee.property.name.as_str();
        if name == "all"
            && let Some(of) = identifier(&callee.object)
            && of == "Promise"
            && self.names.is_foreign(of)
        {
            let Some(Expression::ArrayExpression(list)) = it.arguments.first()?.as_expression()
            else {
                return None;
            };
            let is_plain = list
                .elements
                .iter()
                .all(ArrayExpressionElement::is_expression);
            let items = list
                .elements
                .iter()
                .map(|item| self.meaning(item.as_expression()?));
            return is_plain.then(|| Meaning::Promises(items.collect()));
        }
        let meaning = self.meaning(&callee.object)?;
        match meaning {
            Meaning::Server(server) if name == ACCOUNT => {
                let [Argument::StringLiteral(account)] = &it.arguments[..] else {
                    return None;
                };
                let account = account.value.as_str();
                match server {
                    Server::Member(server) | Server::Account { server, .. } => {
                        Some(Meaning::Server(Server::Account { server, account }))
                    }
                    Server::Global(_) | Server::Import { .. } => None,
                }
            }
            Meaning::Answer(..) if flow::GIVING_LIST.contains(&name) => Some(meaning),
            Meaning::Answer(..) if flow::GIVING_ITEM.contains(&name) => meaning.item(None),
            _ => None,
        }
    }

    /// The tool that a call is of, and which of its parameters are the tool's arguments.
    #[inline(never)]
    pub(super) fn callee(&self, it: &CallExpression<'a>) -> Option<(Callee<&'a str>, usize)> {
        // A tool's name may be given another function.
        let is_assigned = |name: &IdentifierName<'_>| self.names.is_assigned(name.name.as_str());
        if it.optional
            || matches!(&it.callee, Expression::StaticMemberExpression(it) if is_assigned(&it.property))
        {
            return None;
        }
        if let Some(name) = identifier(&it.callee)
            && BY_NAME.contains(&name.as_str())
            && self.names.is_foreign(name)
        {
            return by_name(it);
        }
        match self.meaning(&it.callee)? {
            // It gives an account, unless named arguments make it a tool's call.
            Meaning::Tool(callee)
                if callee.tool() == Some(ACCOUNT)
                    && !matches!(it.arguments.first(), Some(Argument::ObjectExpression(_))) =>
            {
                None
            }
            Meaning::Tool(callee) => Some((callee, 0)),
            // What is not a server's may be a tool's.
            Meaning::Server(Server::Member(name)) => Some((named_alone(name), 0)),
            Meaning::Server(Server::Global(name)) if name.starts_with(JOINED) => {
                Some((named_alone(name), 0))
            }
            Meaning::Server(Server::Import { specifier, name }) => {
                let tool = None;
                Some((
                    Callee::Import {
                        specifier,
                        name,
                        tool,
                    },
                    0,
                ))
            }
            _ => None,
        }
    }
}

fn named_alone(tool: &str) -> Callee<&str> {
    Callee::Named {
        server: None,
        tool,
        is_told: false,
    }
}

/// `callTool("server.tool", {…})`, or `callTool("server", "tool", {…})`.
#[inline(never)]
fn by_name<'a>(it: &CallExpression<'a>) -> Option<(Callee<&'a str>, usize)> {
    let text = |index: usize| match it.arguments.get(index)?.as_expression()? {
        Expression::StringLiteral(text) => Some(text.value.as_str()),
        _ => None,
    };
    let first = text(0)?;
    Some(match text(1) {
        Some(tool) => (
            Callee::Named {
                server: Some(first),
                tool,
                is_told: false,
            },
            2,
        ),
        None => (
            Callee::Named {
                server: None,
                tool: first,
                is_told: it.arguments.len() < 3,
            },
            1,
        ),
    })
}

/// Where a callee's last name is.
pub(super) fn last_name(callee: &Expression<'_>) -> u32 {
    match callee.get_inner_expression() {
        Expression::StaticMemberExpression(it) => it.property.span.start,
        Expression::ComputedMemberExpression(it) => it.expression.span().start,
        other => other.span().start,
    }
}
