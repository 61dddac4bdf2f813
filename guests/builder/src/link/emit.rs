//! The linked module, written.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, DataSection, ElementSection, Elements, EntityType,
    ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType, ImportSection,
    Instruction, MemorySection, MemoryType, Module, NameMap, NameSection, RefType, TableSection,
    TableType, TypeSection, ValType,
};
use wasmparser::{FuncType, Operator};

use super::super::FunctionNames;
use super::layout::Layout;
use super::library::Library;
use super::symbols::{Function, Symbols, Value, Variable};

/// A module in the making: its functions, types and variables have their indexes.
pub(super) struct Emitter<'l, 'a> {
    libraries: &'l [Library<'a>],
    layout: &'l Layout,
    symbols: &'l Symbols<'l, 'a>,
    types: Vec<FuncType>,
    type_indexes: HashMap<FuncType, u32>,
    /// In the order of their indexes: what is imported comes first.
    functions: Vec<Function>,
    function_indexes: HashMap<Function, u32>,
    variables: BTreeMap<Variable, u32>,
    /// Whether the module says what its functions are called.
    names: FunctionNames,
}

impl<'l, 'a> Emitter<'l, 'a> {
    pub(super) fn new(
        libraries: &'l [Library<'a>],
        layout: &'l Layout,
        symbols: &'l Symbols<'l, 'a>,
        functions: Vec<Function>,
        names: FunctionNames,
    ) -> Self {
        let indexes = functions.iter().cloned().zip(0..).collect();
        let own = libraries.iter().enumerate().flat_map(|(library, it)| {
            let globals = it.globals.iter().enumerate();
            globals
                .filter(|(_, global)| global.ty.mutable)
                .map(move |(global, _)| Variable::Own { library, global })
        });
        let variables = [Variable::StackPointer].into_iter().chain(own);
        Self {
            libraries,
            layout,
            symbols,
            types: Vec::new(),
            type_indexes: HashMap::new(),
            functions,
            function_indexes: indexes,
            variables: variables.zip(0..).collect(),
            names,
        }
    }

    /// Writes the module. `loading` are called, in order, by an exported function of the given
    /// name.
    pub(super) fn module(
        mut self,
        exports: &[(&str, Function)],
        loader: &str,
        loading: &[Function],
    ) -> Result<Vec<u8>> {
        let mut imports = ImportSection::new();
        let mut functions = FunctionSection::new();
        for function in self.functions.clone() {
            let ty = self.type_index(self.symbols.type_of(&function)?);
            match function {
                Function::Imported { module, name } => {
                    imports.import(&module, &name, EntityType::Function(ty));
                }
                Function::Own { .. } | Function::Missing { .. } => {
                    functions.function(ty);
                }
            }
        }
        functions.function(self.type_index(&FuncType::new([], [])));
        let code = self.code(loading)?;
        let (elements, table_elements) = self.elements();
        let mut module = Module::new();
        module.section(&self.type_section()?);
        module.section(&imports);
        module.section(&functions);
        module.section(TableSection::new().table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: table_elements,
            maximum: Some(table_elements),
            shared: false,
        }));
        module.section(MemorySection::new().memory(MemoryType {
            minimum: self.layout.pages().into(),
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        }));
        module.section(&self.globals()?);
        module.section(&self.exports(exports, loader));
        module.section(&elements);
        module.section(&code);
        module.section(&self.data());
        if self.names == FunctionNames::Kept {
            module.section(&self.name_section());
        }
        for (name, data) in self.libraries.iter().flat_map(|library| &library.worlds) {
            module.section(&CustomSection {
                name: (*name).into(),
                data: (*data).into(),
            });
        }
        Ok(module.finish())
    }

    fn type_index(&mut self, ty: &FuncType) -> u32 {
        if let Some(&index) = self.type_indexes.get(ty) {
            return index;
        }
        let index = self.types.len() as u32;
        self.types.push(ty.clone());
        self.type_indexes.insert(ty.clone(), index);
        index
    }

    fn type_section(&self) -> Result<TypeSection> {
        let mut section = TypeSection::new();
        for ty in &self.types {
            let ty = reencode::RoundtripReencoder.func_type(ty.clone())?;
            section.ty().func_type(&ty);
        }
        Ok(section)
    }

    fn code(&mut self, loading: &[Function]) -> Result<CodeSection> {
        let mut section = CodeSection::new();
        for function in self.functions.clone() {
            match function {
                Function::Imported { .. } => {}
                Function::Own { library, function } => {
                    let body = self.symbols.body(library, function).clone();
                    Relocate {
                        emitter: self,
                        library,
                    }
                    .parse_function_body(&mut section, body)
                    .map_err(described)?;
                }
                Function::Missing { .. } => {
                    section.function(&body(&[Instruction::Unreachable]));
                }
            }
        }
        let calls: Vec<_> = loading
            .iter()
            .map(|function| Instruction::Call(self.function_indexes[function]))
            .collect();
        section.function(&body(&calls));
        Ok(section)
    }

    fn elements(&self) -> (ElementSection, u64) {
        let mut section = ElementSection::new();
        let mut next = 0;
        let mut run: Vec<u32> = Vec::new();
        let mut end = |run: &mut Vec<u32>, next: u32| {
            let first = ConstExpr::i32_const((next - run.len() as u32) as i32);
            section.active(None, &first, Elements::Functions(run.as_slice().into()));
            run.clear();
        };
        for (&element, function) in &self.symbols.table {
            if element != next && !run.is_empty() {
                end(&mut run, next);
            }
            run.push(self.function_indexes[function]);
            next = element + 1;
        }
        end(&mut run, next);
        (section, next.into())
    }

    fn globals(&self) -> Result<GlobalSection> {
        let mut section = GlobalSection::new();
        for variable in self.variables.keys() {
            let value = match *variable {
                Variable::StackPointer => self.layout.stack.bytes as i32,
                Variable::Own { library, global } => {
                    let value = self.libraries[library].globals[global].value;
                    self.symbols.constant(library, value)?
                }
            };
            let ty = GlobalType {
                val_type: ValType::I32,
                mutable: true,
                shared: false,
            };
            section.global(ty, &ConstExpr::i32_const(value));
        }
        Ok(section)
    }

    fn exports(&self, exports: &[(&str, Function)], loader: &str) -> ExportSection {
        let mut section = ExportSection::new();
        section.export("memory", ExportKind::Memory, 0);
        for (name, function) in exports {
            section.export(name, ExportKind::Func, self.function_indexes[function]);
        }
        section.export(loader, ExportKind::Func, self.functions.len() as u32);
        section
    }

    fn name_section(&self) -> NameSection {
        let mut functions = NameMap::new();
        for (function, index) in self.functions.iter().zip(0..) {
            let Function::Own { library, function } = function else {
                continue;
            };
            let library = &self.libraries[*library];
            let own = (library.imported_functions.len() + function) as u32;
            if let Some(name) = library.names.get(&own) {
                functions.append(index, name);
            }
        }
        let mut section = NameSection::new();
        section.functions(&functions);
        section
    }

    fn data(&self) -> DataSection {
        let mut section = DataSection::new();
        for (library, place) in self.libraries.iter().zip(&self.layout.places) {
            for (offset, bytes) in &library.data {
                let address = ConstExpr::i32_const((place.memory + offset) as i32);
                section.active(0, &address, bytes.iter().copied());
            }
        }
        section
    }
}

fn body(instructions: &[Instruction<'_>]) -> wasm_encoder::Function {
    let mut body = wasm_encoder::Function::new([]);
    for instruction in instructions {
        body.instruction(instruction);
    }
    body.instruction(&Instruction::End);
    body
}

/// A library's code with the module's indexes; what is constant in the module is a constant in it.
struct Relocate<'e, 'l, 'a> {
    emitter: &'e mut Emitter<'l, 'a>,
    library: usize,
}

type Failure = reencode::Error<anyhow::Error>;

impl Reencode for Relocate<'_, '_, '_> {
    type Error = anyhow::Error;

    fn type_index(&mut self, index: u32) -> Result<u32, Failure> {
        let ty = self.emitter.libraries[self.library].types[index as usize].clone();
        Ok(self.emitter.type_index(&ty))
    }

    fn function_index(&mut self, index: u32) -> Result<u32, Failure> {
        let function = self.emitter.symbols.function(self.library, index);
        let function = function.map_err(reencode::Error::UserError)?;
        Ok(self.emitter.function_indexes[&function])
    }

    fn global_index(&mut self, index: u32) -> Result<u32, Failure> {
        let global = self.emitter.symbols.global(self.library, index);
        match global.map_err(reencode::Error::UserError)? {
            Value::Variable(variable) => Ok(self.emitter.variables[&variable]),
            Value::Constant(_) => Err(reencode::Error::UserError(anyhow!(
                "a constant is written to"
            ))),
        }
    }

    fn instruction<'b>(&mut self, operator: Operator<'b>) -> Result<Instruction<'b>, Failure> {
        if let Operator::GlobalGet { global_index } = operator {
            let global = self.emitter.symbols.global(self.library, global_index);
            if let Value::Constant(value) = global.map_err(reencode::Error::UserError)? {
                return Ok(Instruction::I32Const(value));
            }
        }
        reencode::utils::instruction(self, operator)
    }
}

fn described(error: Failure) -> anyhow::Error {
    match error {
        reencode::Error::UserError(error) => error,
        other => anyhow!("{other}"),
    }
}
