//! Arguments of which some places are not known: which problems there are whatever is there.

use std::collections::{HashMap, HashSet};

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;

/// Keywords whose schemas apply under a condition, or of which not all have to hold. What an error
/// within them means depends on the whole value.
const CONDITIONAL: [&str; 11] = [
    "if",
    "then",
    "else",
    "not",
    "anyOf",
    "oneOf",
    "contains",
    "dependencies",
    "dependentSchemas",
    "dependentRequired",
    "propertyNames",
];

/// The places in arguments whose values are not known, as JSON Pointers.
#[derive(Debug, Default)]
pub(crate) struct Unproven {
    /// Items of lists, and members that are there, that may be anything.
    pub(crate) items: HashSet<String>,
    /// Members that may be there, with any value, by the places of the objects that have them. The
    /// arguments are without them.
    pub(crate) members: HashMap<String, HashSet<String>>,
    /// Objects and lists that may have more in them.
    pub(crate) open: HashSet<String>,
}

impl Unproven {
    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.members.is_empty() && self.open.is_empty()
    }

    /// Whether anything at a place, or within it, is not known.
    fn touches(&self, place: &str) -> bool {
        let within = |other: &String| {
            let rest = other.strip_prefix(place);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.items.iter().any(within)
            || self.members.keys().any(within)
            || self.open.iter().any(within)
    }

    fn may_have(&self, object: &str, name: &str) -> bool {
        self.open.contains(object)
            || (self.members.get(object)).is_some_and(|members| members.contains(name))
    }

    /// Whether arguments are wrong in this way whatever is in the places that are not known.
    pub(super) fn proves(&self, error: &ValidationError<'_>) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut way = error.evaluation_path().as_str().split('/');
        if way.any(|keyword| CONDITIONAL.contains(&keyword)) {
            // What the value as a whole is decides.
            return !self.touches("");
        }
        let place = error.instance_path().as_str();
        if self.items.contains(place) {
            return false;
        }
        match error.kind() {
            Kind::Required { property } => {
                !self.may_have(place, property.as_str().unwrap_or_default())
            }
            Kind::MinItems { .. } => !self.open.contains(place),
            // The value's kind, its own text or number, and what is in it for certain.
            Kind::Type { .. }
            | Kind::AdditionalProperties { .. }
            | Kind::FalseSchema
            | Kind::MaxItems { .. }
            | Kind::AdditionalItems { .. }
            | Kind::Minimum { .. }
            | Kind::Maximum { .. }
            | Kind::ExclusiveMinimum { .. }
            | Kind::ExclusiveMaximum { .. }
            | Kind::MultipleOf { .. }
            | Kind::MinLength { .. }
            | Kind::MaxLength { .. }
            | Kind::Pattern { .. } => true,
            _ => !self.touches(place),
        }
    }
}
