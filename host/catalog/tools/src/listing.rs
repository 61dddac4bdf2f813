//! The tools of one binding, indexed by name, with what is made of each when it is first needed.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::names::{Lookup, Names, Style};
use ampoule_projection::{Idiom, Interface, SchemaText, Tool, signature, wit};
use ampoule_untrusted::json;
use serde_json::Value;

use super::Form;
use super::answers::{KeptSchema, KeptValues};
use super::sent::{self, DeclaredSchemas};
use super::validate::{ArgumentCheck, ArgumentsError, Unproven};

/// What it takes to index a name, in units of fuel.
pub(super) const INDEXED_NAME: u64 = 4_096;
/// How large a schema may be to be looked through where others wait for the thread, in bytes.
pub(super) const SMALL_SCHEMA: usize = 4_096;
/// How many values a schema may consist of that arguments are held against, and all such schemas of
/// one server: what does that is kept, some hundred bytes for each value. Schemas of real servers
/// consist of some hundred.
const MAX_CHECKED_SCHEMA: usize = 20_000;
const MAX_CHECKED: usize = 100_000;

/// A binding's tools, indexed by name.
pub struct Listing {
    pub(super) tools: Arc<[Tool]>,
    names: Names,
    /// What they are called in Python; made when a script in Python first asks.
    python_names: OnceLock<Names>,
    entries: Vec<Entry>,
    /// How many values the schemas have that arguments are held against.
    checked: AtomicUsize,
    /// How many values are kept of the schemas of answers.
    answers: KeptValues,
}

/// What is kept of a tool beside its definition.
struct Entry {
    name: Arc<str>,
    /// How many names a small schema of arguments lists; counted when somebody first asks.
    names: OnceLock<usize>,
    /// Made when the tool is first called.
    declared: OnceLock<DeclaredSchemas>,
    /// Made when the tool is first called.
    check: OnceLock<ArgumentCheck>,
    /// Made when a script is first checked that reads of an answer.
    answers: KeptSchema,
}

impl Listing {
    pub(super) fn new(tools: Arc<[Tool]>) -> Self {
        let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
        let entries = tools
            .iter()
            .map(|tool| Entry {
                name: tool.name.as_str().into(),
                names: OnceLock::new(),
                declared: OnceLock::new(),
                check: OnceLock::new(),
                answers: KeptSchema::default(),
            })
            .collect();
        Self {
            tools,
            names,
            python_names: OnceLock::new(),
            entries,
            checked: AtomicUsize::new(0),
            answers: KeptValues::default(),
        }
    }

    /// What is offered besides tools: `$read` in TypeScript, `_read` in Python, where a name may not
    /// have the sign. No identifier that is made of a name begins so.
    pub(super) fn offered(tools: Arc<[Tool]>) -> Self {
        let names = || tools.iter().map(|tool| tool.name.clone());
        let in_python = names().map(|name| name.replacen('$', "_", 1));
        let (same, python) = (
            Names::given(names().map(|name| (name.clone(), name))),
            Names::given(names().zip(in_python)),
        );
        Self {
            names: same,
            python_names: python.into(),
            ..Self::new(Arc::clone(&tools))
        }
    }

    /// Whether it is of this list, and no other that says the same.
    pub(super) fn is_of(&self, tools: &Arc<[Tool]>) -> bool {
        Arc::ptr_eq(&self.tools, tools)
    }

    /// The tool that is meant: by its name, its identifier, or what differs from those only in case
    /// and punctuation.
    pub fn find(&self, name: &str, idiom: Idiom) -> Lookup {
        self.names_as(idiom).find(name)
    }

    /// Whether a tool has that very name, or identifier.
    pub fn has(&self, name: &str, idiom: Idiom) -> bool {
        self.names_as(idiom).has(name)
    }

    /// The names that grants and declarations in TypeScript go by.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The names that scripts go by.
    pub(super) fn names_as(&self, idiom: Idiom) -> &Names {
        match idiom {
            Idiom::TypeScript => &self.names,
            Idiom::Python => self
                .python_names
                .get_or_init(|| self.names_in(Style::Snake)),
        }
    }

    pub fn tools(&self) -> &Arc<[Tool]> {
        &self.tools
    }

    pub fn tool(&self, index: usize) -> &Tool {
        &self.tools[index]
    }

    pub fn name(&self, index: usize) -> &Arc<str> {
        &self.entries[index].name
    }

    /// As [`Tool::wraps_result`] says.
    pub fn wraps_result(&self, index: usize) -> bool {
        self.declared(index).wraps_result
    }

    /// The tool's name as an identifier.
    pub fn identifier(&self, index: usize, idiom: Idiom) -> &str {
        &self.names_as(idiom).identifiers()[index]
    }

    /// The arguments that a guest sent for an outcome of that form, as the tool gets them;
    /// otherwise why it can't.
    pub fn read(&self, index: usize, text: &str, form: Form) -> Result<Value, String> {
        sent::read(text, self.declared(index), form)
    }

    /// The argument that a script means by a name.
    pub fn meant(&self, index: usize, name: &str) -> Option<&str> {
        self.declared(index).meant(name)
    }

    /// What the tool's schemas say of calls. Their texts are parsed where this is first asked for.
    pub(super) fn declared(&self, index: usize) -> &DeclaredSchemas {
        let declared = &self.entries[index].declared;
        declared.get_or_init(|| DeclaredSchemas::of(self.tool(index)))
    }

    /// Whether what is needed for that is there, or soon made.
    pub fn is_soon_declared(&self, index: usize) -> bool {
        if self.entries[index].declared.get().is_some() {
            return true;
        }
        let tool = self.tool(index);
        let output = tool.output_schema.as_ref().map_or(0, SchemaText::bytes);
        self.has_few_names(index) && output <= SMALL_SCHEMA
    }

    /// What is kept of the schema of a tool's answers, and the room for those of all.
    pub(super) fn kept_answers(&self, index: usize) -> (&KeptSchema, &KeptValues) {
        (&self.entries[index].answers, &self.answers)
    }

    /// The names of the arguments, required ones first, each kind in the schema's order.
    pub(super) fn parameters(&self, index: usize) -> Vec<String> {
        match self.is_soon_declared(index) {
            true => self.declared(index).parameters.to_vec(),
            false => sent::parameters(&self.tool(index).input_schema.parse_object()),
        }
    }

    /// The price of these names. It is the same whatever was asked before.
    pub(super) fn price_of_parameters(&self, index: usize) -> u64 {
        match self.has_few_names(index) {
            true => effort::ITEM * self.few_names(index).unwrap_or_default() as u64,
            false => effort::BYTE * self.tool(index).input_schema.bytes() as u64,
        }
    }

    /// Whether the schema of the arguments is small, and has few names to index.
    fn has_few_names(&self, index: usize) -> bool {
        let names = self.few_names(index);
        names.is_some_and(|names| INDEXED_NAME * names as u64 <= effort::MOST_IN_PLACE)
    }

    /// How many names a small schema lists; none of a large one, which is not parsed for that.
    fn few_names(&self, index: usize) -> Option<usize> {
        let schema = &self.tool(index).input_schema;
        let names = || sent::listed_names(&schema.parse_object());
        (schema.bytes() <= SMALL_SCHEMA).then(|| *self.entries[index].names.get_or_init(names))
    }

    /// Checks arguments against the tool's input schema, if that is work for the thread that one is
    /// on; else nothing is done.
    pub fn check_if_quick(
        &self,
        index: usize,
        arguments: &Value,
        idiom: Idiom,
        effort: &Effort,
    ) -> Result<Option<Result<(), ArgumentsError>>, EffortError> {
        match self.is_soon_checked(index) {
            true => self
                .check_of(index)
                .check_if_quick(arguments, idiom, effort),
            false => Ok(None),
        }
    }

    /// Checks arguments against the tool's input schema.
    pub fn check(
        &self,
        index: usize,
        arguments: &Value,
        idiom: Idiom,
        effort: &Effort,
    ) -> Result<Result<(), ArgumentsError>, EffortError> {
        self.check_of(index).check(arguments, idiom, effort)
    }

    /// What is wrong with arguments whatever is in the places of them that are not known.
    pub(super) fn mistakes(
        &self,
        index: usize,
        arguments: &Value,
        unproven: &Unproven,
        idiom: Idiom,
        effort: &Effort,
    ) -> Result<Option<ArgumentsError>, EffortError> {
        let check = self.check_of(index);
        check.mistakes(arguments, unproven, idiom, effort)
    }

    /// Whether what arguments are held against is there, or soon made.
    pub fn is_soon_checked(&self, index: usize) -> bool {
        match self.entries[index].check.get() {
            Some(check) => check.is_compiled(),
            None => ArgumentCheck::is_soon_made(self.tool(index)),
        }
    }

    fn check_of(&self, index: usize) -> &ArgumentCheck {
        self.entries[index].check.get_or_init(|| {
            let tool = self.tool(index);
            if self.has_room_for_check(json::count(tool.input_schema.parse_object().values())) {
                return ArgumentCheck::new(tool);
            }
            tracing::warn!(tool = tool.name, "Ampoule does not check arguments against this tool's schema: it is too large, or the server's schemas together are");
            ArgumentCheck::none(tool)
        })
    }

    /// Takes room for what holds arguments against a schema of so many values, if there is any.
    /// What gets none takes none from others.
    fn has_room_for_check(&self, values: usize) -> bool {
        let added = |all: usize| Some(all + values).filter(|all| *all <= MAX_CHECKED);
        values <= MAX_CHECKED_SCHEMA && self.checked.fetch_update(Relaxed, Relaxed, added).is_ok()
    }

    /// A tool in a line.
    pub fn signature(&self, tool: usize, idiom: Idiom) -> String {
        let interface = self.interface([tool]);
        let name = self.identifier(tool, idiom);
        signature::of(name, &interface.functions[0], &interface, idiom)
    }

    /// The package of some of the tools in WIT, which is called so.
    pub fn package(&self, called: &str, tools: impl IntoIterator<Item = usize>) -> wit::Package {
        let names = self.names_in(Style::Kebab);
        wit::package(called, &self.interface(tools), &names)
    }

    fn interface(&self, tools: impl IntoIterator<Item = usize>) -> Interface {
        Interface::of(tools.into_iter().map(|index| self.tool(index)))
    }

    /// The names of all tools, so that a tool is called the same whichever others are declared with
    /// it.
    pub(super) fn names_in(&self, style: Style) -> Names {
        Names::new(self.tools().iter().map(|tool| tool.name.as_str()), style)
    }
}
