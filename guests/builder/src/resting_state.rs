//! Whether memory is all of a guest's state while it rests: between two steps its globals and
//! tables are those of a new instance. So what is put into the memory of a new one makes that go on
//! where this one stood.

use anyhow::{Result, anyhow, ensure};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ExportKind, ExportSection};
use wasmparser::{ExportSectionReader, GlobalSectionReader, Operator, Parser, Payload};
use wasmtime::{Engine, Module, Val};

use crate::rewrite::{WriteResult, rewritten};
use crate::trial::Trial;

/// Checks a guest with a script that waits for time to pass, and ends.
///
/// # Errors
///
/// Where it changes a table, or a global that is another one at rest.
pub(super) fn check(module: &[u8], waits: &str) -> Result<()> {
    changes_no_table(module)?;
    let globals = Globals::of(module)?;
    let fails = |error| anyhow!("the guest does not run: {error:?}");
    let engine = Engine::default();
    let module = Module::new(&engine, globals.exported(module)?).map_err(fails)?;
    let mut trial = Trial::of(&engine, &module).map_err(fails)?;
    let new = globals.read(&mut trial);
    ensure!(
        trial.start(waits).map_err(fails)?,
        "`{waits}` does not wait"
    );
    ensure!(
        globals.read(&mut trial) == new,
        "globals of a run that waits are not those of a new one: memory is not all of its state"
    );
    // The clock stands still: so does the script.
    ensure!(trial.step().map_err(fails)?, "`{waits}` did not wait");
    ensure!(
        globals.read(&mut trial) == new,
        "globals are not what they were before a step"
    );
    Ok(())
}

fn changes_no_table(module: &[u8]) -> Result<()> {
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CodeSectionEntry(body) = payload? {
            for operator in body.get_operators_reader()? {
                let operator = operator?;
                ensure!(
                    !matches!(
                        operator,
                        Operator::TableSet { .. }
                            | Operator::TableGrow { .. }
                            | Operator::TableFill { .. }
                            | Operator::TableCopy { .. }
                            | Operator::TableInit { .. }
                    ),
                    "a table changes while the guest runs ({operator:?}): memory is not all of its state"
                );
            }
        }
    }
    Ok(())
}

/// The indices of the globals that can change. The guests import none.
struct Globals(Vec<u32>);

impl Globals {
    fn of(module: &[u8]) -> Result<Self> {
        let mut changing = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::GlobalSection(section) = payload? {
                changing = Self::in_section(section)?;
            }
        }
        Ok(Self(changing))
    }

    fn in_section(section: GlobalSectionReader<'_>) -> Result<Vec<u32>> {
        let mut changing = Vec::new();
        for (index, global) in (0..).zip(section) {
            if global?.ty.mutable {
                changing.push(index);
            }
        }
        Ok(changing)
    }

    /// The module with them among its exports.
    fn exported(&self, module: &[u8]) -> Result<Vec<u8>> {
        rewritten(&mut Exporter(&self.0), module)
    }

    fn read(&self, trial: &mut Trial) -> Vec<u128> {
        let value = |index: &u32| {
            let global = trial.instance.get_global(&mut trial.store, &name(*index));
            match global.expect("exported").get(&mut trial.store) {
                Val::I32(value) => value as u128,
                Val::I64(value) => value as u128,
                Val::F32(bits) => bits.into(),
                Val::F64(bits) => bits.into(),
                Val::V128(bits) => bits.as_u128(),
                other => panic!("a guest has no global that holds {other:?}"),
            }
        };
        self.0.iter().map(value).collect()
    }
}

fn name(global: u32) -> String {
    format!("rest:{global}")
}

struct Exporter<'a>(&'a [u32]);

impl Reencode for Exporter<'_> {
    type Error = std::convert::Infallible;

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> WriteResult {
        reencode::utils::parse_export_section(self, exports, section)?;
        for &global in self.0 {
            exports.export(&name(global), ExportKind::Global, global);
        }
        Ok(())
    }
}
