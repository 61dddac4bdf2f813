//! Words, of names and texts, that say that a source may do something of which nothing is proved
//! afterwards.

/// Words by which a source changes what all objects have, or what names mean.
pub(super) const HIDING: [&str; 13] = [
    "Function",
    "Proxy",
    "__defineGetter__",
    "__defineSetter__",
    "__proto__",
    "defineProperties",
    "defineProperty",
    "eval",
    "global",
    "globalThis",
    "prototype",
    "setPrototypeOf",
    "toJSON",
];

/// Words of what takes the errors of promises, or expects them.
pub(super) const CATCHING: [&str; 11] = [
    "Promise",
    "allSettled",
    "any",
    "catch",
    "doesNotReject",
    "finally",
    "race",
    "rejects",
    "then",
    "throws",
    "toThrow",
];

/// Words of what may give any property to any object.
pub(super) const GIVING: [&str; 8] = [
    "Object",
    "Reflect",
    "assign",
    "copyWithin",
    "fill",
    "push",
    "splice",
    "unshift",
];

/// Whether a method gives a list other items. Those are words of what may give any property, too.
pub(super) fn fills(method: &str) -> bool {
    may_be_one(method)
        && matches!(
            method,
            "copyWithin" | "fill" | "push" | "splice" | "unshift"
        )
}

/// Words of what may end a script from a function of it.
pub(super) const ENDING: [&str; 2] = ["exit", "reject"];

/// Whether a word may be one of these, by its place: most are not, and looking for them takes much
/// more.
static MAY_BE_ONE: [bool; PLACES] = {
    let mut places = [false; PLACES];
    let lists: [&[&str]; 4] = [&HIDING, &CATCHING, &GIVING, &ENDING];
    let mut list = 0;
    while list < lists.len() {
        let mut word = 0;
        while word < lists[list].len() {
            places[place(lists[list][word])] = true;
            word += 1;
        }
        list += 1;
    }
    places
};
const PLACES: usize = 256;

const fn place(word: &str) -> usize {
    match word.as_bytes() {
        [first, .., last] => (word.len() * 41 + *first as usize * 7 + *last as usize) % PLACES,
        _ => 0,
    }
}

/// Whether a word may be one of these.
pub(super) fn may_be_one(word: &str) -> bool {
    MAY_BE_ONE[place(word)]
}
