//! A validator that [breathes](breathe): it can't be interrupted, and checks of large arguments
//! take long.

use ampoule_effort::breathe;
use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

use super::steps::STEP;
use super::subschemas;

/// A keyword that every value fits. A schema that has it already breathes a little more.
pub(super) const KEYWORD: &str = "ampoule:breathes";

/// How much is done between two values, in units of fuel.
const AT_A_VALUE: u64 = 4 * STEP;

struct Breathes;

impl<'i> Keyword<'i> for Breathes {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        breathe(AT_A_VALUE);
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        breathe(AT_A_VALUE);
        true
    }
}

/// The keyword, for the validator's options.
pub(super) fn keyword<'a>(
    _: &'a Map<String, Value>,
    _: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    Ok(Box::new(Breathes))
}

/// The schema, with the keyword wherever a value is checked.
pub(super) fn schema(schema: &Value) -> Value {
    subschemas::changed(schema, &mut |_, made: &mut Map<String, Value>| {
        made.insert(KEYWORD.to_owned(), Value::Bool(true));
    })
}
