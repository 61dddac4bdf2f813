//! A reader of OpenMetrics text that takes nothing but what the standard allows.

use std::collections::{BTreeMap, HashSet};

/// What was read: each sample's value, by its name and labels as they are written.
pub(crate) struct Samples(BTreeMap<String, f64>);

impl Samples {
    /// The value of a sample that is there.
    pub(crate) fn get(&self, sample: &str) -> f64 {
        let value = self.0.get(sample).copied();
        value.unwrap_or_else(|| panic!("no {sample} among {:#?}", self.0.keys()))
    }

    /// How many samples have names that begin so.
    pub(crate) fn beginning(&self, with: &str) -> usize {
        self.0.keys().filter(|name| name.starts_with(with)).count()
    }
}

#[derive(Default)]
struct Family {
    name: String,
    kind: String,
    /// How much each series of a histogram counted.
    counts: BTreeMap<String, f64>,
    /// The last bucket of each.
    buckets: BTreeMap<String, (f64, f64)>,
}

/// # Panics
///
/// Where the text is not as the standard has it.
pub(crate) fn read(text: &str) -> Samples {
    let lines = text.strip_suffix("# EOF\n").expect("no end").lines();
    let (mut samples, mut families) = (BTreeMap::new(), HashSet::new());
    let mut family = Family::default();
    for line in lines {
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.splitn(3, ' ');
            let (what, name) = (words.next().unwrap(), words.next().unwrap());
            let rest = words.next().expect(line);
            if family.name != name {
                assert!(families.insert(name.to_owned()), "{name} twice");
                family = Family {
                    name: name.to_owned(),
                    ..Family::default()
                };
            }
            match what {
                "TYPE" => family.kind = rest.to_owned(),
                "UNIT" => assert!(name.ends_with(&format!("_{rest}")), "{line}"),
                "HELP" => assert!(rest.ends_with('.'), "{line}"),
                _ => panic!("{line}"),
            }
        } else {
            let (sample, value) = line.rsplit_once(' ').expect(line);
            let value: f64 = value.parse().expect(line);
            family.check(sample, value);
            assert!(
                samples.insert(sample.to_owned(), value).is_none(),
                "{line} twice"
            );
        }
    }
    Samples(samples)
}

impl Family {
    fn check(&mut self, sample: &str, value: f64) {
        let (name, labels) = match sample.split_once('{') {
            Some((name, labels)) => (name, labels.strip_suffix('}').expect(sample)),
            None => (sample, ""),
        };
        let labels = labels_of(labels);
        let suffix = name.strip_prefix(&self.name).expect(sample);
        match (&*self.kind, suffix) {
            ("counter", "_total") | ("histogram", "_sum") => assert!(value >= 0.0, "{sample}"),
            ("gauge", "") => {}
            ("histogram", "_bucket") => {
                let (bounds, others): (Vec<_>, Vec<_>) =
                    labels.into_iter().partition(|(name, _)| name == "le");
                let [(_, bound)] = &bounds[..] else {
                    panic!("{sample}");
                };
                let bound: f64 = bound.parse().expect(sample);
                let series = format!("{others:?}");
                if bound.is_infinite() {
                    assert_eq!(self.counts.get(&series), Some(&value), "{sample}");
                }
                let last = self.buckets.insert(series, (bound, value));
                let (last_bound, last_value) = last.unwrap_or((f64::NEG_INFINITY, 0.0));
                assert!(bound > last_bound && value >= last_value, "{sample}");
            }
            ("histogram", "_count") => {
                self.counts.insert(format!("{labels:?}"), value);
            }
            _ => panic!("{sample} in a {} called {}", self.kind, self.name),
        }
    }
}

fn labels_of(text: &str) -> Vec<(String, String)> {
    let (mut labels, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (name, value) = rest.split_once("=\"").expect(text);
        let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
        assert!(!name.is_empty() && name.chars().all(named), "{text}");
        let (mut shown, mut chars) = (String::new(), value.char_indices());
        let end = loop {
            match chars.next().expect(text) {
                (at, '"') => break at,
                (_, '\\') => match chars.next().expect(text).1 {
                    c @ ('\\' | '"') => shown.push(c),
                    'n' => shown.push('\n'),
                    _ => panic!("{text}"),
                },
                (_, c) => shown.push(c),
            }
        };
        labels.push((name.to_owned(), shown));
        rest = &value[end + 1..];
        assert!(rest.is_empty() || rest.starts_with(','), "{text}");
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    labels
}
