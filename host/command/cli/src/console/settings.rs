//! The configuration, as the console shows it. It is read again for each request.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ampoule_access::tokens;
use ampoule_config::{AccessConfig, Config, ConsoleConfig, shown_keys};
use ampoule_console::model::{
    Configuration, ConfigurationFile, ConfigurationKey, PrincipalRow, Reload, RoleRow, ScheduleRow,
    TokenRow, ToolkitRow,
};
use ampoule_console::{SettingsSource, SettingsView};

use crate::schedules::Starters;

/// Reads the configuration for the console.
pub(super) struct ConfiguredView {
    /// The file that was named on the command line.
    pub(super) file: Option<PathBuf>,
}

impl SettingsSource for ConfiguredView {
    fn view(&self) -> Result<SettingsView, String> {
        let config = Config::find(self.file.as_deref()).map_err(|error| error.to_string())?;
        let (principals, principals_problem) = match principals(&config) {
            Ok(principals) => (principals, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        Ok(SettingsView {
            configuration: configuration(&config)?,
            toolkits: toolkits(&config),
            roles: roles(&config),
            principals,
            principals_problem,
        })
    }

    fn schedules(&self) -> Result<Vec<ScheduleRow>, String> {
        let config = Config::find(self.file.as_deref()).map_err(|error| error.to_string())?;
        let rows = Starters::of(&config).rows();
        rows.map_err(|failure| failure.message().to_owned())
    }
}

fn configuration(config: &Config) -> Result<Configuration, String> {
    let Some(file) = &config.source else {
        let notes = vec!["no ampoule.toml: the only server is the built-in `demo`".to_owned()];
        return Ok(Configuration {
            notes,
            ..Configuration::default()
        });
    };
    let path = file.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{path}: {error}"))?;
    let keys = shown_keys(&text)?.into_iter().map(|key| ConfigurationKey {
        key: key.key,
        value: key.value,
        help: key.help,
        reload: match key.is_reread {
            true => Reload::Reread,
            false => Reload::Restart,
        },
    });
    let mut files = vec![ConfigurationFile {
        path,
        what: ampoule_config::FILE_NAME.to_owned(),
    }];
    let origins = config
        .servers
        .values()
        .filter_map(|server| server.origin.as_ref());
    let mut origins: Vec<String> = origins.map(ToString::to_string).collect();
    origins.sort();
    origins.dedup();
    files.extend(origins.into_iter().map(|path| ConfigurationFile {
        path,
        what: "servers are imported from it".to_owned(),
    }));
    Ok(Configuration {
        files,
        keys: keys.collect(),
        notes: config.notes.clone(),
    })
}

fn toolkits(config: &Config) -> Vec<ToolkitRow> {
    let toolkits = config.toolkits.iter();
    let row = |(name, toolkit): (&ampoule_config::ToolkitName, &ampoule_config::ToolkitConfig)| {
        ToolkitRow {
            name: name.to_string(),
            description: toolkit.description.clone(),
            tools: toolkit.tools.iter().map(ToString::to_string).collect(),
        }
    };
    toolkits.map(row).collect()
}

fn roles(config: &Config) -> Vec<RoleRow> {
    let roles = config.governance.roles.0.iter();
    let row = |(name, role): (&String, &ampoule_policy::Role)| {
        let groups = role.groups.iter().map(|group| format!("group {group}"));
        RoleRow {
            name: name.clone(),
            members: role.principals.iter().cloned().chain(groups).collect(),
            tools: role.tools.clone(),
        }
    };
    roles.map(row).collect()
}

/// The principals with tokens of the operator's list. Those of an issuer are known to the issuer
/// alone.
///
/// # Errors
///
/// A sentence: the list can't be read.
fn principals(config: &Config) -> Result<Vec<PrincipalRow>, String> {
    let access = config.serve.auth.as_ref();
    let list = access.and_then(|access: &AccessConfig| access.tokens.as_ref());
    let Some(file) = list else {
        return Ok(Vec::new());
    };
    let unread = |error: &dyn std::fmt::Display| {
        format!(
            "the list of tokens, {}, can't be read: {error}",
            file.display()
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| unread(&error))?;
    let entries = tokens::edit::entries(&text).map_err(|error| unread(&error))?;
    let operators = config.console.clone().unwrap_or_default();
    let mut rows: BTreeMap<String, PrincipalRow> = BTreeMap::new();
    for entry in entries {
        let principal = entry.principal();
        let name = principal.name().to_string();
        let groups: Vec<String> = principal.groups().iter().map(ToString::to_string).collect();
        let expires = entry.expires();
        let token = TokenRow {
            expires: expires.map(|time| humantime::format_rfc3339_seconds(time).to_string()),
        };
        let row = rows.entry(name.clone()).or_insert_with(|| PrincipalRow {
            operator: is_operator(&operators, &name, &groups),
            name,
            groups,
            tokens: Vec::new(),
        });
        row.tokens.push(token);
    }
    Ok(rows.into_values().collect())
}

fn is_operator(config: &ConsoleConfig, name: &str, groups: &[String]) -> bool {
    let of_group = groups.iter().any(|it| config.operator_groups.contains(it));
    of_group || config.operators.iter().any(|it| it == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tokens_that_cannot_be_read_is_a_problem_and_not_an_empty_list() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ampoule.toml");
        let text = "[serve.auth]\ntokens = \"nowhere\"\n[toolkits.shop]\ntools = [\"demo.*\"]\n";
        std::fs::write(&file, text).unwrap();
        let source = ConfiguredView { file: Some(file) };
        let view = source.view().unwrap();
        let problem = view.principals_problem.unwrap();
        assert!(problem.contains("nowhere, can't be read"), "{problem}");
        assert_eq!(view.toolkits.len(), 1, "the rest is shown");
        std::fs::write(folder.path().join("nowhere"), "not a list\n").unwrap();
        let view = source.view().unwrap();
        assert!(
            view.principals_problem.is_some(),
            "a wrong list is one, too"
        );
        std::fs::write(folder.path().join("nowhere"), "").unwrap();
        let view = source.view().unwrap();
        assert_eq!(view.principals_problem, None);
    }
}
