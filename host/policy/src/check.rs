//! Policies held against the tools: names, types, labels, roles.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use cedar_policy::{
    PolicySet, Schema, ValidationError, ValidationMode, ValidationWarning, Validator,
};
use miette::Diagnostic;

use crate::actions::Actions;
use crate::paths::{self, Blind};
use crate::patterns;
use crate::problem::{Found, Lines, Place, Problem, Severity};
use crate::rule::{Maker, Rule, Whose};
use crate::source::Sources;

/// What the policies are checked with.
pub(crate) struct Check<'c> {
    sources: &'c Sources,
    rules: &'c [Rule],
    found: &'c mut Found,
    /// The lines of the files, by their names.
    lines: HashMap<&'c Arc<str>, Lines<'c>>,
}

impl<'c> Check<'c> {
    pub(crate) fn new(sources: &'c Sources, rules: &'c [Rule], found: &'c mut Found) -> Self {
        let files = sources.files.iter();
        let lines = files.map(|file| (&file.name, Lines::of(&file.text)));
        Self {
            lines: lines.collect(),
            sources,
            rules,
            found,
        }
    }

    /// Makes sure that each id is one policy's.
    pub(crate) fn ids(&mut self) {
        let mut seen: HashMap<&str, &Place> = HashMap::new();
        for rule in self.rules {
            if let Some(first) = seen.insert(&rule.id, &rule.place) {
                let told = format!("another policy has this id: {first}");
                let problem = Problem::error(Some(rule.place.clone()), told);
                self.found.add(problem.of(&rule.id));
            }
        }
    }

    /// Makes sure that what policies name as actions is known, and groups of what are patterns.
    pub(crate) fn actions(&mut self, actions: &mut Actions) {
        for rule in self.rules {
            let scope = rule.actions.iter().flatten();
            let named: BTreeSet<&String> = scope.chain(&rule.read.actions).collect();
            for action in named {
                if let Some(problem) = patterns::known(action, actions) {
                    let place = self.place_of(rule, &format!("\"{action}\""));
                    let problem = Problem {
                        place: Some(place),
                        ..problem
                    };
                    self.found.add(problem.of(&rule.id));
                }
            }
        }
    }

    /// Makes sure that the labels and roles that policies name are given to somebody.
    pub(crate) fn names(&mut self) {
        let mut labels = self.sources.labels.known();
        labels.extend(self.sources.other_labels.iter().map(String::as_str));
        for rule in self.rules {
            for label in &rule.read.labels {
                if !labels.contains(label.as_str()) {
                    let near = patterns::near(label, labels.iter().copied());
                    let told = format!("nothing gives the label `{label}`");
                    self.name(rule, label, told, near);
                }
            }
            if let Whose::Role(role) = &rule.whose {
                let roles = &self.sources.roles.0;
                if !roles.contains_key(role) {
                    let near = patterns::near(role, roles.keys().map(String::as_str));
                    self.name(rule, role, format!("there is no role `{role}`"), near);
                }
            }
        }
    }

    fn name(&mut self, rule: &Rule, name: &str, told: String, near: Vec<String>) {
        let place = self.place_of(rule, &format!("\"{name}\""));
        let problem = Problem::error(Some(place), told).near(near);
        self.found.add(problem.of(&rule.id));
    }

    /// Holds all policies against the types of tools.
    pub(crate) fn types(&mut self, schema: Schema, actions: &Actions) {
        let mut set = PolicySet::new();
        for rule in self.rules {
            if let Err(error) = set.add(rule.policy.clone()) {
                let place = Some(rule.place.clone());
                self.found
                    .add(Problem::error(place, error.to_string()).of(&rule.id));
            }
        }
        let checked = Validator::new(schema).validate(&set, ValidationMode::Strict);
        let mut blind: Vec<Vec<Blind>> = self
            .rules
            .iter()
            .map(|rule| paths::blind(rule, actions))
            .collect();
        // What is wrong for each of a hundred tools is told once.
        let mut told = HashSet::new();
        for error in checked.validation_errors() {
            let number = number_of(error.policy_id());
            let key = (number, std::mem::discriminant(error), offset(error));
            if let Some(number) = number
                && told.insert(key)
            {
                self.error(number, error, &mut blind[number]);
            }
        }
        for warning in checked.validation_warnings() {
            if let Some(number) = number_of(warning.policy_id()) {
                self.warning(number, warning, &blind, actions);
            }
        }
        for (number, blind) in blind.into_iter().enumerate() {
            let rule = &self.rules[number];
            for blind in blind.into_iter().filter(|blind| !blind.told) {
                let place = self.place_of(rule, &blind.name);
                self.found.add(blind.problem(place).of(&rule.id));
            }
        }
    }

    fn error(&mut self, number: usize, error: &ValidationError, blind: &mut [Blind]) {
        let rule = &self.rules[number];
        // It is told already, with what may have been meant.
        if matches!(error, ValidationError::UnrecognizedActionId(_)) {
            return;
        }
        let message = message(error);
        let place = self.place_at(rule, offset(error).map(|offset| rule.base + offset));
        let of_attribute = matches!(error, ValidationError::UnsafeAttributeAccess(_));
        let named = blind.iter_mut().find(|blind| {
            of_attribute
                && (message.contains(&format!("{}`", blind.name))
                    || message.contains(&format!("{:?}", blind.name)))
        });
        let problem = match named {
            Some(blind) => {
                blind.told = true;
                blind.problem(place)
            }
            None if of_attribute => {
                let told = format!(
                    "{message}: not every tool that this is about has it; test for it by `has` before, or name the tools"
                );
                Problem::error(Some(place), told)
            }
            None => Problem::error(Some(place), message),
        };
        self.found.add(problem.of(&rule.id));
    }

    fn warning(
        &mut self,
        number: usize,
        warning: &ValidationWarning,
        blind: &[Vec<Blind>],
        actions: &Actions,
    ) {
        let rule = &self.rules[number];
        let never = matches!(
            warning,
            ValidationWarning::ImpossiblePolicy(_) | ValidationWarning::InvalidActionApplication(_)
        );
        let place = self.place_at(rule, offset(warning).map(|offset| rule.base + offset));
        let problem = match never {
            // Why, is told.
            true if !blind[number].is_empty() => return,
            true if rule.maker != Maker::File => return,
            // Servers that are not listed yet may have what it is about.
            true if is_about_nothing_yet(rule, actions) => return,
            true => {
                let told = "it can never hold: write `action in` before a group or a pattern, `action ==` before a tool; and look for conditions that exclude each other";
                Problem::error(Some(place), told)
            }
            false => Problem::warning(Some(place), message(warning)),
        };
        self.found.add(problem.of(&rule.id));
    }

    /// Where a part of a policy's text is; where the policy is, if it is not there.
    fn place_of(&self, rule: &Rule, part: &str) -> Place {
        let within = rule.text.find(part);
        self.place_at(rule, within.map(|within| rule.offset + within))
    }

    /// The place in the file that a policy is from.
    fn place_at(&self, rule: &Rule, offset: Option<usize>) -> Place {
        let file = &rule.place.source;
        match (rule.maker, offset, self.lines.get(file)) {
            (Maker::File, Some(offset), Some(lines)) => Place::in_file(file, lines, offset),
            _ => rule.place.clone(),
        }
    }
}

fn number_of(id: &cedar_policy::PolicyId) -> Option<usize> {
    AsRef::<str>::as_ref(id).parse().ok()
}

fn offset(problem: &dyn Diagnostic) -> Option<usize> {
    crate::parse::offset_of(problem)
}

/// What Cedar says, without the policy's number before it.
fn message(problem: &dyn Diagnostic) -> String {
    let without_policy = |message: String| match message.strip_prefix("for policy `") {
        Some(rest) => rest
            .split_once("`, ")
            .map_or(rest, |(_, rest)| rest)
            .to_owned(),
        None => message,
    };
    let message = without_policy(problem.to_string());
    match problem.help() {
        Some(help) => format!("{message} ({})", without_policy(help.to_string())),
        None => message,
    }
}

/// Whether a policy is about nothing but tools that are not known, as their servers are not listed,
/// and patterns that mean nothing today.
fn is_about_nothing_yet(rule: &Rule, actions: &Actions) -> bool {
    let mut named = rule.actions.iter().flatten();
    let nothing = |id: &str| actions.places(id).is_empty() && id != crate::cedar::MODEL;
    rule.actions.is_some() && named.all(|id| nothing(id))
}

impl Blind {
    fn problem(&self, place: Place) -> Problem {
        Problem {
            severity: Severity::Error,
            ..Problem::error(Some(place), self.message.clone()).near(self.near.clone())
        }
    }
}
