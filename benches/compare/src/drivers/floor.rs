//! Bare Wasmtime: a component that is next to nothing, instantiated from a pool, called and
//! dropped. What nothing that is made of components can be faster than.

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Result, Store,
};

use super::{RunResult, Sandbox};
use crate::protocol::{Limits, Script};

/// It says what `1 + 1` is.
const COMPONENT: &str = r#"(component
    (core module $module (func (export "run") (result i32) (i32.add (i32.const 1) (i32.const 1))))
    (core instance $instance (instantiate $module))
    (func (export "run") (result s32) (canon lift (core func $instance "run"))))"#;

pub(super) fn version() -> String {
    "Wasmtime, as Ampoule has it".to_owned()
}

pub(super) struct Floor {
    engine: Engine,
    component: InstancePre<()>,
}

impl Floor {
    pub(super) fn new() -> Result<Self> {
        let mut config = Config::new();
        let pool = PoolingAllocationConfig::default();
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config)?;
        let bytes = wat::parse_str(COMPONENT).map_err(wasmtime::Error::new)?;
        let component = Component::new(&engine, bytes)?;
        let component = Linker::new(&engine).instantiate_pre(&component)?;
        Ok(Self { engine, component })
    }

    fn result(&self) -> Result<i32> {
        let mut store = Store::new(&self.engine, ());
        let instance = self.component.instantiate(&mut store)?;
        let run = instance.get_typed_func::<(), (i32,)>(&mut store, "run")?;
        let (result,) = run.call(&mut store, ())?;
        Ok(result)
    }
}

impl Sandbox for Floor {
    async fn run(&self, script: &Script, _: Limits) -> Result<RunResult, String> {
        // It is not an interpreter.
        if !script.code.contains("1 + 1") {
            return Err("an empty component runs no scripts".to_owned());
        }
        Ok(RunResult {
            value: self.result().map_err(|error| error.to_string())?.into(),
            output: None,
        })
    }
}
