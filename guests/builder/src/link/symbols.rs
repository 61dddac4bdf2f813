//! What each name that a library imports stands for.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context, Result, bail};
use wasmparser::{ExternalKind, FuncType, FunctionBody, Operator};

use super::layout::Layout;
use super::library::{Address, Import, Library};
use super::replacement::Replacements;

/// A function of the linked module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Function {
    /// What the module imports.
    Imported { module: String, name: String },
    /// A library's own.
    Own { library: usize, function: usize },
    /// Nothing defines it, and nothing needs it: it traps.
    Missing { module: String, name: String },
}

/// What a library's global is in the linked module.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// The same number for ever.
    Constant(i32),
    /// A global that code changes.
    Variable(Variable),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    StackPointer,
    Own { library: usize, global: usize },
}

/// The libraries' names, resolved. Where several libraries define a name, the first one counts.
pub(super) struct Symbols<'l, 'a> {
    libraries: &'l [Library<'a>],
    layout: &'l Layout,
    defined: HashMap<&'a str, (usize, ExternalKind, u32)>,
    replacements: Replacements<'a>,
    /// The table, by element.
    pub(super) table: BTreeMap<u32, Function>,
    /// The elements that hold a function.
    elements: HashMap<Function, u32>,
}

impl<'l, 'a> Symbols<'l, 'a> {
    pub(super) fn resolve(libraries: &'l [Library<'a>], layout: &'l Layout) -> Result<Self> {
        let mut defined = HashMap::new();
        for (index, library) in libraries.iter().enumerate() {
            for (&name, &(kind, item)) in &library.exports {
                defined.entry(name).or_insert((index, kind, item));
            }
        }
        let mut symbols = Self {
            libraries,
            layout,
            defined,
            replacements: Replacements::of(libraries)?,
            table: BTreeMap::new(),
            elements: HashMap::new(),
        };
        symbols.fill_table()?;
        Ok(symbols)
    }

    /// Gives each library's functions their elements, and others that somebody takes the address of
    /// one behind them.
    fn fill_table(&mut self) -> Result<()> {
        let libraries = self.libraries;
        for (index, library) in libraries.iter().enumerate() {
            for &(offset, function) in &library.elements {
                let element = self.layout.places[index].table + offset;
                let function = self.function(index, function)?;
                self.elements.entry(function.clone()).or_insert(element);
                self.table.insert(element, function);
            }
        }
        let mut free = self.layout.free_element;
        for library in libraries {
            let taken = library.imported_globals.iter();
            for import in taken.filter(|import| import.module == "GOT.func") {
                let Some(function) = self.defined_function(import.name)? else {
                    continue;
                };
                if !self.elements.contains_key(&function) {
                    self.elements.insert(function.clone(), free);
                    self.table.insert(free, function);
                    free += 1;
                }
            }
        }
        Ok(())
    }

    /// The function that a library means by an index.
    pub(super) fn function(&self, library: usize, index: u32) -> Result<Function> {
        let import = match self.libraries[library].function(index) {
            Ok(function) => {
                let (library, function) = self.replacements.instead_of(library, function);
                return Ok(Function::Own { library, function });
            }
            Err(import) => import,
        };
        let (module, name) = (import.module.to_owned(), import.name.to_owned());
        if module == "env" {
            if let Some((library, function)) = self.replacements.original(&name) {
                return Ok(Function::Own { library, function });
            }
            if let Some(function) = self.defined_function(&name)? {
                return Ok(function);
            }
            if !self.libraries[library].weak.contains(import.name) {
                bail!(
                    "{} needs {name}, and nothing defines it",
                    self.libraries[library].name
                );
            }
            return Ok(Function::Missing { module, name });
        }
        if !is_system(&module) {
            return Ok(Function::Imported { module, name });
        }
        Ok(self
            .defined_function(&format!("{module}#{name}"))?
            .unwrap_or(Function::Missing { module, name }))
    }

    fn defined_function(&self, name: &str) -> Result<Option<Function>> {
        match self.defined.get(name) {
            Some(&(library, ExternalKind::Func, index)) => self.function(library, index).map(Some),
            Some((_, kind, _)) => bail!("{name} is not a function but a {kind:?}"),
            None => Ok(None),
        }
    }

    /// What a library means by a global's index.
    pub(super) fn global(&self, library: usize, index: u32) -> Result<Value> {
        let imported = &self.libraries[library].imported_globals;
        if let Some(import) = imported.get(index as usize) {
            return self.imported_global(library, import);
        }
        let global = index as usize - imported.len();
        let own = &self.libraries[library].globals[global];
        if own.ty.mutable {
            return Ok(Value::Variable(Variable::Own { library, global }));
        }
        self.constant(library, own.value).map(Value::Constant)
    }

    /// The value of a constant in a library.
    pub(super) fn constant(&self, library: usize, address: Address) -> Result<i32> {
        let place = self.layout.places[library];
        Ok(match address {
            Address::Absolute(number) => number,
            Address::Memory(offset) => (place.memory + offset) as i32,
            Address::Table(offset) => (place.table + offset) as i32,
            Address::Global(global) => match self.global(library, global)? {
                Value::Constant(number) => number,
                Value::Variable(_) => bail!("a constant is the value of a variable"),
            },
        })
    }

    fn imported_global(&self, library: usize, import: &Import<'_>) -> Result<Value> {
        let place = self.layout.places[library];
        let value = match (import.module, import.name) {
            ("env", "__stack_pointer") => return Ok(Value::Variable(Variable::StackPointer)),
            ("env", "__memory_base") => Some(place.memory),
            ("env", "__table_base") => Some(place.table),
            ("GOT.func", name) => self
                .defined_function(name)?
                .map(|function| self.elements[&function]),
            ("GOT.mem", name) => self.data(name)?,
            (module, name) => bail!("nothing defines the global {module} {name}"),
        };
        match value {
            Some(value) => Ok(Value::Constant(value as i32)),
            None if self.libraries[library].weak.contains(import.name) => Ok(Value::Constant(0)),
            None => bail!(
                "{} needs {}, and nothing defines it",
                self.libraries[library].name,
                import.name
            ),
        }
    }

    /// The address of data. A library's exports count from its base.
    fn data(&self, name: &str) -> Result<Option<u32>> {
        let Some(&(library, kind, index)) = self.defined.get(name) else {
            return Ok(self.layout.symbol(name));
        };
        let definer = &self.libraries[library];
        let own = (index as usize).checked_sub(definer.imported_globals.len());
        let (ExternalKind::Global, Some(own)) = (kind, own) else {
            bail!("{name} is not data of {}", definer.name);
        };
        let offset = match definer.globals[own].value {
            Address::Absolute(offset) => offset as u32,
            Address::Memory(offset) => offset,
            other => bail!("{name} of {} is at {other:?}", definer.name),
        };
        Ok(Some(self.layout.places[library].memory + offset))
    }

    /// The functions that a library exports under these names, in the libraries' order.
    pub(super) fn exported(&self, names: &[&str]) -> Result<Vec<Function>> {
        let mut functions = Vec::new();
        for (index, library) in self.libraries.iter().enumerate() {
            let found = names.iter().find_map(|name| library.exports.get(name));
            if let Some(&(ExternalKind::Func, function)) = found {
                functions.push(self.function(index, function)?);
            }
        }
        Ok(functions)
    }

    /// What runs when a library is loaded, in the libraries' order.
    pub(super) fn starts(&self) -> Result<Vec<Function>> {
        let starts = self.libraries.iter().enumerate();
        starts
            .filter_map(|(index, library)| Some((index, library.start?)))
            .map(|(index, start)| self.function(index, start))
            .collect()
    }

    /// All functions that the given ones may call, themselves included, in order. What the table
    /// holds may be called by anybody.
    pub(super) fn reachable(
        &self,
        roots: impl IntoIterator<Item = Function>,
    ) -> Result<Vec<Function>> {
        let mut waiting: Vec<Function> = roots.into_iter().collect();
        waiting.extend(self.table.values().cloned());
        let mut reached = HashSet::new();
        while let Some(function) = waiting.pop() {
            if !reached.insert(function.clone()) {
                continue;
            }
            if let Function::Own { library, function } = function {
                for callee in callees(&self.libraries[library].bodies[function])? {
                    waiting.push(self.function(library, callee)?);
                }
            }
        }
        let mut reached: Vec<Function> = reached.into_iter().collect();
        reached.sort();
        Ok(reached)
    }

    pub(super) fn body(&self, library: usize, function: usize) -> &'l FunctionBody<'a> {
        &self.libraries[library].bodies[function]
    }

    /// The type of a function, as the first library that knows it has it.
    pub(super) fn type_of(&self, function: &Function) -> Result<&'l FuncType> {
        let libraries = self.libraries;
        match function {
            Function::Own { library, function } => {
                let library = &libraries[*library];
                Ok(library.type_of((library.imported_functions.len() + function) as u32))
            }
            Function::Imported { module, name } | Function::Missing { module, name } => libraries
                .iter()
                .find_map(|library| {
                    let imports = &library.imported_functions;
                    let import = imports
                        .iter()
                        .find(|import| import.module == module && import.name == name)?;
                    Some(&library.types[import.ty as usize])
                })
                .context("some library imports it"),
        }
    }
}

/// Whether a module is the system's interface, which the guest itself has to define.
fn is_system(module: &str) -> bool {
    module.starts_with("wasi:") || module.starts_with("wasi_")
}

fn callees(body: &FunctionBody<'_>) -> Result<Vec<u32>> {
    let mut callees = Vec::new();
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => callees.push(function_index),
            _ => {}
        }
    }
    Ok(callees)
}
