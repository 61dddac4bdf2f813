//! The runtime.

use std::sync::Arc;
use std::thread;

use ampoule_foreign::{GrantOptions, Layer, RunOptions, Runtime, RuntimeOptions, Tools};
use napi_derive::napi;

use crate::desk::{Desk, Shared};
use crate::layers::Layers;
use crate::run::NativeRun;
use crate::thrown;
use crate::tools::NativeTools;

/// The runtime, with threads of its own.
#[napi]
pub struct NativeRuntime {
    runtime: Runtime,
    desk: Arc<Shared>,
}

#[napi]
impl NativeRuntime {
    /// A runtime of options that are written as JSON.
    #[napi(constructor)]
    pub fn new(desk: &Desk, options: String) -> napi::Result<Self, String> {
        let made = || Runtime::new(&RuntimeOptions::from_json(&options)?);
        Ok(Self {
            runtime: thrown(made)?,
            desk: Arc::clone(desk.shared()),
        })
    }

    /// Whether runs can be parked: there is a folder for them.
    #[napi(getter)]
    pub fn parks(&self) -> bool {
        self.runtime.parks()
    }

    /// Starts a script, by options that are written as JSON, whose calls layers let pass, if there
    /// are any. Its outcome comes under a number.
    #[napi]
    pub fn start(
        &self,
        options: String,
        tools: Vec<&NativeTools>,
        layered: bool,
        number: u32,
    ) -> napi::Result<NativeRun, String> {
        let tools = listed(tools);
        let desk = Arc::clone(&self.desk);
        let layers = layered.then(|| Layer::new(Layers(Arc::clone(&desk))));
        let ended = move |outcome: Result<String, _>| desk.done(number, outcome.map(Some));
        let started = || {
            let options = RunOptions::from_json(&options)?;
            let layers = layers.as_slice();
            (self.desk).step(|| self.runtime.start(options, &tools, layers, ended))
        };
        Ok(NativeRun {
            run: thrown(started)?,
            desk: Arc::clone(&self.desk),
            tokio: self.runtime.handle().clone(),
        })
    }

    /// The declarations of tools in a language, for a model.
    #[napi]
    pub fn declarations(
        &self,
        language: String,
        tools: Vec<&NativeTools>,
    ) -> napi::Result<String, String> {
        let tools = listed(tools);
        thrown(|| self.runtime.declarations(&language, None, &tools))
    }

    /// Requests the declarations of the granted tools of the runtime's servers under a number; the
    /// grant is written as JSON.
    #[napi]
    pub fn granted(
        &self,
        language: String,
        granted: String,
        number: u32,
    ) -> napi::Result<(), String> {
        let granted = thrown(|| GrantOptions::from_json(&granted))?;
        let (runtime, desk) = (self.runtime.clone(), Arc::clone(&self.desk));
        self.runtime.handle().spawn(async move {
            let declarations = runtime.declarations(&language, Some(granted), &[]);
            desk.done(number, declarations.map(Some));
        });
        Ok(())
    }

    /// Compiles the guest of a language, and reports it under a number.
    #[napi]
    pub fn warm(&self, language: String, number: u32) {
        let (runtime, desk) = (self.runtime.clone(), Arc::clone(&self.desk));
        self.runtime.handle().spawn(async move {
            let warm = runtime.warm(&language).await;
            desk.done(number, warm.map(|()| None));
        });
    }

    /// Requests the parked runs of a principal, or of nobody in particular, under a number.
    #[napi]
    pub fn parked(&self, principal: Option<String>, number: u32) {
        let (runtime, desk) = (self.runtime.clone(), Arc::clone(&self.desk));
        self.runtime.handle().spawn_blocking(move || {
            desk.done(number, runtime.parked(principal).map(Some));
        });
    }

    /// Removes a parked run; reported under a number.
    #[napi]
    pub fn remove_parked(&self, run: String, principal: Option<String>, number: u32) {
        let (runtime, desk) = (self.runtime.clone(), Arc::clone(&self.desk));
        self.runtime.handle().spawn_blocking(move || {
            let removed = runtime.remove_parked(&run, principal);
            desk.done(number, removed.map(|()| None));
        });
    }

    /// Ends all runs, and releases servers and threads; reported under a number.
    #[napi]
    pub fn close(&self, number: u32) {
        let (runtime, desk) = (self.runtime.clone(), Arc::clone(&self.desk));
        apart(move || {
            runtime.close();
            desk.done(number, Ok(None));
        });
    }
}

impl Drop for NativeRuntime {
    /// Node's thread may end with active runs: a worker that was terminated.
    fn drop(&mut self) {
        let runtime = self.runtime.clone();
        apart(move || runtime.close());
    }
}

fn listed(tools: Vec<&NativeTools>) -> Vec<Tools> {
    tools.into_iter().map(|one| one.tools.clone()).collect()
}

/// Does what waits, on a thread of its own; here, where the system gives none.
fn apart(work: impl Fn() + Send + Sync + 'static) {
    let work = Arc::new(work);
    let there = Arc::clone(&work);
    if thread::Builder::new().spawn(move || there()).is_err() {
        work();
    }
}
