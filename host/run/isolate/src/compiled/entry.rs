//! The export of a component that is run.

use ampoule_effort as effort;
use ampoule_limits::{Limit, LimitError};
use ampoule_untrusted::json;
use ampoule_values::{DecodeError, EncodeError, RunResult, RunTypes, memory_bytes};
use serde_json::Value;
use wasmtime::component::types::{ComponentFunc, ComponentItem, Type};
use wasmtime::component::{Component, ComponentExportIndex, Instance, Val};
use wasmtime::{Engine, Store};
use wasmtime_wasi::I32Exit;

use crate::outcome::Thrown;
use crate::state::RunState;
use crate::work::WorkResult;

/// What a component must export.
const WANTED: &str = "a component that can be run exports `run: async func(arguments: string) -> result<string, string>` (with or without `async`), \
                      `run` with types of its own, or `wasi:cli/run`";

/// The exports of WASI's programs, in both versions. Of 0.3 it is an `async` function.
const COMMANDS: [&str; 2] = ["wasi:cli/run@0.2.", "wasi:cli/run@0.3."];

/// The export that is run.
pub(super) enum Entry {
    /// `run`: JSON in, JSON or an error's text out.
    Run(ComponentExportIndex),
    /// `run` with types of its own.
    Typed(ComponentExportIndex, Box<RunTypes>),
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
                (ComponentItem::ComponentFunc(ty), Some(index)) => match RunTypes::of(&ty) {
                    Ok(types) => Ok(Self::Typed(index, Box::new(types))),
                    Err(problem) => Err(format!(
                        "its export `run` has a type that JSON can't express: {problem}"
                    )),
                },
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

    /// The types of a `run` that has its own.
    pub(super) fn types(&self) -> Option<&RunTypes> {
        match self {
            Self::Typed(_, types) => Some(types),
            Self::Run(_) | Self::Command(_) => None,
        }
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
            Self::Typed(index, types) => {
                call_typed(&mut *store, instance, *index, types, arguments).await
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

/// Calls a `run` with types of its own. What does not fit them is an error of the run.
async fn call_typed(
    store: &mut Store<RunState>,
    instance: &Instance,
    index: ComponentExportIndex,
    types: &RunTypes,
    arguments: &str,
) -> wasmtime::Result<Result<Option<String>, String>> {
    let parameters = match parameters(store.data(), types, arguments)? {
        Ok(parameters) => parameters,
        Err(problem) => return Ok(Err(problem)),
    };
    let bytes = parameters.iter().map(memory_bytes).sum();
    let _parameters = store.data().held.hold(bytes)?;
    let function = instance.get_func(&mut *store, index);
    let function = function.ok_or_else(|| wasmtime::Error::msg("the export `run` is missing"))?;
    let mut results = vec![Val::Bool(false); types.results()];
    function
        .call_async(&mut *store, &parameters, &mut results)
        .await?;
    let run = store.data();
    let bytes = results.iter().map(memory_bytes).sum();
    let _results = run.held.hold(bytes)?;
    run.spend(bytes)?;
    match types.result(&results, run.limits.output_bytes) {
        Ok(RunResult::Value(json)) => Ok(Ok(json)),
        Ok(RunResult::Error(told)) => Ok(Err(told)),
        Err(EncodeError::TooLarge { bytes }) => {
            Err(Limit::OutputBytes.hit(bytes, &run.limits).into())
        }
        Err(EncodeError::Mismatch(mismatch)) => Ok(Err(format!(
            "what `run` returned can't be written as JSON: {mismatch}"
        ))),
    }
}

/// The values of a run's arguments, or what does not fit.
fn parameters(
    run: &RunState,
    types: &RunTypes,
    arguments: &str,
) -> Result<Result<Vec<Val>, String>, LimitError> {
    let _parsed = run.held.hold(json::parsed_bytes(arguments))?;
    run.spend(effort::BYTE * arguments.len() as u64)?;
    let parsed: Value = match serde_json::from_str(arguments) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(Err(format!("the arguments can't be read: {error}"))),
    };
    match types.parameters(&parsed, run.held.left()) {
        Ok(values) => Ok(Ok(values)),
        Err(DecodeError::Mismatch(mismatch)) => Ok(Err(format!(
            "the arguments do not fit the component's `run`: {mismatch}"
        ))),
        Err(DecodeError::TooLarge { .. }) => {
            Err(Limit::HostBytes.hit(run.limits.host_bytes + 1, &run.limits))
        }
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
