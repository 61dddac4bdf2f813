//! Components that are tools.

use ampoule::{ComponentTool, Hints, RuntimeBuilder};
use ampoule_config::{ComponentToolConfig, Config, ToolHints};

/// Sets them up in a runtime. A component that can't be used is not offered, and the others are.
pub(super) fn given(builder: RuntimeBuilder, config: &Config) -> RuntimeBuilder {
    if config.tools.is_empty() {
        return builder;
    }
    let tools = config.tools.iter();
    builder.component_tools(tools.map(|(name, tool)| made(name, tool)).collect())
}

fn made(name: &str, config: &ComponentToolConfig) -> ComponentTool {
    let ToolHints {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = config.hints;
    let tool = ComponentTool::file(name, &config.component)
        .grant(config.tools.clone().into())
        .limits(config.limits)
        .hints(Hints {
            read_only,
            destructive,
            idempotent,
            open_world,
        });
    match &config.description {
        Some(description) => tool.described(description),
        None => tool,
    }
}
