//! Policies held against the tools: names, types, labels, roles.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use cedar_policy::{PolicySet, ValidationError, ValidationMode, ValidationWarning, Validator};
use miette::Diagnostic;

use crate::actions::Actions;
use crate::cedar::{MODEL, not_made};
use crate::diagnostic::{Diagnostics, Lines, Place, PolicyDiagnostic, Severity};
use crate::paths::{self, UnknownArgument};
use crate::patterns;
use crate::rule::{Author, Rule, ScopePrincipal};
use crate::schema;
use crate::source::Sources;

/// Against how many tools policies are held that read no arguments.
const SAMPLE: usize = 16;

/// What the policies are checked with.
pub(crate) struct Check<'c> {
    sources: &'c Sources,
    rules: &'c [Rule],
    found: &'c mut Diagnostics,
    /// The lines of the files, by their names.
    lines: HashMap<&'c Arc<str>, Lines<'c>>,
}

impl<'c> Check<'c> {
    pub(crate) fn new(sources: &'c Sources, rules: &'c [Rule], found: &'c mut Diagnostics) -> Self {
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
                let problem = PolicyDiagnostic::error(Some(rule.place.clone()), told);
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
                    let problem = PolicyDiagnostic {
                        place: Some(place),
                        ..problem
                    };
                    self.found.add(problem.of(&rule.id));
                }
            }
            if self.is_told_to_equal(rule, actions) {
                let told = "it can never hold: write `action in` before a group or a pattern";
                let place = self.place_of(rule, "action ==");
                self.found
                    .add(PolicyDiagnostic::error(Some(place), told).of(&rule.id));
            }
        }
    }

    /// Whether a policy is about the one action that is a group, which nothing is.
    fn is_told_to_equal(&self, rule: &Rule, actions: &Actions) -> bool {
        let mut named = rule.actions.iter().flatten();
        rule.one_action && named.any(|id| actions.is_group(id))
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
            if let ScopePrincipal::Role(role) = &rule.whose {
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
        let problem = PolicyDiagnostic::error(Some(place), told).near(near);
        self.found.add(problem.of(&rule.id));
    }

    /// Holds all policies against the types of tools: those about the same tools together, against
    /// these alone. Cedar holds each policy of a set against each action of a schema.
    pub(crate) fn types(&mut self, actions: &Actions) {
        let blind = self.rules.iter().map(|rule| paths::blind(rule, actions));
        let mut blind: Vec<Vec<UnknownArgument>> = blind.collect();
        let mut alike: BTreeMap<(&Option<Vec<String>>, bool), Vec<usize>> = BTreeMap::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let reads = rule.read.context.of("arguments").is_some();
            alike
                .entry((&rule.actions, reads))
                .or_default()
                .push(number);
        }
        for ((scope, reads), numbers) in alike {
            self.types_of(scope.as_deref(), reads, &numbers, &mut blind, actions);
        }
        for (number, blind) in blind.into_iter().enumerate() {
            let rule = &self.rules[number];
            for blind in blind.into_iter().filter(|blind| !blind.told) {
                let place = self.place_of(rule, &blind.name);
                self.found.add(blind.problem(place).of(&rule.id));
            }
        }
    }

    fn types_of(
        &mut self,
        scope: Option<&[String]>,
        reads: bool,
        numbers: &[usize],
        blind: &mut [Vec<UnknownArgument>],
        actions: &Actions,
    ) {
        let tools = places(scope, actions);
        // But for arguments, all tools have the same types.
        let sample = match reads {
            true => tools.len(),
            false => tools.len().min(SAMPLE),
        };
        let named = numbers.iter().flat_map(|number| {
            let rule = &self.rules[*number];
            rule.actions.iter().flatten().chain(&rule.read.actions)
        });
        let part = schema::Part {
            tools: &tools[..sample],
            named: named.map(String::as_str).collect(),
            model: scope.is_none_or(|scope| scope.iter().any(|id| id == MODEL)),
        };
        let policies = numbers
            .iter()
            .map(|number| self.rules[*number].policy.clone());
        let set = PolicySet::from_policies(policies).map_err(not_made);
        let checked = schema::of(actions, &part)
            .and_then(|schema| Ok(Validator::new(schema).validate(&set?, ValidationMode::Strict)));
        let checked = match checked {
            Ok(checked) => checked,
            Err(error) => {
                let place = Some(self.rules[numbers[0]].place.clone());
                self.found
                    .add(PolicyDiagnostic::error(place, error.to_string()));
                return;
            }
        };
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
                let certain = sample == tools.len() && blind[number].is_empty();
                self.warning(number, warning, certain, actions);
            }
        }
    }

    fn error(&mut self, number: usize, error: &ValidationError, blind: &mut [UnknownArgument]) {
        let rule = &self.rules[number];
        let message = message(error);
        // It is told already, with what may have been meant; unless it is of another namespace.
        if matches!(error, ValidationError::UnrecognizedActionId(_))
            && !message.contains("::Action::")
        {
            return;
        }
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
                PolicyDiagnostic::error(Some(place), told)
            }
            None => PolicyDiagnostic::error(Some(place), message),
        };
        self.found.add(problem.of(&rule.id));
    }

    fn warning(
        &mut self,
        number: usize,
        warning: &ValidationWarning,
        certain: bool,
        actions: &Actions,
    ) {
        let rule = &self.rules[number];
        let never = matches!(
            warning,
            ValidationWarning::ImpossiblePolicy(_) | ValidationWarning::InvalidActionApplication(_)
        );
        let place = self.place_at(rule, offset(warning).map(|offset| rule.base + offset));
        let problem = match never {
            // Why, is told; or there may be other tools for which it does.
            true if !certain || self.is_told_to_equal(rule, actions) => return,
            true if rule.maker != Author::File => return,
            // Servers that are not listed yet may have what it is about.
            true if is_about_nothing_yet(rule, actions) => return,
            true => {
                let told = "it can never hold: look for conditions that exclude each other, and whether `principal` and `resource` are what they can be";
                PolicyDiagnostic::error(Some(place), told)
            }
            false => PolicyDiagnostic::warning(Some(place), message(warning)),
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
            (Author::File, Some(offset), Some(lines)) => Place::in_file(file, lines, offset),
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

impl UnknownArgument {
    fn problem(&self, place: Place) -> PolicyDiagnostic {
        PolicyDiagnostic {
            severity: Severity::Error,
            ..PolicyDiagnostic::error(Some(place), self.message.clone()).near(self.near.clone())
        }
    }
}

/// The places of the tools that a scope names.
fn places(scope: Option<&[String]>, actions: &Actions) -> Vec<usize> {
    match scope {
        None => (0..actions.all().len()).collect(),
        Some(named) => {
            let places = named.iter().flat_map(|id| actions.places(id));
            let places: BTreeSet<usize> = places.copied().collect();
            places.into_iter().collect()
        }
    }
}
