//! Names that exist side by side.

use std::collections::{HashMap, HashSet};

use super::{HASH_DIGITS, Style, canonical, identifier, with_hash};

/// Names side by side, such as a server's tools: an identifier for each, and the way back.
///
/// Where names would share an identifier, the one that is that identifier already keeps it, and
/// each other one gets a hash of its name: `get-x` and `get_x` become `getX_h5f0c1d` and
/// `getX_h88a2e4`. So no name takes another's place when the list changes.
#[derive(Debug, Clone, Default)]
pub struct Names {
    names: Vec<String>,
    identifiers: Vec<String>,
    exact: HashMap<String, usize>,
    lenient: HashMap<String, Vec<usize>>,
}

/// What [`Names::find`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// The name at this index.
    One(usize),
    /// No name matches exactly, and these differ from it only in case and punctuation.
    Ambiguous(Vec<usize>),
    /// No such name.
    Nothing,
}

impl Names {
    /// Takes the names in any order. Of two that are the same, [`find`](Self::find) sees the first.
    pub fn new<I>(names: I, style: Style) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let identifiers = identifiers(&names, style);
        let mut exact = HashMap::with_capacity(2 * names.len());
        let mut lenient: HashMap<String, Vec<usize>> = HashMap::with_capacity(names.len());
        for source in [&names, &identifiers] {
            for (index, name) in source.iter().enumerate() {
                exact.entry(name.clone()).or_insert(index);
                lenient.entry(canonical(name)).or_default().push(index);
            }
        }
        for alike in lenient.values_mut() {
            alike.sort_unstable();
            alike.dedup();
        }
        Self {
            names,
            identifiers,
            exact,
            lenient,
        }
    }

    /// Names whose identifiers somebody else has chosen, no two the same. They are found by these
    /// two alone.
    pub fn given(names: impl IntoIterator<Item = (String, String)>) -> Self {
        let (names, identifiers): (Vec<_>, Vec<_>) = names.into_iter().unzip();
        let both = [&names, &identifiers].into_iter();
        let exact = both
            .flat_map(|names| names.iter().cloned().zip(0..))
            .collect();
        Self {
            names,
            identifiers,
            exact,
            lenient: HashMap::new(),
        }
    }

    /// Whether it is one of the names, or of their identifiers, to the letter.
    pub fn has(&self, name: &str) -> bool {
        self.exact.contains_key(name)
    }

    /// The names, as they were given.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The identifiers, in the order of the names; no two are the same.
    pub fn identifiers(&self) -> &[String] {
        &self.identifiers
    }

    /// Finds a name by itself, by its identifier, or by anything that differs from those only in
    /// case and punctuation. An exact match goes first.
    pub fn find(&self, asked: &str) -> Lookup {
        if let Some(&index) = self.exact.get(asked) {
            return Lookup::One(index);
        }
        match self.lenient.get(&canonical(asked)).map(Vec::as_slice) {
            None | Some([]) => Lookup::Nothing,
            Some([index]) => Lookup::One(*index),
            Some(several) => Lookup::Ambiguous(several.to_vec()),
        }
    }
}

/// An identifier for each name, no two the same.
pub fn identifiers<N: AsRef<str>>(names: &[N], style: Style) -> Vec<String> {
    let plain: Vec<String> = names
        .iter()
        .map(|name| identifier(name.as_ref(), style))
        .collect();
    let different: HashSet<&str> = plain.iter().map(String::as_str).collect();
    if different.len() == plain.len() {
        return plain;
    }
    apart(names, &plain, style)
}

/// Identifiers that are the same, told apart.
fn apart<N: AsRef<str>>(names: &[N], plain: &[String], style: Style) -> Vec<String> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut wanted: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    for identifier in plain {
        *wanted.entry(identifier).or_default() += 1;
    }
    let mut taken: HashSet<String> = HashSet::with_capacity(names.len());
    let mut assigned = vec![None; names.len()];
    for index in 0..names.len() {
        let alone = wanted[plain[index].as_str()] == 1 || plain[index] == names[index];
        if alone && taken.insert(plain[index].clone()) {
            assigned[index] = Some(plain[index].clone());
        }
    }
    // The rest in the order of their names, so that the list's order decides nothing.
    let mut rest: Vec<usize> = (0..names.len())
        .filter(|&index| assigned[index].is_none())
        .collect();
    rest.sort_by(|&a, &b| names[a].cmp(names[b]));
    let mut repeated = (usize::MAX, 0);
    for index in rest {
        // The same name again is distinguished by how often it was there.
        let again = names
            .get(repeated.0)
            .is_some_and(|before| *before == names[index]);
        repeated = (index, if again { repeated.1 + 1 } else { 0 });
        assigned[index] = Some(distinct(
            names[index],
            repeated.1,
            &plain[index],
            style,
            &mut taken,
        ));
    }
    assigned.into_iter().flatten().collect()
}

/// `identifier` with as much of a hash of `name` as makes it differ from those that are `taken`.
fn distinct(
    name: &str,
    repetition: usize,
    identifier: &str,
    style: Style,
    taken: &mut HashSet<String>,
) -> String {
    let mut hashed = if repetition == 0 {
        name.to_owned()
    } else {
        format!("{name}\0{repetition}")
    };
    loop {
        for digits in [HASH_DIGITS, 2 * HASH_DIGITS] {
            let candidate = with_hash(identifier, &hashed, style, digits);
            if taken.insert(candidate.clone()) {
                return candidate;
            }
        }
        hashed.push('\0');
    }
}
