//! `Temporal`: dates, times and durations, by `temporal_rs`, the crate of Boa and V8.
//!
//! An object of a class of the namespace is an object of one class here, which holds the value. The
//! classes themselves are JavaScript, in `prelude/web`: it reads arguments and options in the
//! order that the language says, and calls the functions of these modules with what it read.
//!
//! - `make`: values from numbers, texts and fields; `bag`: fields of objects; `fields`: those of values
//! - `arithmetic`: sums, differences, rounding, order; `convert`: values of another class
//! - `options`: what the prelude read; `text`: values as texts; `names`: calendars and time zones
//! - `zones`: time zones, from the one copy of the database

mod arithmetic;
mod bag;
mod convert;
mod fields;
mod make;
mod names;
mod options;
mod text;
mod zones;

#[cfg(test)]
mod tests;

use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::{Constructor, IntoJsFunc};
use rquickjs::{Class, Ctx, Error, Exception, Function, JsLifetime, Object, Result, Value};
use temporal_rs::error::ErrorKind;
use temporal_rs::{
    Duration, Instant, PlainDate, PlainDateTime, PlainMonthDay, PlainTime, PlainYearMonth,
    TemporalError, TemporalResult, ZonedDateTime,
};

use crate::session::Session;
use zones::Zones;

/// Adds the functions that the prelude calls.
pub(crate) fn register(native: &Object<'_>) -> Result<()> {
    let temporal = Object::new(native.ctx().clone())?;
    define(&temporal, "kind", kind)?;
    define(&temporal, "setPrototypes", set_prototypes)?;
    make::register(&temporal)?;
    names::register(&temporal)?;
    fields::register(&temporal)?;
    arithmetic::register(&temporal)?;
    convert::register(&temporal)?;
    text::register(&temporal)?;
    native.set("temporal", temporal)
}

/// Adds one function.
fn define<'js, P>(
    functions: &Object<'js>,
    name: &str,
    function: impl IntoJsFunc<'js, P> + 'js,
) -> Result<()> {
    functions.set(name, Function::new(functions.ctx().clone(), function)?)
}

/// What an object of the namespace holds. Values never change.
#[derive(Clone)]
enum Temporal {
    Instant(Instant),
    ZonedDateTime(ZonedDateTime),
    PlainDateTime(PlainDateTime),
    PlainDate(PlainDate),
    PlainTime(PlainTime),
    PlainYearMonth(PlainYearMonth),
    PlainMonthDay(PlainMonthDay),
    Duration(Duration),
}

/// The classes of the namespace, by the numbers that the prelude has for them.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Instant = 1,
    ZonedDateTime,
    PlainDateTime,
    PlainDate,
    PlainTime,
    PlainYearMonth,
    PlainMonthDay,
    Duration,
}

const KINDS: [Kind; 8] = [
    Kind::Instant,
    Kind::ZonedDateTime,
    Kind::PlainDateTime,
    Kind::PlainDate,
    Kind::PlainTime,
    Kind::PlainYearMonth,
    Kind::PlainMonthDay,
    Kind::Duration,
];

impl Kind {
    fn of(number: usize) -> Self {
        KINDS[number - 1]
    }
}

impl Temporal {
    fn kind(&self) -> Kind {
        match self {
            Self::Instant(_) => Kind::Instant,
            Self::ZonedDateTime(_) => Kind::ZonedDateTime,
            Self::PlainDateTime(_) => Kind::PlainDateTime,
            Self::PlainDate(_) => Kind::PlainDate,
            Self::PlainTime(_) => Kind::PlainTime,
            Self::PlainYearMonth(_) => Kind::PlainYearMonth,
            Self::PlainMonthDay(_) => Kind::PlainMonthDay,
            Self::Duration(_) => Kind::Duration,
        }
    }
}

macro_rules! from {
    ($($name:ident),+) => {
        $(impl From<$name> for Temporal {
            fn from(value: $name) -> Self {
                Self::$name(value)
            }
        })+
    };
}
from!(
    Instant,
    ZonedDateTime,
    PlainDateTime,
    PlainDate,
    PlainTime,
    PlainYearMonth,
    PlainMonthDay,
    Duration
);

// SAFETY: It holds no value of the engine.
unsafe impl<'js> JsLifetime<'js> for Temporal {
    type Changed<'to> = Self;
}

impl<'js> Trace<'js> for Temporal {
    fn trace(&self, _: Tracer<'_, 'js>) {}
}

impl<'js> JsClass<'js> for Temporal {
    const NAME: &'static str = "Temporal";
    type Mutable = Readable;

    fn prototype(_: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        Ok(None)
    }

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// An argument that is a value of the namespace; the prelude has made sure of that.
type Handle<'js> = Class<'js, Temporal>;

/// The prototypes of the classes, in the order of their kinds.
pub(crate) type Prototypes<'js> = Vec<Object<'js>>;

fn set_prototypes<'js>(ctx: Ctx<'js>, prototypes: Prototypes<'js>) {
    // Set once: the prelude is evaluated once.
    let _ = Session::of(&ctx).temporal.set(prototypes);
}

/// The number of a value's class, 0 for what is none of the namespace.
fn kind(value: Value<'_>) -> usize {
    let held = value.as_object().and_then(Object::as_class::<Temporal>);
    held.map_or(0, |held| held.borrow().kind() as usize)
}

/// A new object of a class.
fn object<'js>(ctx: &Ctx<'js>, value: impl Into<Temporal>) -> Result<Handle<'js>> {
    let value = value.into();
    let prototype = Session::of(ctx)
        .temporal
        .get()
        .and_then(|prototypes| prototypes.get(value.kind() as usize - 1).cloned());
    Class::instance_proto(
        value,
        prototype.expect("the prelude sets them before any script runs"),
    )
}

/// A new object of a class, unless there is an error to throw.
fn result<'js>(ctx: &Ctx<'js>, value: TemporalResult<impl Into<Temporal>>) -> Result<Handle<'js>> {
    object(ctx, value.or_throw(ctx)?)
}

/// Throws what the crate gives as an error.
trait OrThrow<T> {
    fn or_throw(self, ctx: &Ctx<'_>) -> Result<T>;
}

impl<T> OrThrow<T> for TemporalResult<T> {
    fn or_throw(self, ctx: &Ctx<'_>) -> Result<T> {
        self.map_err(|error| thrown(ctx, error))
    }
}

fn thrown(ctx: &Ctx<'_>, error: TemporalError) -> Error {
    let message = match error.into_message() {
        // The crate says nothing where a duration has no length of its own.
        "" => "Years, months and weeks have a length only from a date on: give one as relativeTo",
        message => message,
    };
    if error.kind() == ErrorKind::Type {
        Exception::throw_type(ctx, message)
    } else {
        Exception::throw_range(ctx, message)
    }
}

/// So many characters of a text are in the error that says that it can't be read.
const SHOWN_CHARACTERS: usize = 60;

/// What was read of a text, unless there is an error to throw.
fn read<T>(ctx: &Ctx<'_>, text: &str, read: TemporalResult<T>) -> Result<T> {
    read.map_err(|error| {
        let shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
        let message = format!("{shown:?} can't be read: {}", error.into_message());
        Exception::throw_range(ctx, &message)
    })
}

/// What no argument of the prelude is.
fn unexpected(ctx: &Ctx<'_>) -> Error {
    Exception::throw_type(ctx, "The value is of another class of Temporal")
}
