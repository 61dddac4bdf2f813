//! One row for each client.

use super::variables::Variables;
use super::{Client, Dialect, Quirk};

/// A client with a table `mcpServers`, as most have it.
const USUAL: Client = Client {
    id: "",
    title: "",
    files: &[],
    project_files: &[],
    tables: &[&["mcpServers"]],
    first_table_only: false,
    dialect: Dialect {
        variables: Variables::None,
        urls: &[("url", "auto")],
        headers: "headers",
        timeout: None,
        quirk: Quirk::None,
    },
    shares: &[],
};

pub(super) const CLIENTS: &[Client] = &[
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        files: &["@apps/Claude/claude_desktop_config.json"],
        dialect: Dialect {
            quirk: Quirk::SkipsAddresses,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "claude-code",
        title: "Claude Code",
        files: &["$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"],
        project_files: &[".mcp.json"],
        // What is for this folder alone comes first.
        tables: &[&["projects", "@folder", "mcpServers"], &["mcpServers"]],
        dialect: Dialect {
            variables: Variables::Braces,
            ..USUAL.dialect
        },
        shares: &["GitHub Copilot", "Mastra"],
        ..USUAL
    },
    Client {
        id: "cursor",
        title: "Cursor",
        files: &["~/.cursor/mcp.json"],
        project_files: &[".cursor/mcp.json"],
        dialect: Dialect {
            variables: Variables::Env,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "vscode",
        title: "VS Code",
        files: &["@apps/Code/User/mcp.json"],
        project_files: &[".vscode/mcp.json"],
        tables: &[&["servers"]],
        dialect: Dialect {
            variables: Variables::Env,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "copilot",
        title: "GitHub Copilot",
        files: &[
            "$COPILOT_HOME/mcp-config.json",
            "~/.copilot/mcp-config.json",
        ],
        project_files: &[".github/mcp.json"],
        dialect: Dialect {
            variables: Variables::Braces,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "windsurf",
        title: "Windsurf (Devin Desktop)",
        files: &[
            "@config/devin/mcp_config.json",
            "~/.codeium/windsurf/mcp_config.json",
        ],
        project_files: &[".devin/mcp_config.json"],
        dialect: Dialect {
            variables: Variables::Env,
            urls: &[("serverUrl", "auto"), ("url", "auto")],
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "zed",
        title: "Zed",
        files: &["@config/zed/settings.json"],
        project_files: &[".zed/settings.json"],
        tables: &[&["context_servers"]],
        dialect: Dialect {
            quirk: Quirk::Zed,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "cline",
        title: "Cline",
        files: &[
            "$CLINE_MCP_SETTINGS_PATH",
            "$CLINE_DIR/data/settings/cline_mcp_settings.json",
            "~/.cline/data/settings/cline_mcp_settings.json",
            "@apps/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ],
        dialect: Dialect {
            variables: Variables::Cline,
            urls: &[("url", "sse")],
            timeout: Some("s"),
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "gemini",
        title: "Gemini CLI",
        files: &["~/.gemini/settings.json"],
        project_files: &[".gemini/settings.json"],
        dialect: Dialect {
            variables: Variables::Shell,
            urls: &[("httpUrl", "http"), ("url", "sse")],
            timeout: Some("ms"),
            quirk: Quirk::Gemini,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "codex",
        title: "Codex",
        files: &["$CODEX_HOME/config.toml", "~/.codex/config.toml"],
        project_files: &[".codex/config.toml"],
        tables: &[&["mcp_servers"]],
        dialect: Dialect {
            urls: &[("url", "http")],
            headers: "http_headers",
            quirk: Quirk::Codex,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "opencode",
        title: "opencode",
        files: &[
            "$OPENCODE_CONFIG",
            "@config/opencode/opencode.json",
            "@config/opencode/opencode.jsonc",
        ],
        project_files: &["opencode.json", "opencode.jsonc"],
        // Version 2 and version 1.
        tables: &[&["mcp", "servers"], &["mcp"]],
        first_table_only: true,
        dialect: Dialect {
            variables: Variables::Opencode,
            quirk: Quirk::Opencode,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "goose",
        title: "Goose",
        files: &["@config/goose/config.yaml"],
        project_files: &[".goose/config.yaml"],
        tables: &[&["extensions"]],
        dialect: Dialect {
            urls: &[("uri", "http")],
            timeout: Some("s"),
            quirk: Quirk::Goose,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "kiro",
        title: "Kiro",
        files: &["~/.kiro/settings/mcp.json"],
        project_files: &[".kiro/settings/mcp.json"],
        dialect: Dialect {
            variables: Variables::Braces,
            ..USUAL.dialect
        },
        ..USUAL
    },
];
