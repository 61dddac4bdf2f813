//! What takes calls back names servers that there are: a rule that names another is useless.

use ampoule_projection::names::{ACCOUNT, near, server_and_account};
use ampoule_projection::undo::UndoRule;

use super::config::Config;
use super::error::{ConfigError, Mistakes};
use super::read::{Entry, Table};

/// Disables each server whose rules name a server that is not in the configuration.
pub(super) fn check(config: &mut Config, servers: &Table<'_>) {
    for (name, _, entry) in servers.entries() {
        let Ok(table) = entry.table() else { continue };
        if let Err(error) = rules(config, &table) {
            let is_of = |known: &String| server_and_account(known).0 == name;
            let its: Vec<String> = config
                .servers
                .keys()
                .filter(|it| is_of(it))
                .cloned()
                .collect();
            its.into_iter()
                .for_each(|name| disable(config, name, &error));
        }
        let accounts = table.get("accounts");
        let accounts = accounts.as_ref().and_then(|accounts| accounts.table().ok());
        for (account, _, its) in accounts.iter().flat_map(Table::entries) {
            let read = its.table().map_or(Ok(()), |its| rules(config, &its));
            if let Err(error) = read {
                disable(config, format!("{name}{ACCOUNT}{account}"), &error);
            }
        }
    }
}

fn disable(config: &mut Config, name: String, error: &ConfigError) {
    if config.servers.remove(&name).is_some() {
        config.disabled.insert(name, error.clone());
    }
}

/// The rules of a server's table, or of an account's.
fn rules(config: &Config, table: &Table<'_>) -> Result<(), ConfigError> {
    let tools = table.get("tools").and_then(|tools| tools.table().ok());
    let rules = tools.and_then(|tools| tools.get("undo")?.table().ok());
    let Some(rules) = rules else {
        return Ok(());
    };
    let mut mistakes = Mistakes::default();
    for (_, _, rule) in rules.entries() {
        mistakes.unless(check_rule(config, &rule));
    }
    mistakes.none()
}

fn check_rule(config: &Config, entry: &Entry<'_>) -> Result<(), ConfigError> {
    // What can't be read is told already.
    let rule: Option<UndoRule> = entry.text().ok().and_then(|text| text.parse().ok());
    let Some(server) = rule.as_ref().and_then(UndoRule::server) else {
        return Ok(());
    };
    let all = config.servers.keys().chain(config.disabled.keys());
    let all = all.chain(&config.off).map(String::as_str);
    let all: Vec<&str> = all
        .flat_map(|name| [name, server_and_account(name).0])
        .collect();
    if all.contains(&server) {
        return Ok(());
    }
    let meant = match near(server, all.iter().copied(), 1).first() {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    Err(entry.refuse(format!("this calls a tool of an unknown server{meant}")))
}
