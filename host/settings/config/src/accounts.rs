//! Several accounts of one server: each is read as a server of its own, `jira@work`, with what the
//! server's table says wherever the account's own says nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use ampoule_network::Tls;
use ampoule_projection::names::{ACCOUNT, canonical, near};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::{ConfigError, Mistakes};
use super::expand::Surroundings;
use super::read::Entry;
use super::remote::Auth;
use super::rules::ToolRules;
use super::server_table::{self, Read};
use super::tree::{Member, Node, Value};
use super::{api, remote, typed};

/// The longest name that an account may have, in bytes.
const MAX_NAME_BYTES: usize = 32;
/// How many accounts a server may have.
const MOST: usize = 32;
/// What the audit log says of sign-ins: no accounts.
const TAKEN: [&str; 2] = ["principal", "shared"];
/// Tables of which an account changes entries.
const ENTRIES: [&str; 5] = ["env", "headers", "credentials", "server-variables", "auth"];

/// An account of a server: what differs from the server's own table.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AccountTable {
    /// The program's arguments, instead of the server's.
    // Read once `env` is known.
    #[schemars(with = "Vec<String>")]
    args: IgnoredAny,
    /// Variables, besides the server's.
    #[serde(deserialize_with = "ampoule_fields::variables")]
    env: BTreeMap<String, String>,
    /// The folder that the server starts in.
    #[serde(deserialize_with = "ampoule_fields::path")]
    cwd: Option<PathBuf>,
    /// The address of the server for this account.
    #[serde(deserialize_with = "remote::address")]
    url: String,
    /// The address below which the API's paths are, for this account.
    #[serde(deserialize_with = "api::address")]
    #[schemars(with = "String")]
    base_url: Option<String>,
    /// Values for the variables in the API's address, besides the server's.
    server_variables: BTreeMap<String, String>,
    /// What the API's security schemes want, besides the server's.
    #[serde(deserialize_with = "api::credentials")]
    credentials: BTreeMap<String, String>,
    /// Headers of every request, besides the server's.
    #[serde(deserialize_with = "ampoule_fields::headers")]
    headers: BTreeMap<String, String>,
    /// A command and its arguments, which prints further headers as a JSON object.
    #[serde(deserialize_with = "ampoule_fields::command")]
    headers_command: Vec<String>,
    auth: Auth,
    /// How the server proves who it is, and Ampoule likewise.
    tls: Option<Tls>,
    tools: ToolRules,
    /// Whether the account is switched off.
    disabled: bool,
}

/// What a server's entry has: the server alone, or its accounts.
pub(super) fn servers(
    name: &str,
    entry: &Entry<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Vec<(String, Result<Read, ConfigError>)> {
    let table = entry.table().ok();
    match table.as_ref().and_then(|table| table.get("accounts")) {
        None => vec![(name.to_owned(), server_table::server(entry, tls, around))],
        Some(accounts) => match named(entry, &accounts) {
            Err(wrong) => vec![(name.to_owned(), Err(wrong))],
            Ok(NamedAccounts { accounts, default }) => {
                let accounts = accounts.into_iter().map(|(account, its)| {
                    let read = account_of(entry, &account, &its, tls, around);
                    let read = read.map(|read| with_default(read, default == Some(&account)));
                    (format!("{name}{ACCOUNT}{account}"), read)
                });
                accounts.collect()
            }
        },
    }
}

/// A server's accounts, and which is the default.
struct NamedAccounts<'a> {
    accounts: Vec<(String, Entry<'a>)>,
    default: Option<&'a str>,
}

/// The accounts of a server, all of whose names can be used.
fn named<'a>(entry: &Entry<'a>, accounts: &Entry<'a>) -> Result<NamedAccounts<'a>, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut known = BTreeSet::new();
    let mut named = Vec::new();
    let table = accounts.table()?;
    for (name, place, its) in table.entries() {
        let problem = match problem(name) {
            None if !known.insert(canonical(name)) => {
                Some("another account has this name, but for case and punctuation")
            }
            problem => problem,
        };
        if let Some(problem) = problem {
            mistakes.add(its.refuse_at(place, problem));
        }
        named.push((name.to_owned(), its));
    }
    if named.is_empty() || named.len() > MOST {
        mistakes.add(accounts.refuse(format!(
            "write a table for each account, such as `[{}.work]`; a server has at most {MOST}",
            accounts.key()
        )));
    }
    let default = entry.table()?.get("account");
    let default = default.and_then(|default| mistakes.unless(default_of(&default, &named)));
    mistakes.none()?;
    Ok(NamedAccounts {
        accounts: named,
        default,
    })
}

/// The account that `account` names.
fn default_of<'a>(
    default: &Entry<'a>,
    accounts: &[(String, Entry<'_>)],
) -> Result<&'a str, ConfigError> {
    let name = default.text()?;
    let Some((_, its)) = accounts.iter().find(|(known, _)| known == name) else {
        let known = accounts.iter().map(|(known, _)| known.as_str());
        let meant = match near(name, known, 1).first() {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        let told = format!("this is not one of the server's accounts{meant}");
        return Err(default.refuse(told));
    };
    let is_off = its.node().get("disabled").map(|off| &off.value);
    match is_off {
        Some(Value::Boolean(true)) => Err(default.refuse(
            "this account is switched off; name another, or remove `account`: then each script names one",
        )),
        _ => Ok(name),
    }
}

/// Why an account can't have that name.
fn problem(name: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_usable = name.bytes().next().is_some_and(is_plain)
        && name.len() <= MAX_NAME_BYTES
        && name
            .bytes()
            .all(|byte| is_plain(byte) || matches!(byte, b'-' | b'_'));
    match () {
        () if !is_usable => Some(
            "an account's name has lower-case letters, digits, `-` and `_`, and at most 32 of them",
        ),
        () if TAKEN.contains(&name) => {
            Some("the audit log says this of sign-ins; give the account another name")
        }
        () => None,
    }
}

fn with_default(read: Read, is_default: bool) -> Read {
    match read {
        Read::Sound(mut server) => {
            server.is_default_account = is_default;
            Read::Sound(server)
        }
        Read::Off => Read::Off,
    }
}

/// One account, read as a server.
fn account_of(
    entry: &Entry<'_>,
    name: &str,
    account: &Entry<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<Read, ConfigError> {
    account.table()?;
    let mut mistakes = typed::read::<AccountTable>(account, around).mistakes;
    let merged = merged(entry.node(), account.node());
    let key = format!("{}.accounts.{name}", entry.key());
    let read = server_table::server(&entry.with(key, &merged), tls, around);
    let read = mistakes.unless(read);
    mistakes.none().map(|()| read.unwrap_or(Read::Off))
}

/// The server's table as it is for an account.
fn merged(server: &Node, account: &Node) -> Node {
    let of_all = ["accounts", "account"];
    let mut members: Vec<Member> = (server.members().iter())
        .filter(|member| !of_all.contains(&&*member.name))
        .cloned()
        .collect();
    let is_off = |members: &[Member]| {
        let off = members.iter().find(|member| member.name == "disabled");
        off.is_some_and(|off| matches!(off.node.value, Value::Boolean(true)))
    };
    for own in account.members() {
        match members.iter_mut().find(|known| known.name == own.name) {
            // What is off as a whole is off.
            Some(known) if own.name == "disabled" && is_off(std::slice::from_ref(known)) => {}
            Some(known) if ENTRIES.contains(&&*own.name) => {
                known.node = with_entries(&known.node, &own.node, own.name == "headers");
            }
            Some(known) => *known = own.clone(),
            None => members.push(own.clone()),
        }
    }
    Node {
        place: account.place.clone(),
        value: Value::Table(members),
    }
}

/// A table with another's entries besides its own, or instead of them. Case makes no difference to
/// headers.
fn with_entries(table: &Node, other: &Node, are_headers: bool) -> Node {
    if !matches!(
        (&table.value, &other.value),
        (Value::Table(_), Value::Table(_))
    ) {
        return other.clone();
    }
    let is_same = |one: &str, two: &str| match are_headers {
        true => one.eq_ignore_ascii_case(two),
        false => one == two,
    };
    let is_replaced = |member: &&Member| {
        let mut others = other.members().iter();
        others.any(|other| is_same(&other.name, &member.name))
    };
    let kept = table.members().iter().filter(|it| !is_replaced(it));
    Node {
        place: other.place.clone(),
        value: Value::Table(kept.chain(other.members()).cloned().collect()),
    }
}
