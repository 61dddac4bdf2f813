//! What CLDR says of locales: names, patterns and symbols, as `locales/generate.mjs` packs them.
//!
//! The data is read-only: a run that asks for no locale touches none of it, and one that does has a
//! language's slice in its memory. A locale has sections; a section has a line for each of its keys,
//! which all locales share.

use std::cell::RefCell;

use miniz_oxide::inflate::decompress_to_vec;
use rquickjs::{Array, Ctx, Function, Object, Result};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("findLocale", Function::new(ctx.clone(), find)?)?;
    native.set("localeNames", Function::new(ctx.clone(), names)?)?;
    native.set("localeText", Function::new(ctx.clone(), text)?)?;
    native.set("localeKeys", Function::new(ctx.clone(), keys)?)?;
    Ok(())
}

static PACKED: Packed<'static> = Packed(include_bytes!("../../locales/locales.bin"));

/// Texts, behind the places where each begins, and the last one ends.
#[derive(Clone, Copy)]
struct Packed<'a>(&'a [u8]);

impl<'a> Packed<'a> {
    fn bytes(self, number: usize) -> &'a [u8] {
        let place = |number: usize| {
            let bytes = self.0[4 * number..].first_chunk();
            u32::from_le_bytes(*bytes.expect("the places are there")) as usize
        };
        &self.0[place(number)..place(number + 1)]
    }

    fn text(self, number: usize) -> &'a str {
        str::from_utf8(self.bytes(number)).expect("it was made of texts")
    }
}

/// Before the lines of a section: how many keys are the parent's.
const SKIPPED: char = '\x01';
/// A line for what the parent has and the locale has not.
const ABSENT: &str = "\x02";

/// What there is, and what of it was asked for.
struct Locales {
    locales: Vec<Locale>,
    sections: Vec<Section>,
    /// Behind the texts that say what there is, a slice for each language and group of sections.
    first_slice: usize,
    groups: usize,
    /// Slices, as they were before they were compressed, by their numbers.
    slices: Vec<(usize, Vec<u8>)>,
}

struct Locale {
    tag: &'static str,
    parent: Option<usize>,
    language: usize,
    /// Which of its language it is, and how many that has.
    place: usize,
    count: usize,
}

#[derive(Clone, Copy)]
struct Section {
    name: &'static str,
    keys: &'static str,
    group: usize,
    /// Which of its group it is.
    place: usize,
}

thread_local! {
    static LOCALES: RefCell<Option<Locales>> = const { RefCell::new(None) };
}

impl Locales {
    /// Calls a function with what there is, which is read when it is first asked for.
    fn with<T>(use_them: impl FnOnce(&mut Self) -> T) -> T {
        LOCALES.with_borrow_mut(|locales| use_them(locales.get_or_insert_with(Self::read)))
    }

    fn read() -> Self {
        let mut sections: Vec<Section> = Vec::new();
        for (number, line) in PACKED.text(0).split('\n').enumerate() {
            let (name, group) = line.split_once('\t').expect("a name and a group");
            let group = group.parse().expect("a number");
            let same = sections.iter().filter(|section| section.group == group);
            sections.push(Section {
                name,
                keys: PACKED.text(2 + number),
                group,
                place: same.count(),
            });
        }
        let mut locales: Vec<Locale> = Vec::new();
        for line in PACKED.text(1).split('\n') {
            let mut parts = line.split('\t');
            let mut next = || parts.next().expect("a tag, a parent and a language");
            let (tag, parent) = (next(), next().parse().ok());
            let language = next().parse().expect("a number");
            let (place, count) = (0, 0);
            locales.push(Locale {
                tag,
                parent,
                language,
                place,
                count,
            });
        }
        // Those of a language lie together.
        for of in locales.chunk_by_mut(|one, next| one.language == next.language) {
            let count = of.len();
            for (place, locale) in of.iter_mut().enumerate() {
                (locale.place, locale.count) = (place, count);
            }
        }
        Self {
            first_slice: 2 + sections.len(),
            groups: sections
                .iter()
                .map(|section| section.group + 1)
                .max()
                .unwrap_or(0),
            locales,
            sections,
            slices: Vec::new(),
        }
    }

    fn section(&self, name: &str) -> Option<Section> {
        self.sections
            .iter()
            .find(|section| section.name == name)
            .copied()
    }

    /// Looks at the lines that a locale has of its own in a section, and then at those of its
    /// parents, until something is found.
    fn look<T>(
        &mut self,
        locale: usize,
        section: Section,
        mut at: impl FnMut(&mut dyn Iterator<Item = (usize, &str)>) -> Option<T>,
    ) -> Option<T> {
        let mut next = Some(locale);
        while let Some(number) = next {
            let locale = self.locales.get(number)?;
            next = locale.parent;
            let text = section.place * locale.count + locale.place;
            let slice = self.first_slice + locale.language * self.groups + section.group;
            let Some(slice) = self.slice(slice) else {
                continue;
            };
            if let Some(found) = at(&mut lines(Packed(slice).text(text))) {
                return Some(found);
            }
        }
        None
    }

    /// A slice, if there is anything in it.
    fn slice(&mut self, number: usize) -> Option<&[u8]> {
        let kept = self.slices.iter().position(|(one, _)| *one == number);
        let place = kept.unwrap_or_else(|| {
            let slice = match PACKED.bytes(number) {
                [] => Vec::new(),
                packed => decompress_to_vec(packed).expect("it was compressed"),
            };
            self.slices.push((number, slice));
            self.slices.len() - 1
        });
        let slice = self.slices[place].1.as_slice();
        (!slice.is_empty()).then_some(slice)
    }
}

/// The lines that a locale has of its own, with the numbers of their keys.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut key = 0;
    text.lines().filter_map(move |line| {
        if let Some(skipped) = line.strip_prefix(SKIPPED) {
            key += skipped.parse().unwrap_or(0);
            return None;
        }
        key += 1;
        Some((key - 1, line))
    })
}

/// The number of a locale, by its tag.
fn find(tag: String) -> Option<u32> {
    let place = Locales::with(|all| all.locales.iter().position(|one| one.tag == tag))?;
    u32::try_from(place).ok()
}

/// The tags of all locales.
fn names() -> Vec<&'static str> {
    Locales::with(|all| all.locales.iter().map(|locale| locale.tag).collect())
}

/// What a locale or one of its parents has at a key.
fn text(locale: u32, section: String, key: String) -> Option<String> {
    let value = Locales::with(|all| {
        let section = all.section(&section)?;
        let key = section.keys.split('\n').position(|one| one == key)?;
        all.look(locale as usize, section, |lines| {
            for (at, value) in lines {
                if at >= key {
                    return (at == key).then(|| value.to_owned());
                }
            }
            None
        })
    });
    value.filter(|value| value != ABSENT)
}

/// The keys of a section that a locale has, each with its value after it.
fn keys(ctx: Ctx<'_>, locale: u32, section: String) -> Result<Array<'_>> {
    let flat = Array::new(ctx)?;
    let Some(section) = Locales::with(|all| all.section(&section)) else {
        return Ok(flat);
    };
    let mut values = vec![None; section.keys.split('\n').count()];
    // Nothing is found before the last parent, so that all are looked at.
    Locales::with(|all| {
        all.look(locale as usize, section, |lines| {
            for (key, value) in lines {
                if let Some(slot @ None) = values.get_mut(key) {
                    *slot = Some(value.to_owned());
                }
            }
            None::<()>
        })
    });
    for (key, value) in section.keys.split('\n').zip(values) {
        if let Some(value) = value.filter(|value| value != ABSENT) {
            flat.set(flat.len(), key)?;
            flat.set(flat.len(), value)?;
        }
    }
    Ok(flat)
}
