//! A binding's tools as functions over types that they share: what every printer prints.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};

use super::schema::{self, Note};
use super::schema_text::SchemaText;
use super::types::{Definition, DefinitionId, DocumentedType, Type};
use super::{Hints, Tool};

/// How often definitions are compared to find those that are the same. Each time tells apart what
/// differs one reference deeper; real schemas need three.
const MAX_ROUNDS: usize = 32;

/// Some or all tools of one binding, as functions.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The functions, in the order of the tools.
    pub functions: Vec<Function>,
    /// The types that the functions name, in the order in which they are first used. What several
    /// tools define identically is here once.
    pub definitions: Vec<Definition>,
}

/// A tool as a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The tool's name.
    pub tool: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the tool does; Markdown.
    pub description: Option<String>,
    /// What the tool says about its effects.
    pub hints: Hints,
    /// The arguments: an object, a map, or a union of such, perhaps by name.
    pub arguments: DocumentedType,
    /// The structured result, if the tool has a schema for it.
    pub result: Option<DocumentedType>,
    /// What was not understood in the tool's schemas.
    pub notes: Vec<Note>,
}

impl Interface {
    /// Reads the schemas of `tools`, which all belong to one binding. They are parsed one after the
    /// other.
    pub fn of<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Self {
        let mut functions = Vec::new();
        let mut definitions = Vec::new();
        for tool in tools {
            let arguments = tool.input_schema.parse_object();
            let output = tool.output_schema.as_ref().map(SchemaText::parse);
            let mut lowered = schema::lower(&arguments, output.as_ref());
            let base = definitions.len();
            shift(&mut lowered.arguments.ty, base);
            if let Some(result) = &mut lowered.result {
                shift(&mut result.ty, base);
            }
            for mut definition in lowered.definitions {
                shift(&mut definition.value.ty, base);
                definitions.push(OwnedDefinition {
                    function: functions.len(),
                    definition,
                });
            }
            functions.push(Function {
                tool: tool.name.clone(),
                title: tool.title.clone(),
                description: tool.description.clone(),
                hints: tool.annotations,
                arguments: lowered.arguments,
                result: lowered.result,
                notes: lowered.notes,
            });
        }
        share(functions, definitions)
    }

    /// The interface with what is given to tools apart from what tools give, and for each
    /// definition whether it is given. One that is used both ways, and has parts, is there twice.
    pub(crate) fn apart(&self) -> (Self, Vec<bool>) {
        let functions = &self.functions;
        let given = self.reached(functions.iter().map(|function| &function.arguments));
        let taken = self.reached(
            functions
                .iter()
                .filter_map(|function| function.result.as_ref()),
        );
        let mut apart = self.clone();
        let mut places: Vec<DefinitionId> = (0..self.definitions.len()).map(DefinitionId).collect();
        for (place, definition) in self.definitions.iter().enumerate() {
            if given.contains(&place) && taken.contains(&place) && has_parts(&definition.value.ty) {
                places[place] = DefinitionId(apart.definitions.len());
                apart.definitions.push(Definition {
                    hint: format!("{} input", definition.hint),
                    value: definition.value.clone(),
                });
            }
        }
        let is_given = |place: usize| place >= self.definitions.len() || !taken.contains(&place);
        let is_given: Vec<bool> = (0..apart.definitions.len()).map(is_given).collect();
        let mut place = |id: &mut DefinitionId| *id = places[id.0];
        for function in &mut apart.functions {
            for_each_name(&mut function.arguments.ty, &mut place);
        }
        for (definition, _) in apart
            .definitions
            .iter_mut()
            .zip(&is_given)
            .filter(|(_, given)| **given)
        {
            for_each_name(&mut definition.value.ty, &mut place);
        }
        (apart, is_given)
    }

    /// The places of the definitions that some types lead to.
    fn reached<'a>(&self, types: impl Iterator<Item = &'a DocumentedType>) -> HashSet<usize> {
        let mut reached = HashSet::new();
        let mut open: Vec<usize> = Vec::new();
        types.for_each(|of| each_name(&of.ty, &mut |id| open.push(id.0)));
        while let Some(place) = open.pop() {
            if reached.insert(place) {
                each_name(&self.definitions[place].value.ty, &mut |id| open.push(id.0));
            }
        }
        reached
    }

    /// The definition that a [`Type::Named`] of this interface names.
    ///
    /// # Panics
    ///
    /// If the name belongs to another interface, and not to this one.
    pub fn definition(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0]
    }
}

fn shift(ty: &mut Type, base: usize) {
    for_each_name(ty, &mut |id| id.0 += base);
}

fn each_name(ty: &Type, visit: &mut impl FnMut(DefinitionId)) {
    if let Type::Named(id) = ty {
        visit(*id);
    }
    ty.for_each_child(|child| each_name(child, visit));
}

/// Whether a type has parts that can be changed.
fn has_parts(ty: &Type) -> bool {
    let mut found = matches!(
        ty,
        Type::Array(_) | Type::Tuple(_) | Type::Record(_) | Type::Named(_)
    );
    ty.for_each_child(|child| found |= has_parts(child));
    found
}

fn for_each_name(ty: &mut Type, visit: &mut impl FnMut(&mut DefinitionId)) {
    if let Type::Named(id) = ty {
        visit(id);
    }
    ty.for_each_child_mut(|child, _| for_each_name(child, visit));
}

/// A definition, and the function that has it.
struct OwnedDefinition {
    /// The function's place.
    function: usize,
    definition: Definition,
}

/// States each definition once: those that have the same name and mean the same are one.
fn share(mut functions: Vec<Function>, mut definitions: Vec<OwnedDefinition>) -> Interface {
    let classes = classes(&mut definitions);
    let mut renamed = HashMap::new();
    let mut shared: Vec<OwnedDefinition> = Vec::new();
    let mut places = Vec::with_capacity(classes.len());
    for (class, owned) in classes.iter().zip(definitions) {
        let place = *renamed.entry(class).or_insert(shared.len());
        match shared.get_mut(place) {
            // Of all tools that have it, the one whose name is first: their order is to make no
            // difference.
            Some(first) if functions[owned.function].tool < functions[first.function].tool => {
                first.function = owned.function
            }
            Some(_) => {}
            None => shared.push(owned),
        }
        places.push(DefinitionId(place));
    }
    let mut place = |id: &mut DefinitionId| *id = places[id.0];
    for function in &mut functions {
        for_each_name(&mut function.arguments.ty, &mut place);
        if let Some(result) = &mut function.result {
            for_each_name(&mut result.ty, &mut place);
        }
    }
    for OwnedDefinition { definition, .. } in &mut shared {
        for_each_name(&mut definition.value.ty, &mut place);
    }
    // Where different tools call different things the same, each is called by its tool as well.
    let mut called: HashMap<String, usize> = HashMap::new();
    for OwnedDefinition { definition, .. } in &shared {
        *called.entry(definition.hint.clone()).or_default() += 1;
    }
    for OwnedDefinition {
        function,
        definition,
    } in &mut shared
    {
        if called[&definition.hint] > 1 {
            definition.hint = format!("{} {}", functions[*function].tool, definition.hint);
        }
    }
    Interface {
        functions,
        definitions: shared.into_iter().map(|owned| owned.definition).collect(),
    }
}

/// A number for each definition, the same for those that are the same. They start as the same if
/// they differ in names alone; then those are distinguished whose names are not the same, until no
/// more are.
fn classes(definitions: &mut [OwnedDefinition]) -> Vec<usize> {
    let mut names = Vec::with_capacity(definitions.len());
    let mut numbers = HashMap::new();
    let mut classes: Vec<usize> = Vec::with_capacity(definitions.len());
    for OwnedDefinition { definition, .. } in definitions.iter_mut() {
        let mut inside = Vec::new();
        for_each_name(&mut definition.value.ty, &mut |id| {
            inside.push(std::mem::replace(&mut id.0, 0))
        });
        let next = numbers.len();
        classes.push(*numbers.entry(fingerprint(definition)).or_insert(next));
        let mut restored = inside.iter();
        for_each_name(&mut definition.value.ty, &mut |id| {
            id.0 = restored.next().copied().unwrap_or_default()
        });
        names.push(inside);
    }
    let mut count = numbers.len();
    for _ in 0..MAX_ROUNDS {
        let mut numbers = HashMap::new();
        let finer: Vec<usize> = (0..classes.len())
            .map(|index| {
                let key = (
                    classes[index],
                    names[index]
                        .iter()
                        .map(|&name| classes[name])
                        .collect::<Vec<_>>(),
                );
                let next = numbers.len();
                *numbers.entry(key).or_insert(next)
            })
            .collect();
        if numbers.len() == count {
            return classes;
        }
        count = numbers.len();
        classes = finer;
    }
    (0..classes.len()).collect()
}

/// A hash of a definition.
fn fingerprint(definition: &Definition) -> blake3::Hash {
    struct Text(blake3::Hasher);
    impl Write for Text {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut text = Text(blake3::Hasher::new());
    let _ = write!(text, "{definition:?}");
    text.0.finalize()
}
