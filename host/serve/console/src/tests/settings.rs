//! A configuration that never changes.

use crate::model::{
    Configuration, ConfigurationKey, PrincipalRow, Reload, RoleRow, ScheduleKind, ScheduleRow,
    TokenRow, ToolkitRow,
};
use crate::{SettingsSource, SettingsView};

/// Settings that never change.
pub(super) struct FixedSettings;

impl SettingsSource for FixedSettings {
    fn view(&self) -> Result<SettingsView, String> {
        Ok(SettingsView {
            configuration: Configuration {
                keys: vec![ConfigurationKey {
                    key: "serve.session-idle".to_owned(),
                    value: Some("\"1h\"".to_owned()),
                    help: None,
                    reload: Reload::Restart,
                }],
                ..Configuration::default()
            },
            toolkits: [("reading", "demo.echo"), ("hidden", "demo.secret")]
                .map(|(name, tool)| ToolkitRow {
                    name: name.to_owned(),
                    description: None,
                    tools: vec![tool.to_owned(), "elsewhere.*".to_owned()],
                })
                .into(),
            roles: vec![RoleRow {
                name: "all".to_owned(),
                members: Vec::new(),
                tools: vec!["demo".to_owned()],
            }],
            principals: vec![PrincipalRow {
                name: "ada".to_owned(),
                operator: false,
                groups: Vec::new(),
                tokens: vec![TokenRow { expires: None }],
            }],
            principals_problem: None,
        })
    }

    fn schedules(&self) -> Result<Vec<ScheduleRow>, String> {
        let row = |name: &str, principal: Option<&str>, kind| ScheduleRow {
            name: name.to_owned(),
            kind,
            started_by: "0 6 * * * Europe/Berlin".to_owned(),
            program: "report.ts".to_owned(),
            principal: principal.map(ToOwned::to_owned),
            next: Some("2026-12-01T05:00:00Z".to_owned()),
            last: None,
            outcome: None,
            run: None,
            waiting: 0,
            under_way: 0,
            can_start: false,
        };
        Ok(vec![
            row("nightly", Some("ada"), ScheduleKind::Schedule),
            row("hourly", None, ScheduleKind::Schedule),
            row("github", Some("bob"), ScheduleKind::Hook),
        ])
    }
}
