//! Of several forms that a value may have, none of which fit, the one that was likely meant.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::types::JsonType;
use serde_json::{Map, Value};

use super::place::{child, field};
use super::values::{OneOf, alternatives, listed, shown, types, with_article};
use super::{CHOICES, ErrorScope, Explanation, LISTED};

/// How many forms are compared by their schemas, and by how many of their properties.
const COMPARED_FORMS: usize = 100;

/// How many forms are shown.
const SHOWN_FORMS: usize = 4;

/// One of several forms, and why the value has not that form.
struct Form<'s, 'e> {
    schema: Option<&'s Value>,
    errors: &'e [ValidationError<'static>],
}

impl<'s> Form<'s, '_> {
    /// The errors of the value as a whole.
    fn of_the_whole(&self, choice: &ValidationError<'_>) -> impl Iterator<Item = &Kind> {
        let place = choice.instance_path().clone();
        let errors = self.errors.iter();
        errors
            .filter(move |error| *error.instance_path() == place)
            .map(ValidationError::kind)
    }

    fn is_null(&self) -> bool {
        match self.errors {
            [error] => match error.kind() {
                Kind::Type {
                    kind: TypeKind::Single(one),
                } => *one == JsonType::Null,
                Kind::Constant { expected_value } => expected_value.is_null(),
                _ => false,
            },
            _ => false,
        }
    }

    fn properties(&self) -> Option<&'s Map<String, Value>> {
        self.schema?.get("properties")?.as_object()
    }

    /// The only value that a property may have.
    fn only_value(&self, name: &str) -> Option<&'s Value> {
        only_value(self.properties()?.get(name)?)
    }

    /// How much is wrong with it.
    fn problems(&self) -> usize {
        let problems = self.errors.iter().map(|error| match error.kind() {
            Kind::AdditionalProperties { unexpected } => unexpected.len(),
            _ => 1,
        });
        problems.sum()
    }
}

pub(super) fn only_value(schema: &Value) -> Option<&Value> {
    let values = schema.get("enum").and_then(Value::as_array);
    let one = values
        .filter(|values| values.len() == 1)
        .map(|values| &values[0]);
    schema.get("const").or(one)
}

impl<'s> Explanation<'s> {
    pub(super) fn choice(
        &self,
        choice: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
        within: ErrorScope,
    ) -> Vec<String> {
        let fits_none = || {
            let field = field(choice.instance_path());
            vec![format!("{field} matches none of its allowed forms")]
        };
        if within.choices >= CHOICES {
            return fits_none();
        }
        let within = ErrorScope {
            steps: self.way(choice).len(),
            choices: within.choices + 1,
        };
        let mut forms = self.forms(choice, context);
        if !choice.instance().is_null() && !forms.iter().all(Form::is_null) {
            forms.retain(|form| !form.is_null());
        }
        if let Some(problem) = missing_one(choice, &forms).or_else(|| self.plain(choice, &forms)) {
            return vec![problem];
        }
        let is_of_type = |form: &&Form<'_, '_>| {
            let mut kinds = form.of_the_whole(choice);
            !kinds.any(|kind| {
                matches!(
                    kind,
                    Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. }
                )
            })
        };
        let of_type: Vec<&Form<'_, '_>> = forms.iter().filter(is_of_type).collect();
        if let Some(problems) = self.by_discriminator(choice, &of_type, within) {
            return problems;
        }
        let Some(closest) = closest(&of_type) else {
            return fits_none();
        };
        let mut problems = self.of_form(choice, closest, within);
        if of_type.len() > 1
            && let Some(first) = problems.first_mut()
        {
            let (field, count) = (field(choice.instance_path()), forms.len());
            *first = format!(
                "{field} matches none of its {count} allowed forms; for the closest, {first}"
            );
        }
        problems
    }

    /// The forms, and those of a form that is nothing but a choice itself.
    fn forms<'e>(
        &self,
        choice: &ValidationError<'_>,
        context: &'e [Vec<ValidationError<'static>>],
    ) -> Vec<Form<'s, 'e>> {
        let way = self.way(choice);
        let schemas = way
            .last()
            .and_then(|step| step.value())
            .and_then(Value::as_array);
        let mut forms = Vec::new();
        for (index, errors) in context.iter().enumerate() {
            let schema = schemas.and_then(|schemas| schemas.get(index));
            match &errors[..] {
                [inner] if inner.instance_path() == choice.instance_path() => match inner.kind() {
                    Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                        forms.extend(self.forms(inner, context));
                        continue;
                    }
                    _ => {}
                },
                _ => {}
            }
            let schema = schema.map(|schema| self.resolved(schema));
            forms.push(Form { schema, errors });
        }
        forms
    }

    /// What the value must be, where types and values say it.
    fn plain(&self, choice: &ValidationError<'_>, forms: &[Form<'_, '_>]) -> Option<String> {
        let mut options: Vec<&Value> = Vec::new();
        let mut wanted: Vec<String> = Vec::new();
        let mut instead = None;
        for form in forms {
            let mut is_listed = false;
            let mut kind_of_type = None;
            for kind in form.of_the_whole(choice) {
                match kind {
                    Kind::Enum { options: values } => {
                        options.extend(values.as_array().into_iter().flatten());
                        is_listed = true;
                    }
                    Kind::Constant { expected_value } => {
                        options.push(expected_value);
                        is_listed = true;
                    }
                    Kind::Type { kind } => kind_of_type = Some(kind),
                    _ => {}
                }
            }
            if is_listed {
                continue;
            }
            for name in types(kind_of_type?).iter().map(|name| with_article(name)) {
                if !wanted.contains(&name) {
                    wanted.push(name);
                }
            }
            let error = form
                .errors
                .iter()
                .find(|error| matches!(error.kind(), Kind::Type { .. }));
            instead = instead.or_else(|| self.instead(error?, kind_of_type?));
        }
        let (field, given) = (field(choice.instance_path()), choice.instance());
        if !options.is_empty() {
            return Some(super::must_be_one_of(&field, options, given, &wanted));
        }
        let instead = instead.or_else(|| {
            let shapes = self.shapes(&forms.iter().collect::<Vec<_>>())?;
            (wanted == ["an object"]).then(|| format!(": {shapes}"))
        });
        let (what, given) = (alternatives(&wanted), shown(given));
        Some(format!(
            "{field} must be {what}, not {given}{}",
            instead.unwrap_or_default()
        ))
    }

    /// The problems of the form whose value a property has that each form has another of; or what
    /// is wrong with that property.
    fn by_discriminator(
        &self,
        choice: &ValidationError<'_>,
        forms: &[&Form<'s, '_>],
        within: ErrorScope,
    ) -> Option<Vec<String>> {
        let given = choice.instance().as_object()?;
        let name = discriminator(forms)?;
        let place = choice.instance_path();
        let property = child(place, name);
        let shapes = self
            .shapes(forms)
            .map(|shapes| format!(": {shapes}"))
            .unwrap_or_default();
        let values = || forms.iter().filter_map(|form| form.only_value(name));
        let Some(value) = given.get(name) else {
            if let Some((form, shared)) = best_shared(forms, given) {
                let value = shown(form.only_value(name)?);
                let names = listed(shared.iter().copied(), 3);
                let shape = self
                    .shape(form.schema)
                    .map(|shape| format!(": {shape}"))
                    .unwrap_or_default();
                return Some(vec![format!(
                    "{property} is missing; with {names} it is {value}{shape}"
                )]);
            }
            let values = OneOf::of(values(), &Value::Null).or(&[]);
            return Some(vec![format!(
                "{property} is missing; it must be {values}{shapes}"
            )]);
        };
        let meant = forms
            .iter()
            .filter(|form| form.only_value(name) == Some(value));
        match closest(&meant.copied().collect::<Vec<_>>()) {
            Some(form) => Some(self.of_form(choice, form, within)),
            None => {
                let problem = super::must_be_one_of(&property, values(), value, &[]);
                Some(vec![problem + &shapes])
            }
        }
    }

    /// The problems of one form, with its shape where something is missing or unknown.
    fn of_form(
        &self,
        choice: &ValidationError<'_>,
        form: &Form<'_, '_>,
        within: ErrorScope,
    ) -> Vec<String> {
        let mut problems = self.all(form.errors, within);
        let mut kinds = form.of_the_whole(choice);
        let is_misshapen = kinds.any(|kind| {
            matches!(
                kind,
                Kind::Required { .. } | Kind::AdditionalProperties { .. }
            )
        });
        if let (true, Some(last), Some(shape)) =
            (is_misshapen, problems.last_mut(), self.shape(form.schema))
        {
            *last += &format!("; {} is {shape}", field(choice.instance_path()));
        }
        problems
    }

    fn shapes(&self, forms: &[&Form<'_, '_>]) -> Option<String> {
        let shapes = forms.iter().map(|form| self.shape(form.schema));
        let shapes: Vec<String> = shapes.take(SHOWN_FORMS + 1).collect::<Option<_>>()?;
        (1..=SHOWN_FORMS)
            .contains(&shapes.len())
            .then(|| alternatives(&shapes))
    }
}

/// That one of a few properties is missing, where forms differ in what they require.
fn missing_one(choice: &ValidationError<'_>, forms: &[Form<'_, '_>]) -> Option<String> {
    let names = forms.iter().map(|form| match form.errors {
        [error] if error.instance_path() == choice.instance_path() => match error.kind() {
            Kind::Required { property } if form.properties().is_none() => property.as_str(),
            _ => None,
        },
        _ => None,
    });
    let names: Vec<&str> = names.take(LISTED + 1).collect::<Option<_>>()?;
    let names: Vec<String> = names
        .iter()
        .map(|name| child(choice.instance_path(), name))
        .collect();
    (2..=LISTED)
        .contains(&names.len())
        .then(|| format!("{} is missing", alternatives(&names)))
}

/// The property of which each form has a value of its own.
fn discriminator<'s>(forms: &[&Form<'s, '_>]) -> Option<&'s str> {
    let (first, others) = forms.split_first()?;
    if others.is_empty() || forms.len() > COMPARED_FORMS {
        return None;
    }
    let mut names = first.properties()?.keys().take(COMPARED_FORMS);
    let tells = |name: &&String| {
        let value = first.only_value(name);
        let others: Option<Vec<&Value>> = others.iter().map(|form| form.only_value(name)).collect();
        value
            .zip(others)
            .is_some_and(|(value, others)| others.iter().any(|other| *other != value))
    };
    names.find(tells).map(String::as_str)
}

/// The form that has the most of the given properties, if one alone has, and those.
fn best_shared<'f, 's, 'e>(
    forms: &[&'f Form<'s, 'e>],
    given: &Map<String, Value>,
) -> Option<(&'f Form<'s, 'e>, Vec<&'s str>)> {
    let shared = |form: &'f Form<'s, 'e>| {
        let names = form
            .properties()
            .into_iter()
            .flat_map(Map::keys)
            .take(COMPARED_FORMS);
        names
            .map(String::as_str)
            .filter(|name| given.contains_key(*name))
            .collect::<Vec<_>>()
    };
    let shared: Vec<Vec<&str>> = forms.iter().map(|form| shared(form)).collect();
    let most = shared.iter().map(Vec::len).max().filter(|most| *most > 0)?;
    let mut best = (0..forms.len()).filter(|place| shared[*place].len() == most);
    let place = best.next().filter(|_| best.next().is_none())?;
    Some((forms[place], shared[place].clone()))
}

/// The form with the fewest problems; of several, the first.
fn closest<'f, 's, 'e>(forms: &[&'f Form<'s, 'e>]) -> Option<&'f Form<'s, 'e>> {
    forms.iter().copied().min_by_key(|form| form.problems())
}
