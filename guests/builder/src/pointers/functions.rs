//! What a module says of its functions.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use wasmparser::{ElementItems, ElementKind, FuncType, Operator, Parser, Payload, TypeRef};

/// The functions of a module that has one table.
pub(super) struct Functions {
    types: Vec<FuncType>,
    /// The type of each function, those first that are imported.
    of: Vec<u32>,
    /// How many are imported.
    pub(super) imported: u32,
    /// Which one is at each place of the table.
    table: BTreeMap<u32, u32>,
}

impl Functions {
    pub(super) fn of(module: &[u8]) -> Result<Self> {
        let mut functions = Self {
            types: Vec::new(),
            of: Vec::new(),
            imported: 0,
            table: BTreeMap::new(),
        };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TableSection(section) => {
                    ensure!(section.count() == 1, "there is more than one table");
                }
                Payload::TypeSection(section) => {
                    for of_type in section.into_iter_err_on_gc_types() {
                        functions.types.push(of_type?);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        if let TypeRef::Func(of_type) = import?.ty {
                            functions.of.push(of_type);
                            functions.imported += 1;
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for of_type in section {
                        functions.of.push(of_type?);
                    }
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        functions.add(element?)?;
                    }
                }
                _ => {}
            }
        }
        Ok(functions)
    }

    fn add(&mut self, element: wasmparser::Element<'_>) -> Result<()> {
        let ElementKind::Active { offset_expr, .. } = element.kind else {
            return Ok(());
        };
        let ElementItems::Functions(functions) = element.items else {
            bail!("the table is filled with what is computed");
        };
        let mut place = offset_expr.get_operators_reader();
        let (Operator::I32Const { value: start }, Operator::End) = (place.read()?, place.read()?)
        else {
            bail!("the table is filled at a place that is computed");
        };
        for (place, function) in (start as u32..).zip(functions) {
            self.table.insert(place, function?);
        }
        Ok(())
    }

    /// How many places the table has, as far as they are filled.
    pub(super) fn places(&self) -> u32 {
        self.table
            .last_key_value()
            .map_or(0, |(place, _)| place + 1)
    }

    /// The function at a place of the table.
    pub(super) fn at(&self, place: u32) -> Option<u32> {
        self.table.get(&place).copied()
    }

    /// Whether a function is of a type.
    pub(super) fn is_of(&self, function: u32, of_type: u32) -> bool {
        let own = self.of.get(function as usize);
        let types = |index: u32| self.types.get(index as usize);
        own.is_some_and(|own| *own == of_type || types(*own) == types(of_type))
    }

    /// How many parameters one of the module's own functions has, by its number among them.
    pub(super) fn parameters(&self, own: u32) -> u32 {
        let of_type = self.of.get((self.imported + own) as usize);
        let of_type = of_type.and_then(|index| self.types.get(*index as usize));
        of_type.map_or(0, |of_type| of_type.params().len() as u32)
    }
}
