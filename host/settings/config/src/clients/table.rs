//! One row for each client.
//!
//! Above each client's files stands the page or source of the client that says where they are.

use super::places::Places;
use super::variables::Variables;
use super::{Client, Dialect, Quirk};

/// A client with a table `mcpServers`, as most have it.
const USUAL: Client = Client {
    id: "",
    title: "",
    files: Places::same(&[]),
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
        // modelcontextprotocol.io/docs/develop/connect-local-servers
        files: Places::same(&["@apps/Claude/claude_desktop_config.json"]),
        dialect: Dialect {
            quirk: Quirk::SkipsAddresses,
            ..USUAL.dialect
        },
        ..USUAL
    },
    Client {
        id: "claude-code",
        title: "Claude Code",
        // code.claude.com/docs/en/settings
        files: Places::same(&["$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"]),
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
        // cursor.com/docs/mcp
        files: Places::same(&["~/.cursor/mcp.json"]),
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
        // code.visualstudio.com/docs/configure/settings, "Settings file locations"
        files: Places::same(&["@apps/Code/User/mcp.json"]),
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
        // docs.github.com, "Using GitHub Copilot CLI"
        files: Places::same(&[
            "$COPILOT_HOME/mcp-config.json",
            "~/.copilot/mcp-config.json",
        ]),
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
        // docs.devin.ai/cli/extensibility/mcp/configuration
        files: Places {
            linux: &[
                "@config/devin/mcp_config.json",
                "~/.codeium/windsurf/mcp_config.json",
            ],
            macos: &[
                "@config/devin/mcp_config.json",
                "~/.codeium/windsurf/mcp_config.json",
            ],
            windows: &[
                "@apps/devin/mcp_config.json",
                "~/.codeium/windsurf/mcp_config.json",
            ],
        },
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
        // zed.dev/docs/configuring-zed, and `config_dir` in crates/paths of zed-industries/zed
        files: Places {
            linux: &["@config/zed/settings.json"],
            macos: &["~/.config/zed/settings.json"],
            windows: &["@apps/Zed/settings.json"],
        },
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
        // docs.cline.bot/mcp/mcp-overview; the last one is below VS Code's folder
        files: Places::same(&[
            "$CLINE_MCP_SETTINGS_PATH",
            "$CLINE_DIR/data/settings/cline_mcp_settings.json",
            "~/.cline/data/settings/cline_mcp_settings.json",
            "@apps/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ]),
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
        // docs/cli/configuration.md of google-gemini/gemini-cli
        files: Places::same(&["~/.gemini/settings.json"]),
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
        // developers.openai.com/codex/config-basic
        files: Places::same(&["$CODEX_HOME/config.toml", "~/.codex/config.toml"]),
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
        // opencode.ai/docs/config; its sources take XDG's folder on Windows, too
        files: Places::same(&[
            "$OPENCODE_CONFIG",
            "@config/opencode/opencode.json",
            "@config/opencode/opencode.jsonc",
        ]),
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
        // block.github.io/goose/docs/guides/config-files
        files: Places {
            linux: &["@config/goose/config.yaml"],
            macos: &["@config/goose/config.yaml"],
            windows: &["@apps/Block/goose/config/config.yaml"],
        },
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
        // kiro.dev/docs/mcp/configuration
        files: Places::same(&["~/.kiro/settings/mcp.json"]),
        project_files: &[".kiro/settings/mcp.json"],
        dialect: Dialect {
            variables: Variables::Braces,
            ..USUAL.dialect
        },
        ..USUAL
    },
];
