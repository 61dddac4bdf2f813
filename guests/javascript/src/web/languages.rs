//! What languages do, by ICU4X: tags, plurals, the order of strings, segments, cases.

use std::cell::RefCell;

use fixed_decimal::CompactDecimal;
use icu_casemap::CaseMapper;
use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_locale::{Locale, LocaleCanonicalizer, LocaleExpander};
use icu_plurals::{
    PluralCategory, PluralOperands, PluralRuleType, PluralRules, PluralRulesOptions,
    PluralRulesWithRanges,
};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{GraphemeClusterSegmenter, SentenceSegmenter, WordSegmenter};
use rquickjs::{Function, Object, Result, String as JsString};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("canonicalLocale", Function::new(ctx.clone(), canonical)?)?;
    native.set("maximizeLocale", Function::new(ctx.clone(), maximize)?)?;
    native.set("minimizeLocale", Function::new(ctx.clone(), minimize)?)?;
    native.set("pluralOf", Function::new(ctx.clone(), plural)?)?;
    native.set("pluralOfRange", Function::new(ctx.clone(), plural_range)?)?;
    native.set("pluralsOf", Function::new(ctx.clone(), plurals)?)?;
    native.set("compareText", Function::new(ctx.clone(), compare)?)?;
    native.set("segmentText", Function::new(ctx.clone(), segment)?)?;
    native.set("upperCase", Function::new(ctx.clone(), upper)?)?;
    native.set("lowerCase", Function::new(ctx.clone(), lower)?)?;
    Ok(())
}

fn locale(tag: &str) -> Locale {
    tag.parse().unwrap_or(Locale::UNKNOWN)
}

/// The tag as CLDR writes it, if it is one.
fn canonical(tag: String) -> Option<String> {
    let mut locale: Locale = tag.parse().ok()?;
    LocaleCanonicalizer::new_extended().canonicalize(&mut locale);
    Some(locale.to_string())
}

/// The tag with what is likely of language, script and region.
fn maximize(tag: String) -> String {
    let mut locale = locale(&tag);
    LocaleExpander::new_extended().maximize(&mut locale.id);
    locale.to_string()
}

/// The tag without what is likely anyway.
fn minimize(tag: String) -> String {
    let mut locale = locale(&tag);
    LocaleExpander::new_extended().minimize(&mut locale.id);
    locale.to_string()
}

fn rules(tag: &str, is_ordinal: bool) -> Option<PluralRules> {
    PluralRules::try_new(locale(tag).into(), options(is_ordinal)).ok()
}

fn options(is_ordinal: bool) -> PluralRulesOptions {
    let kind = if is_ordinal {
        PluralRuleType::Ordinal
    } else {
        PluralRuleType::Cardinal
    };
    PluralRulesOptions::default().with_type(kind)
}

fn category_name(category: PluralCategory) -> &'static str {
    match category {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    }
}

fn operands(number: &str) -> Option<PluralOperands> {
    Some(PluralOperands::from(
        &number.parse::<CompactDecimal>().ok()?,
    ))
}

/// The plural category of a number as it is written, with `c` before a compact exponent.
fn plural(tag: String, is_ordinal: bool, number: String) -> &'static str {
    let category = rules(&tag, is_ordinal).zip(operands(&number));
    category.map_or("other", |(rules, number)| {
        category_name(rules.category_for(number))
    })
}

fn plural_range(tag: String, is_ordinal: bool, start: String, end: String) -> &'static str {
    let rules = PluralRulesWithRanges::try_new(locale(&tag).into(), options(is_ordinal)).ok();
    let category = rules.zip(operands(&start).zip(operands(&end)));
    category.map_or("other", |(rules, (start, end))| {
        category_name(rules.category_for_range(start, end))
    })
}

/// The plural categories of a language.
fn plurals(tag: String, is_ordinal: bool) -> Vec<&'static str> {
    let rules = rules(&tag, is_ordinal);
    let categories = rules.map(|rules| rules.categories().map(category_name).collect());
    categories.unwrap_or_else(|| vec!["other"])
}

thread_local! {
    /// The collator that was used last: sorting compares many strings with one.
    static COLLATOR: RefCell<Option<(String, u32, CollatorBorrowed<'static>)>> =
        const { RefCell::new(None) };
}

/// What [`compare`] answers for strings that are not well-formed.
const NOT_WELL_FORMED: i32 = 2;

/// Compares two strings: -1, 0 or 1.
fn compare(a: JsString<'_>, b: JsString<'_>, tag: String, options: u32) -> i32 {
    let (Ok(a), Ok(b)) = (a.to_string(), b.to_string()) else {
        return NOT_WELL_FORMED;
    };
    COLLATOR.with_borrow_mut(|kept| {
        let is_same = |(kept, of, _): &&mut (String, u32, _)| *of == options && *kept == tag;
        if kept.as_mut().filter(is_same).is_none() {
            *kept = collator(&tag, options).map(|collator| (tag, options, collator));
        }
        kept.as_ref().map_or_else(
            || a.cmp(&b) as i32,
            |(_, _, collator)| collator.compare(&a, &b) as i32,
        )
    })
}

/// A collator with options as the prelude packs them.
fn collator(tag: &str, options: u32) -> Option<CollatorBorrowed<'static>> {
    let mut preferences = CollatorPreferences::from(locale(tag));
    if options & 4 != 0 {
        preferences.numeric_ordering = Some(CollationNumericOrdering::True);
    }
    preferences.case_first = match options >> 4 {
        1 => Some(CollationCaseFirst::Upper),
        2 => Some(CollationCaseFirst::Lower),
        3 => Some(CollationCaseFirst::False),
        _ => preferences.case_first,
    };
    let mut collation = CollatorOptions::default();
    let (strength, cases) = match options & 3 {
        0 => (Strength::Primary, CaseLevel::Off),
        1 => (Strength::Secondary, CaseLevel::Off),
        2 => (Strength::Primary, CaseLevel::On),
        _ => (Strength::Tertiary, CaseLevel::Off),
    };
    collation.strength = Some(strength);
    collation.case_level = Some(cases);
    if options & 8 != 0 {
        collation.alternate_handling = Some(AlternateHandling::Shifted);
    }
    CollatorBorrowed::try_new(preferences, collation).ok()
}

/// Where segments end, each followed by whether it is like a word.
fn segment(text: String, granularity: String) -> Vec<u32> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let flat = |(end, is_word): (usize, bool)| [end as u32, u32::from(is_word)];
    match granularity.as_str() {
        "word" => WordSegmenter::new_lstm(WordBreakInvariantOptions::default())
            .segment_utf16(&units)
            .iter_with_word_type()
            .map(|(end, kind)| flat((end, kind.is_word_like())))
            .collect::<Vec<_>>()
            .concat(),
        "sentence" => SentenceSegmenter::new(Default::default())
            .segment_utf16(&units)
            .flat_map(|end| flat((end, false)))
            .collect(),
        _ => GraphemeClusterSegmenter::new()
            .segment_utf16(&units)
            .flat_map(|end| flat((end, false)))
            .collect(),
    }
}

fn upper(text: String, tag: String) -> String {
    let mapper = CaseMapper::new();
    mapper
        .uppercase_to_string(&text, &locale(&tag).id)
        .into_owned()
}

fn lower(text: String, tag: String) -> String {
    let mapper = CaseMapper::new();
    mapper
        .lowercase_to_string(&text, &locale(&tag).id)
        .into_owned()
}
