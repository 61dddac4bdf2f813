//! How a model reaches tools.

use std::str::FromStr;

use serde::Serialize;

/// How a model reaches tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Each tool is a tool of the model's.
    Direct,
    /// One call at a time, by `call_tool` and `search_tools`.
    CallTool,
    /// By scripts, as tools are shown by default.
    Code,
    /// By scripts, with the signature of each tool in the description.
    Listed,
    /// By scripts, with tools that are found by searches alone.
    Searched,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Direct,
        Self::CallTool,
        Self::Code,
        Self::Listed,
        Self::Searched,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::CallTool => "call-tool",
            Self::Code => "code",
            Self::Listed => "listed",
            Self::Searched => "searched",
        }
    }

    /// Whether the model writes scripts.
    pub fn has_scripts(self) -> bool {
        !matches!(self, Self::Direct | Self::CallTool)
    }

    /// The table `[exposure]` of the configuration.
    pub fn exposure(self) -> &'static str {
        match self {
            Self::Direct => "[exposure]\ndirect = ['*']\nhot = false\n",
            Self::CallTool => "[exposure]\ncall-tool = true\nhot = false\n",
            Self::Code => "[exposure]\nhot = false\n",
            Self::Listed => "[exposure]\nlisted = ['*']\nbudget = 20000\nhot = false\n",
            Self::Searched => "[exposure]\nsearched = ['*']\nhot = false\n",
        }
    }

    /// Whether the model sees a tool of the server's.
    pub fn shows(self, tool: &str) -> bool {
        let is_own = matches!(tool, "execute_code" | "search_tools" | "call_tool");
        match self {
            Self::Direct => !is_own,
            Self::CallTool => matches!(tool, "call_tool" | "search_tools"),
            Self::Code | Self::Listed | Self::Searched => {
                matches!(tool, "execute_code" | "search_tools")
            }
        }
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|way| way.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("`{name}` is not a way to reach tools; there are {names}")
        })
    }
}
