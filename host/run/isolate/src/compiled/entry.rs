//! The export of a component that is run.

use wasmtime::component::types::{ComponentFunc, ComponentItem, Type};
use wasmtime::component::{Component, ComponentExportIndex, Instance};
use wasmtime::{Engine, Store};
use wasmtime_wasi::I32Exit;

use crate::outcome::Thrown;
use crate::state::RunState;
use crate::work::WorkResult;

/// What a component must export.
const WANTED: &str = "a component that can be run exports `run: async func(arguments: string) -> result<string, string>` (with or without `async`), \
                      or `wasi:cli/run`";

/// The exports of WASI's programs, in both versions. Of 0.3 it is an `async` function.
const COMMANDS: [&str; 2] = ["wasi:cli/run@0.2.", "wasi:cli/run@0.3."];

/// The export that is run.
pub(super) enum Entry {
    /// `run`: JSON in, JSON or an error's text out.
    Run(ComponentExportIndex),
    /// `wasi:cli/run`: prints, and returns nothing.
    Command(ComponentExportIndex),
}

impl Entry {
    /// # Errors
    ///
    /// What is wrong with its exports.
    pub(super) fn of(engine: &Engine, component: &Component) -> Result<Self, String> {
        let ty = component.component_type();
        if let Some(run) = ty.get_export(engine, "run") {
            return match (run.ty, component.get_export_index(None, "run")) {
                (ComponentItem::ComponentFunc(ty), Some(index)) if is_run(&ty) => {
                    Ok(Self::Run(index))
                }
                _ => Err(format!("its export `run` has another type: {WANTED}")),
            };
        }
        let mut names = ty.exports(engine).map(|(name, _)| name);
        if let Some(name) = names.find(|name| COMMANDS.iter().any(|run| name.starts_with(run))) {
            let instance = component.get_export_index(None, name);
            let run =
                instance.and_then(|instance| component.get_export_index(Some(&instance), "run"));
            if let Some(run) = run {
                return Ok(Self::Command(run));
            }
        }
        let exported: Vec<String> = ty
            .exports(engine)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let exported = match &*exported {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        Err(format!("it exports {exported}: {WANTED}"))
    }

    /// Calls it in an instance.
    pub(super) async fn call(
        &self,
        store: &mut Store<RunState>,
        instance: &Instance,
        arguments: &str,
    ) -> WorkResult {
        let ended = match self {
            Self::Run(index) => {
                let run = instance
                    .get_typed_func::<(String,), (Result<String, String>,)>(&mut *store, index)?;
                run.call_async(store, (arguments.to_owned(),))
                    .await
                    .map(|(returned,)| returned.map(Some))
            }
            Self::Command(index) => {
                let run = instance.get_typed_func::<(), (Result<(), ()>,)>(&mut *store, index)?;
                run.call_async(store, ())
                    .await
                    .map(|(returned,)| returned.map(|()| None).map_err(|()| status(1)))
            }
        };
        let ended = ended.or_else(|error| match error.downcast_ref::<I32Exit>() {
            Some(I32Exit(0)) => Ok(Ok(None)),
            Some(I32Exit(code)) => Ok(Err(status(*code))),
            None => Err(error),
        });
        Ok(match ended? {
            Ok(value) => Ok(value),
            Err(message) => Err(failure(message)),
        })
    }
}

/// `func(arguments: string) -> result<string, string>`
fn is_run(ty: &ComponentFunc) -> bool {
    let parameters: Vec<Type> = ty.params().map(|(_, ty)| ty).collect();
    let results: Vec<Type> = ty.results().collect();
    let [Type::Result(returned)] = &*results else {
        return false;
    };
    parameters == [Type::String]
        && returned.ok() == Some(Type::String)
        && returned.err() == Some(Type::String)
}

fn status(code: i32) -> String {
    format!(
        "the program ended with status {code}; what it wrote to standard error is in the output"
    )
}

/// An error that the program returned, which has no place in any source.
fn failure(message: String) -> Thrown {
    Thrown {
        name: "Error".into(),
        message,
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    }
}
