//! What policies are made of: the configuration's roles, labels and questions, and files of Cedar.

use std::fmt::Write as _;
use std::path::PathBuf;

use ampoule_config::{
    Config, DestructiveTools, LabelsConfig, Rate, RefusalConfig, RefusedThen, RoleConfig,
};
use ampoule_policy::{
    Destructive, Fallback, File, Labels, Names, NoRate, Preset, Problems, Refusal, Refusals, Role,
    Roles, Sources, Then, read_folder,
};

/// The folder of policies beside the configuration, where no other is named.
const FOLDER: &str = "policies";
/// What policies call what `[approvals]` asks before.
const ASK: &str = "[approvals] ask";

/// Everything that policies are made of.
///
/// # Errors
///
/// The folder can't be read as it is now.
pub fn sources(config: &Config) -> Result<Sources, Problems> {
    let governance = &config.governance;
    let mut files = match folder(config) {
        Some(folder) => read_folder(&folder)?,
        None => Vec::new(),
    };
    files.extend(asked(&governance.approvals.ask));
    let roles = governance.roles.iter().map(|(name, of)| {
        let role = role(of).map_err(|bad| Problems::of(format!("[roles.{name}] rate: {bad}")))?;
        Ok((name.clone(), role))
    });
    Ok(Sources {
        files,
        roles: Roles(roles.collect::<Result<_, Problems>>()?),
        labels: labels(&governance.labels),
        other_labels: Vec::new(),
        fallback: governance
            .policies
            .allow_by_default
            .map(|allow| match allow {
                true => Fallback::Allow,
                false => Fallback::Deny,
            }),
    })
}

/// The folder of policies: the one that is named, or the one beside the configuration if it is
/// there.
pub fn folder(config: &Config) -> Option<PathBuf> {
    let is_named = config.governance.policies.folder.is_some();
    place(config).filter(|folder| is_named || folder.is_dir())
}

/// Where that is, or may come to be.
pub(super) fn place(config: &Config) -> Option<PathBuf> {
    let beside = || {
        let file = std::path::absolute(config.source.as_ref()?).ok()?;
        Some(file.parent()?.join(FOLDER))
    };
    config.governance.policies.folder.clone().or_else(beside)
}

/// The calls before which a person is asked, as a policy: classes and patterns of tools are called
/// the same in Cedar.
fn asked(tools: &[String]) -> Option<File> {
    let (last, others) = tools.split_last()?;
    let mut text = "@id(\"approvals: ask\")\n@ask\nforbid(principal, action in [".to_owned();
    for tools in others {
        // Writing to a string can't fail.
        let _ = write!(text, "Action::\"{tools}\", ");
    }
    let _ = writeln!(text, "Action::\"{last}\"], resource);");
    Some(File {
        name: ASK.into(),
        text: text.into(),
    })
}

/// A role. A rate that can't be kept is an error: without it, nothing would be limited.
fn role(of: &RoleConfig) -> Result<Role, NoRate> {
    Ok(Role {
        tools: of.tools.clone(),
        principals: of.principals.clone(),
        groups: of.groups.clone(),
        clients: of.clients.clone(),
        read_only: of.read_only,
        destructive: match of.destructive {
            DestructiveTools::Allow => Destructive::Allow,
            DestructiveTools::Ask => Destructive::Ask,
            DestructiveTools::Deny => Destructive::Deny,
        },
        rate: of.rate.map(rate).transpose()?,
        redact: of.redact.clone(),
        dry_run: of.dry_run,
        reason: of.reason.clone(),
    })
}

fn rate(rate: Rate) -> Result<ampoule_policy::Rate, NoRate> {
    ampoule_policy::Rate::new(rate.calls, rate.per)
}

fn labels(of: &LabelsConfig) -> Labels {
    let gives = of.gives.iter();
    let refuses = of.refuses.iter();
    Labels {
        preset: of.untrusted_content.then_some(Preset::UntrustedContent),
        gives: gives
            .map(|(tools, labels)| (tools.clone(), Names::Several(labels.clone())))
            .collect(),
        refuses: refuses
            .map(|(sink, of)| {
                let refusals = of.iter().map(refusal).collect();
                (sink.clone(), Refusals::Several(refusals))
            })
            .collect(),
    }
}

fn refusal(of: &RefusalConfig) -> Refusal {
    Refusal {
        labels: Names::Several(of.labels.clone()),
        then: match of.then {
            RefusedThen::Deny => Then::Deny,
            RefusedThen::Ask => Then::Ask,
            RefusedThen::Redact => Then::Redact,
        },
        fields: of.fields.clone(),
        reason: of.reason.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_rate_of_the_configuration_is_one_of_policies() {
        for (text, seconds) in [
            ("second", 1),
            ("minute", 60),
            ("hour", 3600),
            ("day", 86_400),
        ] {
            let of = Rate {
                calls: std::num::NonZeroU32::MIN,
                per: Duration::from_secs(seconds),
            };
            assert_eq!(rate(of).unwrap().to_string(), format!("1/{text}"));
        }
        let odd = Rate {
            calls: std::num::NonZeroU32::MIN,
            per: Duration::from_secs(90),
        };
        assert!(rate(odd).is_err());
    }
}
