//! The places of a document's parts, so that one is read without the others.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::escaped;

/// How deep places are known: `/components/schemas/Pet`, `/paths/~1pets/get`.
const LEVELS: usize = 3;

/// How many places are kept of a file. The largest documents that are known have a tenth of it.
const MAX_PLACES: usize = 1 << 20;

/// The places of what stands in objects, by JSON pointers.
pub(super) struct Index(HashMap<Box<str>, Range<usize>>);

impl Index {
    /// Looks through a JSON text once for each level.
    ///
    /// # Errors
    ///
    /// Why it is not a JSON object.
    pub(super) fn of(json: &str) -> Result<Self, String> {
        let mut places = HashMap::new();
        let whole = json.len() - json.trim_start().len();
        if !json[whole..].starts_with('{') {
            return Err("it is not an object".to_owned());
        }
        places.insert(Box::from(""), whole..json.trim_end().len());
        let mut open = vec![(String::new(), 0, whole..json.len())];
        while let Some((pointer, level, place)) = open.pop() {
            for (name, value) in members(&json[place]).map_err(|error| error.to_string())? {
                let begin = value.as_ptr() as usize - json.as_ptr() as usize;
                let place = begin..begin + value.len();
                let pointer = format!("{pointer}/{}", escaped(&name));
                if level + 1 < LEVELS && value.starts_with('{') {
                    open.push((pointer.clone(), level + 1, place.clone()));
                }
                places.insert(pointer.into(), place);
                if places.len() > MAX_PLACES {
                    return Err(format!("it has more than {MAX_PLACES} parts"));
                }
            }
        }
        Ok(Self(places))
    }

    /// The place that leads on to a pointer, and what of the pointer remains.
    pub(super) fn find<'p>(&self, pointer: &'p str) -> Option<(Range<usize>, &'p str)> {
        let ends = pointer.match_indices('/').map(|(at, _)| at);
        let ends: Vec<usize> = ends.skip(1).take(LEVELS).chain([pointer.len()]).collect();
        let known = |end: &usize| self.0.get(&pointer[..*end]).map(|place| (place, *end));
        let (place, end) = ends.iter().rev().find_map(known)?;
        Some((place.clone(), &pointer[end..]))
    }
}

/// The names of an object's members.
pub(super) fn names(json: &str) -> Vec<String> {
    let members = members(json).unwrap_or_default();
    members
        .into_iter()
        .map(|(name, _)| name.into_owned())
        .collect()
}

/// An object's members, unparsed.
fn members(json: &str) -> Result<Vec<(Cow<'_, str>, &str)>, serde_json::Error> {
    struct Members;

    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(Cow<'de, str>, &'de str)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(Name(name)) = map.next_key()? {
                members.push((name, map.next_value::<&RawValue>()?.get()));
            }
            Ok(members)
        }
    }

    serde_json::Deserializer::from_str(json).deserialize_map(Members)
}

/// A name, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
