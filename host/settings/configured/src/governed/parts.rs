//! The other parts of governance, from their crates: quotas, approvals, personal data, the audit
//! log.

use std::path::{Path, PathBuf};

use ampoule::data_folder;
use ampoule::governance::PlacedPattern;
use ampoule_approvals::{Secret, Store};
use ampoule_audit::{AuditConfig, Log};
use ampoule_config::{Config, ExposureConfig};
use ampoule_privacy::{Mode, TableLimits, Tables};
use ampoule_projection::names::ToolPattern;
use ampoule_quota::{Quotas, Rule, RulesError};
use ampoule_untrusted::text::one_line;

use crate::SetupError;

/// Where questions are in the user's folder of data.
const APPROVALS: &str = "approvals";
/// Where the audit log is there.
const AUDIT: &str = "audit";
/// Where totals of quotas are there.
const QUOTAS: &str = "quotas";
/// Where tables of tokens are there.
const TOKENS: &str = "tokens-of-personal-data";

/// A folder of the user's data.
fn kept(name: &str) -> Result<PathBuf, SetupError> {
    data_folder()
        .map(|folder| folder.join(name))
        .ok_or_else(|| {
            SetupError::new(format!(
                "no data folder was found for {name}: set HOME, or XDG_DATA_HOME"
            ))
        })
}

/// Rates and quotas; none without rules.
pub(super) fn quotas(config: &Config) -> Result<Option<Quotas>, SetupError> {
    let rules = rules(config);
    if rules.is_empty() {
        return Ok(None);
    }
    let quotas = Quotas::new(rules, Some(&kept(QUOTAS)?));
    Ok(Some(quotas.map_err(unusable_quotas)?))
}

/// Whether the rules of rates and quotas can be used, without a look at what was counted.
pub(super) fn check_quotas(config: &Config) -> Result<(), SetupError> {
    let quotas = Quotas::new(rules(config), None);
    quotas.map(drop).map_err(unusable_quotas)
}

fn unusable_quotas(problem: RulesError) -> SetupError {
    SetupError::new(format!("[quotas]: {problem}"))
}

/// The rules of rates and quotas.
fn rules(config: &Config) -> Vec<Rule> {
    let rules = config.governance.quotas.iter();
    rules
        .map(|(name, rule)| rule.clone().called(name))
        .collect()
}

/// The patterns of tools by which quotas count, and the audit log writes arguments down.
pub(super) fn patterns(config: &Config) -> Vec<PlacedPattern> {
    let quotas = config.governance.quotas.iter();
    let quotas = quotas.filter(|(_, rule)| !rule.tool.is_all());
    let quotas = quotas.map(|(name, rule)| PlacedPattern {
        place: format!("[quotas.{}] tool", one_line(name)),
        pattern: rule.tool.clone(),
    });
    let audit = config.governance.audit.iter();
    let audit = audit.flat_map(|audit| audit.arguments.iter());
    let audit = audit.map(|rule| PlacedPattern {
        place: "audit.arguments".to_owned(),
        pattern: rule.tools.clone(),
    });
    quotas.chain(audit).collect()
}

/// The patterns of `[exposure]`, which restrict nothing, and of toolkits. Those that mean no tool are
/// likely mistakes, too. A server logs them by itself.
pub(super) fn shown(config: &Config) -> impl Iterator<Item = PlacedPattern> {
    let of_toolkits = config.toolkits.iter().flat_map(|(name, toolkit)| {
        let place = format!("[toolkits.{name}]");
        let tools = placed(format!("{place} tools"), &toolkit.tools);
        let exposure = toolkit.exposure.iter();
        tools.chain(exposure.flat_map(move |it| exposure_lists(&format!("{place} "), it)))
    });
    exposure_lists("", &config.exposure).chain(of_toolkits)
}

fn exposure_lists<'a>(
    before: &str,
    exposure: &'a ExposureConfig,
) -> impl Iterator<Item = PlacedPattern> + use<'a> {
    let lists = [
        ("direct", &exposure.direct),
        ("listed", &exposure.listed),
        ("searched", &exposure.searched),
    ];
    let lists = lists.map(|(list, patterns)| placed(format!("{before}exposure.{list}"), patterns));
    lists.into_iter().flatten()
}

fn placed(place: String, patterns: &[ToolPattern]) -> impl Iterator<Item = PlacedPattern> {
    patterns.iter().map(move |pattern| PlacedPattern {
        place: place.clone(),
        pattern: pattern.clone(),
    })
}

/// Where questions are, whether or not there are any yet.
///
/// # Errors
///
/// No data folder was found.
pub fn questions() -> Result<PathBuf, SetupError> {
    kept(APPROVALS)
}

/// Opens the questions.
///
/// # Errors
///
/// Their folder can't be used.
pub fn store(settings: &ampoule_approvals::Settings) -> Result<Store, SetupError> {
    Store::open(&questions()?, settings.limits()).map_err(SetupError::host)
}

/// A secret of a webhook's.
pub(super) fn secret(key: &str, text: &str) -> Result<Secret, SetupError> {
    Secret::read(text).map_err(|error| SetupError::new(format!("approvals.webhook.{key}: {error}")))
}

/// The tables of tokens of personal data; none if it is not configured.
pub(super) fn tokens(settings: &ampoule_privacy::Settings) -> Result<Option<Tables>, SetupError> {
    if settings.mode == Mode::Off {
        return Ok(None);
    }
    let tables = Tables::open(&kept(TOKENS)?, TableLimits::default());
    tables.map(Some).map_err(SetupError::host)
}

/// Where the audit log is.
///
/// # Errors
///
/// No folder is configured, and no data folder was found.
pub fn audit_folder(config: &AuditConfig) -> Result<PathBuf, SetupError> {
    config.folder.clone().map_or_else(|| kept(AUDIT), Ok)
}

/// Opens the audit log.
///
/// # Errors
///
/// It can't be written.
pub fn log(config: &AuditConfig) -> Result<Log, SetupError> {
    let folder = audit_folder(config)?;
    Log::open(&folder, config.settings()).map_err(|problem| unusable(&folder, &problem))
}

fn unusable(folder: &Path, problem: &ampoule_audit::AuditError) -> SetupError {
    let folder = folder.to_string_lossy();
    let folder = ampoule_untrusted::text::one_line(&folder);
    SetupError::new(format!("[audit]: {folder}: {problem}"))
}
