//! The search of the site: what a stranger asks finds the page that answers it.
//!
//! The index is made by the library that mdBook makes it with, of the same sections, and is searched
//! in the way of elasticlunr.js, which does so in a browser.

use std::collections::HashMap;

use ampoule_tests::repository;
use elasticlunr::{IndexBuilder, Pipeline, lang};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use super::read;

/// Questions of the people for whom the documents are, each with the page that answers it.
const QUESTIONS: &str = include_str!("questions.txt");
/// How many results a reader looks at.
const LOOKED_AT: usize = 5;
/// Longer words are not in the index, as mdBook has it.
const LONGEST_WORD: usize = 80;
/// By how much what only begins with a word counts less than the word.
const EXPANDED: f64 = 0.15;

/// A part of a page below a heading, as the index has it.
#[derive(Default)]
struct Section {
    title: String,
    body: String,
    /// The chapters above it, and its heading.
    breadcrumbs: Vec<String>,
}

/// The sections of a chapter.
fn sections(text: &str, chapters: &[String]) -> Vec<Section> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut found: Vec<Section> = Vec::new();
    let mut is_heading = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level <= HeadingLevel::H3 => {
                is_heading = true;
                found.push(Section {
                    breadcrumbs: chapters.to_vec(),
                    ..Section::default()
                });
            }
            Event::End(TagEnd::Heading(level)) if level <= HeadingLevel::H3 => {
                is_heading = false;
                let section = found.last_mut().expect("its heading began");
                section.breadcrumbs.push(section.title.clone());
            }
            event => {
                let Some(section) = found.last_mut() else {
                    continue;
                };
                let part = if is_heading {
                    &mut section.title
                } else {
                    &mut section.body
                };
                match event {
                    Event::Text(text) | Event::Code(text) => *part += &text,
                    _ => part.push(' '),
                }
            }
        }
    }
    found
}

/// The words of a text, as they are indexed.
fn words(text: &str) -> Vec<String> {
    let mut words = lang::tokenize_whitespace(text);
    words.retain(|word| word.len() <= LONGEST_WORD);
    words
}

/// What a search looks at, and by how much that counts.
struct Field {
    name: &'static str,
    boost: f64,
}

/// The site as its search sees it.
struct Site {
    /// The page of each section.
    pages: Vec<String>,
    index: Value,
    fields: [Field; 3],
    pipeline: Pipeline,
}

impl Site {
    fn new() -> Self {
        let docs = repository().join("docs");
        let settings: toml::Table = read(&docs.join("book.toml")).parse().expect("TOML");
        let settings = &settings["output"]["html"]["search"];
        assert_eq!(
            settings["use-boolean-and"].as_bool(),
            Some(false),
            "a question finds nothing where each of its words must be there"
        );
        let boost = |key: &str, default: f64| {
            let boost = settings.get(key).and_then(toml::Value::as_integer);
            boost.map_or(default, |boost| boost as f64)
        };
        let fields = [("title", 2.0), ("body", 1.0), ("breadcrumbs", 1.0)];
        let keys = ["boost-title", "boost-paragraph", "boost-hierarchy"];
        let boosts = keys
            .iter()
            .zip(fields)
            .map(|(key, (_, default))| boost(key, default));
        let boosts: Vec<_> = boosts.collect();
        let index = fields.iter().fold(IndexBuilder::new(), |index, (name, _)| {
            index.add_field_with_tokenizer(name, Box::new(words))
        });
        let mut index = index.build();
        let (mut pages, mut above) = (Vec::new(), Vec::new());
        for line in read(&docs.join("SUMMARY.md")).lines() {
            let Some((before, link)) = line.split_once('[') else {
                continue;
            };
            let (name, path) = link.split_once("](").expect("a link");
            above.truncate(before.len().saturating_sub(2) / 2);
            above.push(name.to_owned());
            let page = path.trim_end_matches(')');
            for section in sections(&read(&docs.join(page)), &above) {
                let breadcrumbs = section.breadcrumbs.join(" » ");
                let place = pages.len().to_string();
                index.add_doc(&place, [&section.title, &section.body, &breadcrumbs]);
                pages.push(page.to_owned());
            }
        }
        Self {
            pages,
            index: serde_json::from_str(&index.to_json()).expect("JSON"),
            fields: std::array::from_fn(|at| Field {
                name: fields[at].0,
                boost: boosts[at],
            }),
            pipeline: lang::from_code("en").expect("English").make_pipeline(),
        }
    }

    /// The pages of the sections that are found, the best first.
    fn search(&self, words: &str) -> Vec<&str> {
        let words = self.pipeline.run(self::words(words));
        let mut scores: HashMap<&str, f64> = HashMap::new();
        for field in &self.fields {
            for (section, score) in self.scores(field, &words) {
                *scores.entry(section).or_default() += score * field.boost;
            }
        }
        let mut scores: Vec<_> = scores.into_iter().collect();
        scores.sort_by(|(one, more), (other, less)| less.total_cmp(more).then(one.cmp(other)));
        let page = |(section, _)| {
            let at: usize = str::parse(section).expect("a place");
            &*self.pages[at]
        };
        scores.into_iter().map(page).collect()
    }

    /// What each section counts in a field: for its words and what begins with them, and the more of
    /// the words it has.
    fn scores(&self, field: &Field, words: &[String]) -> HashMap<&str, f64> {
        let mut scores: HashMap<&str, f64> = HashMap::new();
        let mut matched: HashMap<&str, usize> = HashMap::new();
        for word in words {
            let root = &self.index["index"][field.name]["root"];
            let mut letters = word.chars();
            let Some(node) = letters.try_fold(root, |node, letter| node.get(letter.to_string()))
            else {
                continue;
            };
            let length = word.chars().count();
            let mut below = vec![(node, length)];
            while let Some((node, reached)) = below.pop() {
                let is_word = reached == length;
                let weight = match is_word {
                    true => 1.0,
                    false => EXPANDED * length as f64 / reached as f64,
                };
                let children = node.as_object().expect("a node").iter();
                let children = children.filter(|(key, _)| !["df", "docs"].contains(&key.as_str()));
                below.extend(children.map(|(_, child)| (child, reached + 1)));
                let sections = node["docs"].as_object().expect("sections");
                let rare = 1.0 + (self.pages.len() as f64 / (sections.len() as f64 + 1.0)).ln();
                for (section, times) in sections {
                    let lengths = &self.index["documentStore"]["docInfo"][section];
                    let length = lengths[field.name].as_f64().expect("a length").max(1.0);
                    let times = times["tf"].as_f64().expect("a frequency");
                    *scores.entry(section).or_default() += times * rare * weight / length.sqrt();
                    *matched.entry(section).or_default() += usize::from(is_word);
                }
            }
        }
        for (section, score) in &mut scores {
            // A section that has only what begins with words is left as it is.
            if let Some(matched) = matched.get(section).filter(|matched| **matched > 0) {
                *score *= *matched as f64 / words.len() as f64;
            }
        }
        scores
    }
}

#[test]
fn a_search_for_a_strangers_question_finds_the_page_that_answers_it() {
    let site = Site::new();
    assert!(site.pages.len() > 500, "{}", site.pages.len());
    let (mut missed, mut asked) = (Vec::new(), 0);
    for line in QUESTIONS.lines() {
        let (question, page) = line.split_once(" | ").expect("a question and a page");
        asked += 1;
        let found = site.search(question);
        let seen = &found[..found.len().min(LOOKED_AT)];
        if !seen.contains(&page) {
            missed.push(format!("{question} {page} is not among {seen:?}"));
        }
    }
    assert!(asked >= 34, "{asked}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_search_finds_words_in_titles_first_and_nothing_where_there_is_nothing() {
    let site = Site::new();
    assert_eq!(site.search("glossary")[0], "project/glossary.md");
    assert!(site.search("xyzzyplugh").is_empty());
}
