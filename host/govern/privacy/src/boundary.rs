//! The boundary: what is done about what was found, as the operator chose.

use std::borrow::Cow;

use crate::detector::Detector;
use crate::kind::Counts;
use crate::patterns::PatternError;
use crate::settings::{Mode, Settings};
use crate::table::Table;
use crate::unmask::{RestoredArguments, TooLongError};

/// What stands between runs and the model. It is made once, and shared by all sessions; what is of
/// one session is in its [`Table`].
#[derive(Debug, Clone)]
pub struct Boundary {
    settings: Settings,
    detector: Detector,
}

/// A text that goes to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaskedText<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// How much was found in it, by kind.
    pub counts: Counts,
}

/// A text that does not go to the model. Displays as what the model is told: kinds, and no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "withheld: this has personal data ({counts}), which this host does not pass on: return counts, ids or a summary without it"
)]
#[non_exhaustive]
pub struct BlockedError {
    /// How much was found in it, by kind.
    pub counts: Counts,
}

impl Boundary {
    /// A boundary as the settings say.
    ///
    /// # Errors
    ///
    /// [`PatternError`].
    pub fn new(settings: Settings) -> Result<Self, PatternError> {
        let detector = Detector::new(&settings)?;
        Ok(Self { settings, detector })
    }

    /// What is done.
    pub fn mode(&self) -> Mode {
        self.settings.mode
    }

    /// What finds it.
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Whether the data of a tool is looked at; of a run, whether that of one of the tools is that it
    /// called. `is_of`: whether the tool is one of a pattern's.
    pub fn looks_at(&self, is_of: impl Fn(&str) -> bool) -> bool {
        let from = self.settings.from.as_ref();
        let looked_at = from.is_none_or(|from| from.iter().any(|pattern| is_of(pattern)));
        self.settings.mode != Mode::Off && looked_at
    }

    /// What goes to the model in place of a text: what a run printed, returned or threw.
    ///
    /// # Errors
    ///
    /// [`BlockedError`]: there is personal data in it, and the mode is [`Mode::Block`].
    pub fn pass<'t>(
        &self,
        text: &'t str,
        table: &mut Table,
    ) -> Result<MaskedText<'t>, BlockedError> {
        match self.settings.mode {
            Mode::Off => Ok(MaskedText {
                text: Cow::Borrowed(text),
                counts: Counts::default(),
            }),
            Mode::Tokens => Ok(self.mask(text, table)),
            Mode::Detect | Mode::Block => {
                let counts = self.detector.count(text);
                if self.settings.mode == Mode::Block && !counts.is_empty() {
                    return Err(BlockedError { counts });
                }
                let text = Cow::Borrowed(text);
                Ok(MaskedText { text, counts })
            }
        }
    }

    /// A text with tokens in place of personal data, whatever the mode: what a script asks for itself.
    pub fn mask<'t>(&self, text: &'t str, table: &mut Table) -> MaskedText<'t> {
        let found = self.detector.find(text);
        let mut counts = Counts::default();
        for finding in &found {
            counts.add(finding.kind.name());
        }
        let text = table.mask(text, &found);
        MaskedText { text, counts }
    }

    /// What a tool returned, for a script: nothing in it can be taken for a token afterwards. See
    /// [`Table::take_in`].
    pub fn take_in<'t>(&self, text: &'t str, table: &mut Table) -> Cow<'t, str> {
        match self.settings.mode {
            Mode::Tokens => table.take_in(text),
            // Scripts may mask by themselves: then there are tokens, too.
            _ if !table.is_empty() => table.take_in(text),
            _ => Cow::Borrowed(text),
        }
    }

    /// The arguments of a call, as JSON, with real values in place of tokens, as far as the tool may
    /// have them. `is_of`: whether the tool is one of a pattern's.
    ///
    /// # Errors
    ///
    /// [`TooLongError`].
    pub fn send(
        &self,
        arguments: &str,
        is_of: impl Fn(&str) -> bool,
        table: &Table,
    ) -> Result<RestoredArguments, TooLongError> {
        if table.is_empty() {
            return Ok(RestoredArguments::default());
        }
        let Some(to) = &self.settings.to else {
            return table.unmask(arguments, |_| true);
        };
        let receivers: Vec<_> = to.iter().filter(|to| is_of(to.tools())).collect();
        table.unmask(arguments, |kind| receivers.iter().any(|to| to.gets(kind)))
    }
}
