//! The detector: made once, shared by all, changed by nobody.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::compat::CompatText;
use crate::fields::{self, Field};
use crate::finding::{Finding, apart};
use crate::json::{self, TextPlace, Visitor};
use crate::kind::{Counts, Kind};
use crate::patterns::{PatternError, Patterns};
use crate::scan::scan;
use crate::settings::Settings;
use crate::values::{looks_like_address, looks_like_name, may_be_name, may_be_secret};

/// Finds personal data in texts. Its time grows with a text's length, and with nothing else.
#[derive(Debug, Clone)]
pub struct Detector {
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    /// The names of the kinds that are looked for; none: all.
    kinds: Option<BTreeSet<String>>,
    own: Option<Patterns>,
}

impl Parts {
    /// Whether the kind is looked for that the whole value of such a field is. What is not must not
    /// hide what else is in there.
    fn looks_for(&self, field: Field) -> bool {
        let name = match field {
            Field::Name | Field::SomeName | Field::Person => Kind::Name,
            Field::Address => Kind::Address,
            Field::Secret => Kind::Secret("key"),
            _ => return true,
        };
        let kinds = self.kinds.as_ref();
        kinds.is_none_or(|kinds| kinds.contains(name.name()))
    }
}

impl Detector {
    /// One that looks for what the settings say.
    ///
    /// # Errors
    ///
    /// [`PatternError`]: a pattern of the operator's can't be used, or a kind is none.
    pub fn new(settings: &Settings) -> Result<Self, PatternError> {
        let known = |kind: &&String| {
            Kind::BUILT_IN.contains(&kind.as_str()) || settings.patterns.contains_key(*kind)
        };
        let receivers = settings.to.iter().flatten();
        let given = receivers.flat_map(|receiver| receiver.kinds().unwrap_or_default());
        let mut named = settings.kinds.iter().flatten().chain(given);
        if let Some(unknown) = named.find(|kind| !known(kind)) {
            return Err(PatternError::Kind(unknown.clone()));
        }
        let kinds: Option<BTreeSet<String>> = settings
            .kinds
            .as_ref()
            .map(|kinds| kinds.iter().cloned().collect());
        let on = |name: &str| kinds.as_ref().is_none_or(|kinds| kinds.contains(name));
        let own = Patterns::of(settings, on)?;
        Ok(Self {
            parts: Arc::new(Parts { kinds, own }),
        })
    }

    /// What is in a text, in its order; no two overlap. Objects and arrays of JSON in it, each at the
    /// beginning of a line, are read as such, also within strings of JSON.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        self.find_in(text, None)
    }

    /// The same for the value of a field of this name, such as a parameter or a property of a schema.
    pub fn find_in(&self, text: &str, field: Option<&str>) -> Vec<Finding> {
        let mut reader = Reader {
            parts: &self.parts,
            frames: vec![Frame {
                field: field.and_then(fields::of),
                ..Frame::default()
            }],
            known: FxHashMap::default(),
            found: Vec::new(),
            scratch: Vec::new(),
        };
        json::walk(text, &mut reader);
        let mut found = reader.found;
        if let Some(kinds) = &self.parts.kinds {
            found.retain(|finding| kinds.contains(finding.kind.name()));
        }
        apart(found)
    }

    /// How much is in a text, by kind.
    pub fn count(&self, text: &str) -> Counts {
        let mut counts = Counts::default();
        for finding in self.find(text) {
            counts.add(finding.kind.name());
        }
        counts
    }
}

/// An object or array that is open, and what is known of it.
#[derive(Debug, Default)]
struct Frame {
    /// What the member that is read holds, or what holds the array.
    field: Option<Field>,
    /// Whether it is about a person.
    person: bool,
    /// Names that are a person's if it is.
    maybe: Vec<Finding>,
}

/// How many names of fields are remembered.
const MOST_KNOWN: usize = 1024;

/// Reads one text.
struct Reader<'d> {
    parts: &'d Parts,
    frames: Vec<Frame>,
    known: FxHashMap<Box<str>, Option<Field>>,
    found: Vec<Finding>,
    /// What was found in one string.
    scratch: Vec<Finding>,
}

impl Reader<'_> {
    fn field_of(&mut self, name: &str) -> Option<Field> {
        if let Some(field) = self.known.get(name) {
            return *field;
        }
        let field = fields::of(name);
        if self.known.len() < MOST_KNOWN {
            self.known.insert(name.into(), field);
        }
        field
    }

    fn field(&self) -> Option<Field> {
        self.frames.last().and_then(|frame| frame.field)
    }

    fn keep(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        text: &str,
        place: &TextPlace<'_>,
    ) -> Finding {
        let value = (!place.is_plain()).then(|| Box::from(&text[range.clone()]));
        Finding {
            kind,
            range: place.out_range(&range),
            value,
            number: None,
        }
    }

    /// What the whole value of a field is, by the field's name.
    fn whole(&mut self, text: &str, place: &TextPlace<'_>) -> bool {
        let trimmed = text.trim();
        let start = text.len() - text.trim_start().len();
        let range = start..start + trimmed.len();
        let parent = self
            .frames
            .len()
            .checked_sub(2)
            .map(|index| &self.frames[index]);
        let of_person = parent.is_some_and(|parent| parent.field == Some(Field::Person));
        let kind = match self.field().filter(|field| self.parts.looks_for(*field)) {
            Some(Field::Name) if may_be_name(trimmed) => Kind::Name,
            Some(Field::Person) if looks_like_name(trimmed, 2) => Kind::Name,
            Some(Field::SomeName) if looks_like_name(trimmed, 1) => {
                let sure = of_person || self.frames.last().is_some_and(|frame| frame.person);
                let finding = self.keep(Kind::Name, range, text, place);
                match self.frames.last_mut() {
                    Some(frame) if !sure => frame.maybe.push(finding),
                    _ => self.found.push(finding),
                }
                return true;
            }
            Some(Field::Address) if looks_like_address(trimmed) => Kind::Address,
            Some(Field::Secret) if may_be_secret(trimmed) => {
                // Which service's it is, if that can be seen.
                scan(text, None, false, &mut self.scratch);
                let known = self.scratch.iter().find_map(|found| match found.kind {
                    Kind::Secret(service) if found.range.len() * 2 > trimmed.len() => Some(service),
                    _ => None,
                });
                self.scratch.clear();
                Kind::Secret(known.unwrap_or("key"))
            }
            _ => return false,
        };
        let finding = self.keep(kind, range, text, place);
        self.found.push(finding);
        true
    }

    /// Looks at a text as it is read, where that is not as it is written.
    fn compatible(&mut self, text: &str) {
        let Some(compat) = CompatText::of(text) else {
            return;
        };
        let field = self.field();
        let before = self.scratch.len();
        scan(&compat.text, field, true, &mut self.scratch);
        if let Some(own) = &self.parts.own {
            own.find(&compat.text, &mut self.scratch);
        }
        for finding in &mut self.scratch[before..] {
            finding.range = compat.written(&finding.range, text);
        }
    }

    /// Takes what was found in a string to the whole text.
    fn take_out(&mut self, text: &str, place: &TextPlace<'_>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for finding in scratch.drain(..) {
            let finding = self.keep(finding.kind, finding.range, text, place);
            self.found.push(finding);
        }
        self.scratch = scratch;
    }
}

impl Visitor for Reader<'_> {
    fn text(&mut self, text: &str, place: &TextPlace<'_>) {
        let in_field = place.is_string || self.frames.len() == 1;
        let whole = in_field && self.whole(text, place);
        if !whole {
            let field = self.field();
            // Lines with labels are in long texts alone.
            let labels = !place.is_string || text.len() > 12;
            scan(text, field, labels, &mut self.scratch);
        }
        if let Some(own) = &self.parts.own {
            own.find(text, &mut self.scratch);
        }
        self.compatible(text);
        self.take_out(text, place);
    }

    fn member(&mut self, name: &str, place: &TextPlace<'_>) {
        // Names are data where objects are tables: `{"jane@example.com":3}`.
        let signs = |byte: u8| byte == b'@' || byte.is_ascii_digit();
        if name.bytes().any(signs) {
            scan(name, None, false, &mut self.scratch);
        }
        if let Some(own) = &self.parts.own {
            own.find(name, &mut self.scratch);
        }
        self.compatible(name);
        if !self.scratch.is_empty() {
            self.take_out(name, place);
        }
        let field = self.field_of(name);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.field = field;
        let says_person = matches!(
            field,
            Some(Field::Name | Field::Email | Field::Phone | Field::Id(_))
        );
        if says_person && !frame.person {
            frame.person = true;
            self.found.append(&mut frame.maybe);
        }
    }

    fn number(&mut self, number: &str, range: Range<usize>, level: u8) {
        // A number alone says nothing: its field has to.
        let field = self.field();
        if !matches!(field, Some(Field::Phone | Field::Card | Field::Id(_))) {
            return;
        }
        scan(number, field, false, &mut self.scratch);
        for finding in self.scratch.drain(..) {
            if finding.range == (0..number.len()) {
                self.found.push(Finding {
                    range: range.clone(),
                    value: Some(number.into()),
                    number: Some(level),
                    ..finding
                });
            }
        }
    }

    fn open(&mut self, object: bool) {
        let around = self.frames.last();
        let field = around.and_then(|frame| frame.field);
        // An array's items are what the field says; so are objects in an array of persons.
        let inherited = if object { None } else { field };
        self.frames.push(Frame {
            field: inherited,
            ..Frame::default()
        });
    }

    fn close(&mut self) {
        // The first frame is the text's own.
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }
}
