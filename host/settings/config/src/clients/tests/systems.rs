//! Where each client's file is on Linux, macOS and Windows, with homes that the tests make up. The
//! rules of another system are tried on this one: they are data, and no call of that system.

use super::super::super::edit;
use super::super::super::user::{System, User};
use super::super::ClientFile;
use super::*;

const SYSTEMS: [System; 3] = [System::Linux, System::MacOs, System::Windows];

/// A client's file, below the user's own folder on each of the systems.
struct Expected {
    id: &'static str,
    files: [&'static str; 3],
}

const fn at(id: &'static str, files: [&'static str; 3]) -> Expected {
    Expected { id, files }
}

/// As the clients' own pages say it, without their table of ours.
const EXPECTED: [Expected; 13] = [
    at(
        "claude-desktop",
        [
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ],
    ),
    at("claude-code", [".claude.json"; 3]),
    at("cursor", [".cursor/mcp.json"; 3]),
    at(
        "vscode",
        [
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ],
    ),
    at("copilot", [".copilot/mcp-config.json"; 3]),
    at(
        "windsurf",
        [
            ".config/devin/mcp_config.json",
            ".config/devin/mcp_config.json",
            "AppData/Roaming/devin/mcp_config.json",
        ],
    ),
    at(
        "zed",
        [
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "AppData/Roaming/Zed/settings.json",
        ],
    ),
    at("cline", [".cline/data/settings/cline_mcp_settings.json"; 3]),
    at("gemini", [".gemini/settings.json"; 3]),
    at("codex", [".codex/config.toml"; 3]),
    at("opencode", [".config/opencode/opencode.json"; 3]),
    at(
        "goose",
        [
            ".config/goose/config.yaml",
            ".config/goose/config.yaml",
            "AppData/Roaming/Block/goose/config/config.yaml",
        ],
    ),
    at("kiro", [".kiro/settings/mcp.json"; 3]),
];

fn on(system: System) -> Somebody {
    Somebody::on(system, "/work/shop", "/opt/bin/ampoule-0.1")
}

impl Somebody {
    /// Sets a variable to a folder below the user's own, and gives that.
    fn folder_in(&mut self, variable: &str, name: &str) -> PathBuf {
        let folder = self.home.path().join(name);
        let (name, value) = (variable.to_owned(), folder.clone().into());
        self.user.environment.insert(name, value);
        folder
    }
}

fn file_of(id: &str, user: &User) -> PathBuf {
    ClientFile::named(id, user).unwrap().path
}

#[test]
fn each_client_has_its_file_where_its_own_page_says() {
    assert!(
        Client::all()
            .iter()
            .map(|client| client.id)
            .eq(EXPECTED.iter().map(|it| it.id))
    );
    for (index, system) in SYSTEMS.into_iter().enumerate() {
        let somebody = on(system);
        for Expected { id, files } in &EXPECTED {
            let expected = somebody.home.path().join(files[index]);
            assert_eq!(file_of(id, &somebody.user), expected, "{id} on {system:?}");
        }
    }
}

#[test]
fn variables_move_files_only_where_their_system_or_client_reads_them() {
    for system in SYSTEMS {
        let mut somebody = on(system);
        let home = somebody.home.path().to_owned();
        let xdg = somebody.folder_in("XDG_CONFIG_HOME", "xdg");
        let roaming = somebody.folder_in("AppData", "roaming");
        let (code, desktop) = ("Code/User/mcp.json", "Claude/claude_desktop_config.json");
        let library = home.join("Library/Application Support");
        let (applications, zed, goose) = match system {
            System::Linux => (
                &xdg,
                xdg.join("zed/settings.json"),
                xdg.join("goose/config.yaml"),
            ),
            System::MacOs => (
                &library,
                home.join(".config/zed/settings.json"),
                xdg.join("goose/config.yaml"),
            ),
            // The case of a variable's name does not matter there.
            System::Windows => (
                &roaming,
                roaming.join("Zed/settings.json"),
                roaming.join("Block/goose/config/config.yaml"),
            ),
        };
        let file = |id: &str| file_of(id, &somebody.user);
        assert_eq!(file("vscode"), applications.join(code));
        assert_eq!(file("claude-desktop"), applications.join(desktop));
        assert_eq!((file("zed"), file("goose")), (zed, goose));
        assert_eq!(file("opencode"), xdg.join("opencode/opencode.json"));
        assert_eq!(file("cursor"), home.join(".cursor/mcp.json"));
        for (variable, id, name) in [
            ("CLAUDE_CONFIG_DIR", "claude-code", ".claude.json"),
            ("COPILOT_HOME", "copilot", "mcp-config.json"),
            ("CODEX_HOME", "codex", "config.toml"),
            (
                "CLINE_DIR",
                "cline",
                "data/settings/cline_mcp_settings.json",
            ),
        ] {
            let folder = somebody.folder_in(variable, "moved");
            assert_eq!(file_of(id, &somebody.user), folder.join(name));
        }
    }
}

#[test]
fn a_variable_of_another_system_names_no_home() {
    for (system, variable) in [
        (System::Linux, "USERPROFILE"),
        (System::MacOs, "USERPROFILE"),
        (System::Windows, "HOME"),
    ] {
        let mut somebody = on(system);
        somebody.user.environment.clear();
        somebody.folder_in(variable, "elsewhere");
        let error = ClientFile::named("kiro", &somebody.user).unwrap_err();
        let missing = system.home_variable();
        assert!(error.contains(&format!("set {missing} to")), "{error}");
    }
}

/// On each system, each client's file is made where it belongs, read again, and put back.
#[test]
fn each_client_is_installed_imported_and_uninstalled_on_each_system() {
    let serve = ["serve".to_owned()];
    for (index, system) in SYSTEMS.into_iter().enumerate() {
        let somebody = on(system);
        for Expected { id, files } in &EXPECTED {
            let file = somebody.home.path().join(files[index]);
            let target = ClientFile::named(id, &somebody.user).unwrap();
            let plan = edit::install(&target, &somebody.user, &serve, None).unwrap();
            let record = plan.apply().unwrap();
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.contains("/opt/bin/ampoule-0.1"), "{id}: {text}");
            let state = match system {
                System::Linux | System::MacOs => ".local/state",
                System::Windows => "AppData/Local",
            };
            assert!(
                record.starts_with(somebody.home.path().join(state)),
                "{record:?}"
            );
            let plan = edit::uninstall(&target, &somebody.user).unwrap();
            plan.apply().unwrap();
            assert!(!file.exists(), "{id} on {system:?}");
        }
        // The files of clients' own making are found in the same places.
        for (id, text) in FILES {
            let config = somebody.imported(id, text);
            assert!(!config.servers.is_empty(), "{id} on {system:?}: {config:?}");
        }
    }
}

/// The path as people of that system know it.
fn as_documented(system: System, file: &str) -> String {
    let windows = |file: &str| file.replace('/', "\\");
    match (system, file.strip_prefix("AppData/Roaming/")) {
        (System::Windows, Some(rest)) => format!("%APPDATA%\\{}", windows(rest)),
        (System::Windows, None) => format!("%USERPROFILE%\\{}", windows(file)),
        (System::Linux | System::MacOs, _) => format!("~/{file}"),
    }
}

#[test]
fn the_pages_and_the_index_name_the_file_on_each_system() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/clients");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for Expected { id, files } in &EXPECTED {
        let page = std::fs::read_to_string(folder.join(format!("{id}.md"))).unwrap();
        let link = format!("]({id}.md) | `{id}` |");
        let row = index.lines().find(|line| line.contains(&link)).unwrap();
        let cells: Vec<&str> = row.split(" | ").skip(2).collect();
        for (index, system) in SYSTEMS.into_iter().enumerate() {
            let path = format!("`{}`", as_documented(system, files[index]));
            assert!(page.contains(&path), "{id}.md on {system:?}: {path}");
            let shown = match system {
                System::MacOs if files[0] == files[1] => "the same",
                System::Linux | System::MacOs | System::Windows => &path,
            };
            assert_eq!(
                cells[index].trim_end_matches(" |"),
                shown,
                "{id} on {system:?}"
            );
        }
    }
}
