//! A document, and the files that it refers to.
//!
//! Documents in the wild are large and often not what the specification asks for: GitHub's has 12
//! MB, and one wrong value would make a typed reader refuse all of it. So a document stays a text,
//! with the places of what is looked up in it, and each part is parsed when somebody needs it.
//!
//! - `load`: where the text comes from; `yaml`: as JSON
//! - `index`: the places of its parts

mod index;
mod load;
mod yaml;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use ampoule_api::Source;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use self::index::Index;
use self::load::Stamp;

pub(crate) use self::load::{NextDocument, Reader};

/// How many references are followed from one to the next.
const MAX_REFERENCES: usize = 32;

/// How often a document may be parsed until its operations are known, and how much of it for one
/// operation besides, in bytes: parts that refer to large parts would take hours.
const PARSED_TIMES: u64 = 32;
const PARSED: u64 = 128 << 20;

/// Which of the specifications a document follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Swagger2,
    OpenApi30,
    /// 3.1 and later, whose schemas are JSON Schema.
    OpenApi31,
}

/// A part of a document, by the number of its file.
pub(crate) type Part<'v> = (usize, Cow<'v, Value>);

/// A document, and the files that it refers to.
pub(crate) struct Documents {
    /// The document first.
    files: Vec<File>,
    numbers: HashMap<Source, usize>,
    version: Version,
    /// How much may still be parsed for what is being made of the document, in bytes.
    room: AtomicU64,
}

struct File {
    source: Source,
    json: Box<str>,
    index: Index,
    /// When it was written, and how long it is, where it is on this machine.
    stamp: Option<Stamp>,
}

impl File {
    fn new(source: Source, json: String) -> Result<Self, String> {
        let index = Index::of(&json)?;
        Ok(Self {
            stamp: None,
            source,
            json: json.into(),
            index,
        })
    }
}

impl Documents {
    fn new(files: Vec<File>) -> Result<Self, String> {
        let numbers = files.iter().enumerate();
        let numbers = numbers.map(|(number, file)| (file.source.clone(), number));
        let mut documents = Self {
            numbers: numbers.collect(),
            files,
            version: Version::OpenApi31,
            room: AtomicU64::new(0),
        };
        let bytes = documents.files.iter().map(|file| file.json.len() as u64);
        let bytes = bytes.sum::<u64>();
        documents.room = (PARSED_TIMES * bytes + PARSED).into();
        documents.version = documents.read_version()?;
        Ok(documents)
    }

    /// One file of this text, which refers to no others.
    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Self {
        let source = Source::File("api.yaml".into());
        let json = load::json(text.to_owned(), &source).unwrap();
        Self::new(vec![File::new(source, json).unwrap()]).unwrap()
    }

    fn read_version(&self) -> Result<Version, String> {
        let text = |pointer| self.at(0, pointer).map(|value| spelled(&value));
        if let Some(swagger) = text("/swagger") {
            return match swagger.starts_with('2') {
                true => Ok(Version::Swagger2),
                false => Err(format!(
                    "it is written in Swagger {}, which Ampoule can't read",
                    short(&swagger)
                )),
            };
        }
        match text("/openapi") {
            Some(version) if version.starts_with("3.0") => Ok(Version::OpenApi30),
            Some(version) if version.starts_with("3.") => Ok(Version::OpenApi31),
            Some(version) => Err(format!(
                "it is written in OpenAPI {}, which Ampoule can't read",
                short(&version)
            )),
            None => Err(
                "it is not an OpenAPI document: it has neither `openapi` nor `swagger`".to_owned(),
            ),
        }
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Whether it may say something else by now: one of its files was written, or is at an address.
    pub(crate) fn may_differ(&self) -> bool {
        self.files.iter().any(|file| match &file.source {
            Source::File(path) => file.stamp.is_none() || load::stamp(path) != file.stamp,
            Source::Address(_) => true,
        })
    }

    /// Whether another one has the same files with the same texts.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let mut pairs = self.files.iter().zip(&other.files);
        self.files.len() == other.files.len()
            && pairs.all(|(one, other)| one.source == other.source && one.json == other.json)
    }

    /// Where the document itself is.
    pub(crate) fn source(&self) -> &Source {
        &self.files[0].source
    }

    /// What stands at a JSON pointer in a file.
    pub(crate) fn at(&self, file: usize, pointer: &str) -> Option<Value> {
        let file = self.files.get(file)?;
        let (place, rest) = file.index.find(pointer)?;
        self.take(place.len() as u64)?;
        let value: Value = serde_json::from_str(&file.json[place]).ok()?;
        match rest {
            "" => Some(value),
            rest => value.pointer(rest).cloned(),
        }
    }

    /// Notes that so much is parsed; nothing where there is no room for it.
    fn take(&self, bytes: u64) -> Option<()> {
        let taken = self
            .room
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| {
                room.checked_sub(bytes)
            });
        match taken {
            Ok(_) => Some(()),
            Err(_) => {
                self.room.store(0, Ordering::Relaxed);
                None
            }
        }
    }

    /// Makes room for what one operation takes and gives.
    pub(crate) fn make_room(&self) {
        self.room.fetch_max(PARSED, Ordering::Relaxed);
    }

    /// Whether more was to be parsed than there was room for.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.room.load(Ordering::Relaxed) == 0
    }

    /// The names of what is in an object at a pointer, and in its order.
    pub(crate) fn names(&self, file: usize, pointer: &str) -> Vec<String> {
        let known = &self.files[file];
        if let Some((place, "")) = known.index.find(pointer) {
            return index::names(&known.json[place]);
        }
        let value = self.at(file, pointer);
        let members = value.as_ref().and_then(Value::as_object);
        members
            .into_iter()
            .flat_map(|it| it.keys().cloned())
            .collect()
    }

    /// Where a reference leads: a file's number, and a JSON pointer.
    pub(crate) fn target(&self, file: usize, reference: &str) -> Option<(usize, String)> {
        let (other, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let file = match other {
            "" => file,
            other => {
                let source = beside(&self.files.get(file)?.source, other)?;
                *self.numbers.get(&source)?
            }
        };
        let pointer = percent_decode_str(fragment).decode_utf8().ok()?;
        (pointer.is_empty() || pointer.starts_with('/')).then(|| (file, pointer.into_owned()))
    }

    /// The part that is meant: itself, or what its `$ref` leads to. Nothing where that is nothing.
    pub(crate) fn meant<'v>(&self, file: usize, value: &'v Value) -> Option<Part<'v>> {
        let mut part: Part<'v> = (file, Cow::Borrowed(value));
        for _ in 0..MAX_REFERENCES {
            let Some(reference) = part.1.get("$ref").and_then(Value::as_str) else {
                return Some(part);
            };
            let (file, pointer) = self.target(part.0, reference)?;
            part = (file, Cow::Owned(self.at(file, &pointer)?));
        }
        None
    }
}

/// What a reference names, relative to a source; of an address, only what is at the same origin.
/// Whether a file may be read, [`Reader`] decides.
fn beside(source: &Source, other: &str) -> Option<Source> {
    match source {
        Source::Address(url) => {
            let next = url.join(other).ok()?;
            (next.origin() == url.origin()).then_some(Source::Address(next))
        }
        Source::File(path) => {
            let other = percent_decode_str(other).decode_utf8().ok()?;
            let mut next = path.parent()?.to_owned();
            for step in other.split('/') {
                match step {
                    "" | "." => {}
                    ".." => {
                        next.pop().then_some(())?;
                    }
                    step => next.push(step),
                }
            }
            (!other.starts_with('/')).then_some(Source::File(next))
        }
    }
}

/// A version, also where it is written as a number.
fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn short(text: &str) -> Cow<'_, str> {
    ampoule_untrusted::text::one_line(&text[..text.floor_char_boundary(40)])
}

/// A name as a part of a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
