//! Fields that the prelude read of an object, as the crate takes them.

use rquickjs::{Ctx, Exception, Object, Result};
use temporal_rs::fields::{CalendarFields, DateTimeFields, ZonedDateTimeFields};
use temporal_rs::options::Overflow;
use temporal_rs::partial::PartialTime;
use temporal_rs::{MonthCode, TinyAsciiStr, UtcOffset};

use super::make::out_of_range;
use super::{Kind, OrThrow};

/// Fields that the prelude read of an object.
pub(super) struct Fields<'a, 'js> {
    pub(super) bag: &'a Object<'js>,
    pub(super) overflow: Option<Overflow>,
}

/// Within it, the crate finds out itself whether there is such a year.
const MOST_YEARS: f64 = 1e9;
/// In so many years the calendar repeats. A day of a month may be of any year.
const CYCLE_YEARS: f64 = 400.0;

impl<'js> Fields<'_, 'js> {
    fn ctx(&self) -> &Ctx<'js> {
        self.bag.ctx()
    }

    /// Whether a class has what it needs of the fields, in the ISO calendar.
    pub(super) fn check(&self, kind: Kind) -> Result<()> {
        let needed: &[&str] = match kind {
            Kind::PlainDate | Kind::PlainDateTime | Kind::ZonedDateTime => {
                &["year", "month", "day"]
            }
            Kind::PlainYearMonth => &["year", "month"],
            Kind::PlainMonthDay => &["month", "day"],
            Kind::PlainTime | Kind::Instant | Kind::Duration => &[],
        };
        for name in needed {
            let is_there = self.bag.contains_key(*name)?
                || *name == "month" && self.bag.contains_key("monthCode")?;
            if !is_there {
                let message = format!("The field {name} is missing");
                return Err(Exception::throw_type(self.ctx(), &message));
            }
        }
        Ok(())
    }

    fn number(&self, name: &str) -> Result<Option<f64>> {
        self.bag.get(name)
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        self.bag.get(name)
    }

    fn year(&self, name: &str) -> Result<Option<i32>> {
        let year = self.number(name)?;
        Ok(year.map(|year| {
            if year.abs() <= MOST_YEARS {
                return year as i32;
            }
            (MOST_YEARS.copysign(year) + year % CYCLE_YEARS) as i32
        }))
    }

    /// A field that is never negative. What is too large becomes the largest number there is, which
    /// no such field can have either.
    fn part<T: TryFrom<i64>>(&self, name: &str, most: T) -> Result<Option<T>> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        if number < 0.0 && self.overflow == Some(Overflow::Reject) {
            return Err(out_of_range(self.ctx()));
        }
        Ok(Some(T::try_from(number.max(0.0) as i64).unwrap_or(most)))
    }

    pub(super) fn calendar(&self) -> Result<CalendarFields> {
        let code = self.text("monthCode")?;
        let code = code.map(|code| MonthCode::try_from_utf8(code.as_bytes()));
        let era = self.text("era")?;
        let era = era.map(|era| TinyAsciiStr::try_from_utf8(era.as_bytes()));
        Ok(CalendarFields {
            year: self.year("year")?,
            month: self.part("month", u8::MAX)?,
            month_code: code.transpose().or_throw(self.ctx())?,
            day: self.part("day", u8::MAX)?,
            era: era
                .transpose()
                .map_err(|_| Exception::throw_range(self.ctx(), "The calendar has no such era"))?,
            era_year: self.year("eraYear")?,
        })
    }

    pub(super) fn time(&self) -> Result<PartialTime> {
        Ok(PartialTime {
            hour: self.part("hour", u8::MAX)?,
            minute: self.part("minute", u8::MAX)?,
            second: self.part("second", u8::MAX)?,
            millisecond: self.part("millisecond", u16::MAX)?,
            microsecond: self.part("microsecond", u16::MAX)?,
            nanosecond: self.part("nanosecond", u16::MAX)?,
        })
    }

    pub(super) fn date_time(&self) -> Result<DateTimeFields> {
        Ok(DateTimeFields {
            calendar_fields: self.calendar()?,
            time: self.time()?,
        })
    }

    pub(super) fn zoned(&self) -> Result<ZonedDateTimeFields> {
        let offset = self.text("offset")?;
        let offset = offset.map(|offset| UtcOffset::from_utf8(offset.as_bytes()));
        Ok(ZonedDateTimeFields {
            calendar_fields: self.calendar()?,
            time: self.time()?,
            offset: offset.transpose().or_throw(self.ctx())?,
        })
    }
}
