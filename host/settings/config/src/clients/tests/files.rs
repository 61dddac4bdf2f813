//! A file of each client's.

/// The files, by the clients that write them.
pub(crate) const FILES: [(&str, &str); 14] = [
    ("claude-desktop", include_str!("files/claude-desktop.json")),
    ("claude-code", include_str!("files/claude-code.json")),
    ("cursor", include_str!("files/cursor.json")),
    ("vscode", include_str!("files/vscode.json")),
    ("copilot", include_str!("files/copilot.json")),
    ("windsurf", include_str!("files/windsurf.json")),
    ("zed", include_str!("files/zed.json")),
    ("cline", include_str!("files/cline.json")),
    ("gemini", include_str!("files/gemini.json")),
    ("codex", include_str!("files/codex.toml")),
    ("opencode", include_str!("files/opencode.json")),
    ("opencode", include_str!("files/opencode-2.json")),
    ("goose", include_str!("files/goose.yaml")),
    ("kiro", include_str!("files/kiro.json")),
];
