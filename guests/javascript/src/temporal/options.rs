//! Options as the prelude read them: the properties of an object that no script reaches.

use std::str::FromStr;

use rquickjs::{Ctx, Error, Exception, FromJs, Object, Result, Value};
use temporal_rs::options::{
    DifferenceSettings, Overflow, RelativeTo, RoundingIncrement, RoundingOptions,
    ToStringRoundingOptions,
};
use temporal_rs::parsers::Precision;

use super::{Handle, OrThrow, Temporal, unexpected};

pub(super) struct Options<'js>(Object<'js>);

impl<'js> FromJs<'js> for Options<'js> {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        Object::from_js(ctx, value).map(Self)
    }
}

impl<'js> Options<'js> {
    fn ctx(&self) -> &Ctx<'js> {
        self.0.ctx()
    }

    /// One of the words that the type knows; none where the option is absent.
    pub(super) fn word<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.0.get::<_, Option<String>>(name)? else {
            return Ok(None);
        };
        match text.parse() {
            Ok(word) => Ok(Some(word)),
            Err(_) => Err(self.unknown(name, &text)),
        }
    }

    fn unknown(&self, name: &str, text: &str) -> Error {
        Exception::throw_range(self.ctx(), &format!("{name} can't be {text:?}"))
    }

    pub(super) fn overflow(&self) -> Result<Option<Overflow>> {
        self.word("overflow")
    }

    fn increment(&self) -> Result<Option<RoundingIncrement>> {
        let increment: Option<f64> = self.0.get("roundingIncrement")?;
        let increment = increment.map(RoundingIncrement::try_from).transpose();
        increment.or_throw(self.ctx())
    }

    pub(super) fn difference(&self) -> Result<DifferenceSettings> {
        let mut settings = DifferenceSettings::default();
        settings.largest_unit = self.word("largestUnit")?;
        settings.smallest_unit = self.word("smallestUnit")?;
        settings.rounding_mode = self.word("roundingMode")?;
        settings.increment = self.increment()?;
        Ok(settings)
    }

    pub(super) fn rounding(&self) -> Result<RoundingOptions> {
        let mut options = RoundingOptions::default();
        options.largest_unit = self.word("largestUnit")?;
        options.smallest_unit = self.word("smallestUnit")?;
        options.rounding_mode = self.word("roundingMode")?;
        options.increment = self.increment()?;
        Ok(options)
    }

    pub(super) fn precision(&self) -> Result<ToStringRoundingOptions> {
        let digits: Option<u8> = self.0.get("fractionalSecondDigits")?;
        Ok(ToStringRoundingOptions {
            precision: digits.map_or(Precision::Auto, Precision::Digit),
            smallest_unit: self.word("smallestUnit")?,
            rounding_mode: self.word("roundingMode")?,
        })
    }

    /// What a duration is relative to: a date, or a time in a zone.
    pub(super) fn relative_to(&self) -> Result<Option<RelativeTo>> {
        let Some(value) = self.0.get::<_, Option<Handle<'js>>>("relativeTo")? else {
            return Ok(None);
        };
        Ok(match &*value.borrow() {
            Temporal::PlainDate(date) => Some(date.clone().into()),
            Temporal::ZonedDateTime(time) => Some(time.clone().into()),
            _ => return Err(unexpected(self.ctx())),
        })
    }
}
