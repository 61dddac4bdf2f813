//! The parts that an operator configured.

use std::sync::Arc;

use ampoule_approvals::Approvals;
use ampoule_audit::Log;
use ampoule_policy::{PolicyError, Sources};
use ampoule_privacy::{Boundary, Mode, PatternError, Receiver, Settings, Tables};
use ampoule_projection::names::ToolPattern;
use ampoule_quota::Quotas;
use ampoule_tools::ToolPatternError;

use crate::governance::Governance;
use crate::known_servers::{KnownServer, Tools};
use crate::parts::Parts;
use crate::patterns::Patterns;
use crate::personal::Personal;
use crate::spent::Spent;
use crate::unmatched_patterns::PlacedPattern;

/// The parts of a [`Governance`]. What is not given is not there: nothing is denied, counted, asked,
/// recorded or looked for.
#[derive(Default)]
pub struct Builder {
    sources: Option<Sources>,
    servers: Vec<KnownServer>,
    quotas: Option<Arc<Quotas>>,
    asking: Option<Approvals>,
    audit: Option<Arc<Log>>,
    privacy: Option<(Settings, Option<Tables>)>,
    patterns: Vec<PlacedPattern>,
}

/// Why parts can't be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The policies can't be used.
    #[error("{0}")]
    Policies(PolicyError),
    /// What is to be looked for can't be.
    #[error(transparent)]
    Privacy(#[from] PatternError),
    /// A pattern of tools in the settings for personal data is none.
    #[error(transparent)]
    Pattern(#[from] ToolPatternError),
    /// The folder of quotas can't be used.
    #[error("the folder of quotas can't be used: {0}")]
    Quotas(std::io::Error),
}

impl Builder {
    /// Who may do what. Without policies, whatever is granted.
    #[must_use]
    pub fn policies(mut self, sources: Sources) -> Self {
        self.sources = Some(sources);
        self
    }

    /// The servers, with their tools as far as they are known: all, Ampoule's own included. A tool
    /// that is of none of them is denied as long as there are policies. Later, tell
    /// [`Governance::tools_changed`].
    #[must_use]
    pub fn servers(mut self, servers: Vec<KnownServer>) -> Self {
        self.servers = servers;
        self
    }

    /// How often, and how much.
    #[must_use]
    pub fn quotas(mut self, quotas: Arc<Quotas>) -> Self {
        // Without rules, nothing has to be counted.
        self.quotas = (!quotas.is_empty()).then_some(quotas);
        self
    }

    /// Asks people. Without it, what somebody would have to allow is denied.
    #[must_use]
    pub fn asking(mut self, asking: Approvals) -> Self {
        self.asking = Some(asking);
        self
    }

    /// Where everything is recorded.
    #[must_use]
    pub fn audit(mut self, log: Arc<Log>) -> Self {
        self.audit = Some(log);
        self
    }

    /// What is done about personal data, and where tables of tokens are kept; without such a place,
    /// they end with the process.
    #[must_use]
    pub fn privacy(mut self, settings: Settings, tables: Option<Tables>) -> Self {
        let is_used = settings.mode != Mode::Off;
        self.privacy = is_used.then_some((settings, tables));
        self
    }

    /// Patterns of tools by which parts other than policies restrict something. Each that means no
    /// known tool is among the [warnings](Governance::warnings).
    #[must_use]
    pub fn patterns(mut self, patterns: Vec<PlacedPattern>) -> Self {
        self.patterns = patterns;
        self
    }

    /// All of it, ready.
    ///
    /// # Errors
    ///
    /// [`BuildError`].
    pub fn build(self) -> Result<Governance, BuildError> {
        let (mut patterns, personal) = match self.privacy {
            Some((settings, tables)) => {
                let patterns = patterns(&settings)?;
                let boundary = Boundary::new(settings)?;
                (patterns, Some(Personal::new(boundary, tables)))
            }
            None => (Patterns::default(), None),
        };
        patterns.placed.extend(self.patterns);
        let tools =
            Tools::new(self.sources, self.servers, patterns).map_err(BuildError::Policies)?;
        let quotas = self.quotas.as_deref();
        let folder = quotas.and_then(Quotas::folder);
        let spent = Spent::of(folder, quotas.is_some_and(Quotas::has_shared));
        Ok(Governance::of(Parts {
            tools,
            spent: spent.map_err(BuildError::Quotas)?,
            quotas: self.quotas,
            asking: self.asking,
            audit: self.audit,
            personal,
        }))
    }
}

/// The patterns of tools in the settings, read once.
fn patterns(settings: &Settings) -> Result<Patterns, ToolPatternError> {
    let from = settings.from.iter().flatten().map(String::as_str);
    let to = settings.to.iter().flatten().map(Receiver::tools);
    let mut patterns = Patterns::default();
    let lists = [
        ("privacy.from", &mut patterns.from, from.collect::<Vec<_>>()),
        ("privacy.to", &mut patterns.to, to.collect()),
    ];
    for (place, list, texts) in lists {
        for text in texts {
            let each = ToolPattern::list(text)?;
            patterns
                .placed
                .extend(each.iter().map(|pattern| PlacedPattern {
                    place: place.to_owned(),
                    pattern: pattern.clone(),
                }));
            list.insert(text.to_owned(), each);
        }
    }
    Ok(patterns)
}
