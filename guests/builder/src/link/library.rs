//! A dynamic library as it was compiled: a module whose memory and table are somebody else's.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail};
use wasmparser::{
    ConstExpr, Data, DataKind, Dylink0Subsection, Element, ElementItems, ElementKind, ExternalKind,
    FuncType, FunctionBody, GlobalType, KnownCustom, MemInfo, Name, Operator, Parser, Payload,
    SymbolFlags, TypeRef,
};

/// The prefix of the custom sections that tell a module's WIT.
const WORLD_SECTION: &str = "component-type";

/// A library, parsed; its code is not.
pub(super) struct Library<'a> {
    pub(super) name: String,
    pub(super) memory: MemInfo,
    pub(super) types: Vec<FuncType>,
    /// The functions of its index space that it imports.
    pub(super) imported_functions: Vec<Import<'a>>,
    /// The globals of its index space that it imports.
    pub(super) imported_globals: Vec<Import<'a>>,
    /// Symbols that may be missing.
    pub(super) weak: HashSet<&'a str>,
    /// The types of its own functions.
    pub(super) functions: Vec<u32>,
    /// Its own functions' code.
    pub(super) bodies: Vec<FunctionBody<'a>>,
    pub(super) globals: Vec<Global>,
    pub(super) exports: HashMap<&'a str, (ExternalKind, u32)>,
    pub(super) start: Option<u32>,
    /// The functions that it puts into the table, each with its offset from the library's base.
    pub(super) elements: Vec<(u32, u32)>,
    /// What it puts into memory, with the offset from the library's base.
    pub(super) data: Vec<(u32, &'a [u8])>,
    /// What its functions are called, for profiles.
    pub(super) names: HashMap<u32, &'a str>,
    /// The sections that tell its WIT.
    pub(super) worlds: Vec<(&'a str, &'a [u8])>,
}

pub(super) struct Import<'a> {
    pub(super) module: &'a str,
    pub(super) name: &'a str,
    /// The type of a function; nothing for a global.
    pub(super) ty: u32,
}

/// A library's own global.
pub(super) struct Global {
    pub(super) ty: GlobalType,
    pub(super) value: Address,
}

/// A constant, which may count from where the library is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// The number itself.
    Absolute(i32),
    /// From the library's first byte in memory.
    Memory(u32),
    /// From the library's first element in the table.
    Table(u32),
    /// What another global of the library holds.
    Global(u32),
}

impl<'a> Library<'a> {
    /// Reads a library.
    ///
    /// # Errors
    ///
    /// Where it is no module, or has what a library that C and Rust compile to has not.
    pub(super) fn parse(name: &str, bytes: &'a [u8]) -> Result<Self> {
        let mut library = Self {
            name: name.to_owned(),
            memory: MemInfo {
                memory_size: 0,
                memory_alignment: 0,
                table_size: 0,
                table_alignment: 0,
            },
            types: Vec::new(),
            imported_functions: Vec::new(),
            imported_globals: Vec::new(),
            weak: HashSet::new(),
            functions: Vec::new(),
            bodies: Vec::new(),
            globals: Vec::new(),
            exports: HashMap::new(),
            start: None,
            elements: Vec::new(),
            data: Vec::new(),
            names: HashMap::new(),
            worlds: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(bytes) {
            library
                .take(payload?)
                .with_context(|| format!("{name} can't be linked"))?;
        }
        Ok(library)
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    self.import(import.module, import.name, import.ty)?;
                }
            }
            Payload::FunctionSection(functions) => {
                self.functions = functions.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    let global = global?;
                    self.globals.push(Global {
                        ty: global.ty,
                        value: self.address(&global.init_expr)?,
                    });
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    self.exports
                        .insert(export.name, (export.kind, export.index));
                }
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.element(element?)?;
                }
            }
            Payload::DataSection(data) => {
                for segment in data {
                    self.segment(&segment?)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Dylink0(parts) => {
                    for part in parts {
                        self.dylink(part?);
                    }
                }
                KnownCustom::Name(parts) => {
                    for part in parts {
                        self.name_functions(part?)?;
                    }
                }
                _ if section.name().starts_with(WORLD_SECTION) => {
                    self.worlds.push((section.name(), section.data()));
                }
                _ => {}
            },
            Payload::TableSection(_) | Payload::MemorySection(_) | Payload::TagSection(_) => {
                bail!("it has a table, memory or tag of its own")
            }
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, module: &'a str, name: &'a str, ty: TypeRef) -> Result<()> {
        match ty {
            TypeRef::Func(ty) => self.imported_functions.push(Import { module, name, ty }),
            TypeRef::Global(_) => self.imported_globals.push(Import {
                module,
                name,
                ty: 0,
            }),
            TypeRef::Memory(_) | TypeRef::Table(_) => {}
            other => bail!("it imports {module} {name}, which is {other:?}"),
        }
        Ok(())
    }

    fn dylink(&mut self, part: Dylink0Subsection<'a>) {
        match part {
            Dylink0Subsection::MemInfo(memory) => self.memory = memory,
            Dylink0Subsection::ImportInfo(imports) => {
                let weak = imports
                    .iter()
                    .filter(|import| import.flags.contains(SymbolFlags::BINDING_WEAK));
                self.weak.extend(weak.map(|import| import.field));
            }
            _ => {}
        }
    }

    fn name_functions(&mut self, part: Name<'a>) -> Result<()> {
        if let Name::Function(names) = part {
            for name in names {
                let name = name?;
                self.names.insert(name.index, name.name);
            }
        }
        Ok(())
    }

    fn element(&mut self, element: Element<'a>) -> Result<()> {
        let (ElementKind::Active { offset_expr, .. }, ElementItems::Functions(functions)) =
            (element.kind, element.items)
        else {
            bail!("it has elements that are not functions for the table");
        };
        let Address::Table(base) = self.address(&offset_expr)? else {
            bail!("its elements are not relative to its place in the table");
        };
        for (index, function) in functions.into_iter().enumerate() {
            self.elements.push((base + index as u32, function?));
        }
        Ok(())
    }

    fn segment(&mut self, data: &Data<'a>) -> Result<()> {
        let DataKind::Active { offset_expr, .. } = &data.kind else {
            bail!("it has data that is not in memory from the start");
        };
        let Address::Memory(offset) = self.address(offset_expr)? else {
            bail!("its data is not relative to its place in memory");
        };
        self.data.push((offset, data.data));
        Ok(())
    }

    /// The value of a constant expression: a number, a global, or their sum.
    fn address(&self, expression: &ConstExpr<'_>) -> Result<Address> {
        let mut base = None;
        let mut number = 0i32;
        for operator in expression.get_operators_reader() {
            match operator? {
                Operator::I32Const { value } => number = number.wrapping_add(value),
                Operator::GlobalGet { global_index } if base.is_none() => base = Some(global_index),
                Operator::I32Add | Operator::End => {}
                other => bail!("a constant has {other:?}"),
            }
        }
        Ok(match base {
            None => Address::Absolute(number),
            Some(global) if self.is_import(global, "__memory_base") => {
                Address::Memory(number as u32)
            }
            Some(global) if self.is_import(global, "__table_base") => Address::Table(number as u32),
            Some(global) if number == 0 => Address::Global(global),
            Some(_) => bail!("a constant is relative to a global that is not a base"),
        })
    }

    fn is_import(&self, global: u32, name: &str) -> bool {
        self.imported_globals
            .get(global as usize)
            .is_some_and(|import| import.name == name && import.module == "env")
    }

    /// The library's own function with this index, or else the import.
    pub(super) fn function(&self, index: u32) -> Result<usize, &Import<'a>> {
        let imported = self.imported_functions.len();
        match self.imported_functions.get(index as usize) {
            Some(import) => Err(import),
            None => Ok(index as usize - imported),
        }
    }

    /// The type of a function of its index space.
    pub(super) fn type_of(&self, index: u32) -> &FuncType {
        let ty = match self.function(index) {
            Ok(own) => self.functions[own],
            Err(import) => import.ty,
        };
        &self.types[ty as usize]
    }
}
