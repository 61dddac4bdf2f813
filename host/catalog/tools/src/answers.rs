//! The schemas of tools' answers, parsed where they may say that an answer lacks something.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::SchemaText;
use ampoule_untrusted::json;
use serde_json::Value;

use crate::listing::{Listing, SMALL_SCHEMA};

/// What all schemas have that say of an object that it has no other properties.
const CLOSED: &str = "\"additionalProperties\":false";

/// What it takes to look at a small schema, whether it is kept or not: what is made once is for all
/// runs, so none of them pays.
const LOOK: u64 = 4 * effort::ITEM;

/// How many values the kept schemas of one server may have.
const MAX_KEPT: usize = 50_000;

/// The small schema of a tool's answers, once somebody has looked at it.
#[derive(Default)]
pub(super) struct KeptSchema(OnceLock<KeptAnswerSchema>);

/// What is kept of a small schema.
enum KeptAnswerSchema {
    /// Nothing in it says that an answer lacks something.
    Open,
    Closed(Arc<Value>),
    /// It says so, and the server's other schemas have taken the room.
    NotKept,
}

/// How many values are kept of a server's schemas.
#[derive(Default)]
pub(super) struct KeptValues(AtomicUsize);

impl KeptValues {
    fn take(&self, values: usize) -> bool {
        let added = |all: usize| Some(all + values).filter(|all| *all <= MAX_KEPT);
        self.0.fetch_update(Relaxed, Relaxed, added).is_ok()
    }
}

impl KeptSchema {
    fn get(&self, schema: &SchemaText, room: &KeptValues) -> &KeptAnswerSchema {
        self.0.get_or_init(|| {
            let Some(parsed) = schema.parse_if_has(CLOSED) else {
                return KeptAnswerSchema::Open;
            };
            match room.take(json::count(iter::once(&parsed))) {
                true => KeptAnswerSchema::Closed(Arc::new(parsed)),
                false => KeptAnswerSchema::NotKept,
            }
        })
    }
}

impl Listing {
    /// The price of [`closed_answers`](Self::closed_answers).
    pub(super) fn price_of_answers(&self, index: usize) -> u64 {
        match self
            .tool(index)
            .output_schema
            .as_ref()
            .map(SchemaText::bytes)
        {
            None => 0,
            Some(..=SMALL_SCHEMA) => LOOK,
            Some(bytes) => effort::BYTE * bytes as u64,
        }
    }

    /// The schema of a tool's answers, if it says anywhere that an answer lacks something.
    ///
    /// # Errors
    ///
    /// There is no effort left to parse it.
    pub(super) fn closed_answers(
        &self,
        index: usize,
        effort: &Effort,
    ) -> Result<Option<Arc<Value>>, EffortError> {
        let Some(schema) = &self.tool(index).output_schema else {
            return Ok(None);
        };
        if schema.bytes() > SMALL_SCHEMA {
            return Ok(schema.parse_if_has(CLOSED).map(Arc::new));
        }
        let (kept, room) = self.kept_answers(index);
        match kept.get(schema, room) {
            KeptAnswerSchema::Open => Ok(None),
            KeptAnswerSchema::Closed(schema) => Ok(Some(Arc::clone(schema))),
            KeptAnswerSchema::NotKept => {
                effort.spend(effort::BYTE * schema.bytes() as u64)?;
                Ok(Some(Arc::new(schema.parse())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ampoule_projection::Tool;
    use serde_json::json;

    use super::*;

    fn listing(answers: &[Value]) -> Listing {
        let tools = answers.iter().enumerate().map(|(number, answers)| {
            let tool =
                json!({ "name": format!("t{number}"), "inputSchema": {}, "outputSchema": answers });
            serde_json::from_value::<Tool>(tool).unwrap()
        });
        Listing::new(tools.collect())
    }

    fn spent(listing: &Listing, index: usize) -> (bool, u64) {
        let effort = Effort::default();
        let found = listing.closed_answers(index, &effort).unwrap();
        (found.is_some(), effort.take_spent())
    }

    #[test]
    fn only_what_may_say_that_something_is_missing_is_parsed() {
        let closed = json!({ "type": "object", "additionalProperties": false });
        let large = json!({ "description": "x".repeat(SMALL_SCHEMA), "items": closed });
        let open = json!({ "type": "object", "additionalProperties": {} });
        let large_and_open = json!({ "description": "x".repeat(SMALL_SCHEMA), "items": open });
        let listing = listing(&[closed, open, large, large_and_open]);
        for (index, is_closed) in [true, false, true, false].into_iter().enumerate() {
            for _ in 0..2 {
                assert_eq!(spent(&listing, index), (is_closed, 0), "{index}");
            }
        }
        assert_eq!(listing.price_of_answers(0), listing.price_of_answers(1));
        assert!(listing.price_of_answers(2) > effort::BYTE * SMALL_SCHEMA as u64);
    }

    #[test]
    fn what_has_no_room_is_parsed_and_paid_each_time() {
        let some: Vec<Value> = (0..200).map(|_| json!({ "const": 1 })).collect();
        let schema = json!({ "additionalProperties": false, "anyOf": some });
        assert!(schema.to_string().len() <= SMALL_SCHEMA);
        let values = json::count(iter::once(&schema));
        let count = MAX_KEPT / values + 1;
        let listing = listing(&vec![schema; count]);
        for index in 0..count - 1 {
            assert_eq!(spent(&listing, index), (true, 0));
        }
        for _ in 0..2 {
            let (is_closed, spent) = spent(&listing, count - 1);
            assert!(is_closed && spent > effort::BYTE * 1_000, "{spent}");
        }
    }
}
