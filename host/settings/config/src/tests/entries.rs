//! What holds of each entry by itself: variables, faults, and what is not a file.

use super::*;

#[test]
fn what_variables_put_into_arguments_is_known() {
    let config =
        parse("[servers.a]\ncommand = '${TOOLS}/a'\nargs = ['--key=${TOKEN}', '${HOME}/a', '${NO:-default}']")
            .unwrap();
    let variables = [("HOME", "/home/ada"), ("TOKEN", "hunter2-hunter2")];
    assert_eq!(
        command(&config, "a").variables,
        variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    );
}

#[test]
fn a_faulty_entry_disables_itself_alone() {
    let config = parse(
        "[servers.sound]\ncommand = 'x'\n[servers.unset]\ncommand = 'x'\nargs = ['${UNSET}']\n[servers.typed]\ncommand = 5\n\
        [servers.misspelt]\ncomand = 'x'\n[servers.bare]\n[servers.'a.b']\ncommand = 'x'\n[servers.a-b]\ncommand = 'x'\n[servers.also]\ncommand = 'y'",
    )
    .unwrap();
    let names = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(config.servers.keys().collect()),
        ["a-b", "also", "sound"]
    );
    assert_eq!(
        names(config.disabled.keys().collect()),
        ["a.b", "bare", "misspelt", "typed", "unset"]
    );
}

#[test]
fn arguments_see_the_servers_own_variables_first() {
    let config = parse(
        "[servers.a]\ncommand = 'x'\nargs = ['${TOKEN}', '${OWN}', '${HOME}', '${EMPTY:-none}']\n\
        env = { TOKEN = 'mine ${TOKEN}', OWN = 'own', EMPTY = '' }",
    )
    .unwrap();
    let command = command(&config, "a");
    assert_eq!(
        command.args,
        ["mine hunter2-hunter2", "own", "/home/ada", "none"]
    );
    let values: Vec<&str> = command
        .variables
        .iter()
        .map(|(_, value)| &**value)
        .collect();
    assert!(values.contains(&"hunter2-hunter2"), "{values:?}");
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let special = "it can't be read: it is a pipe or a device, not a regular file";
    for (file, said) in [
        (pipe.as_path(), special),
        (Path::new("/dev/zero"), special),
        (Path::new("/dev/tty"), "it can't be read: "),
        (
            folder.path(),
            "it can't be read: it is a folder, not a file",
        ),
    ] {
        let error = Config::load(file).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn where_traces_go_is_read_and_its_secrets_are_not_shown() {
    let config = parse(
        "[telemetry]\nendpoint = 'https://${TOKEN}@collector'\nheaders = { X-Key = '${TOKEN}' }\n\
        service-name = 'team'\nsample = '2.5%'",
    )
    .unwrap();
    let told = &config.telemetry;
    let endpoint = "https://hunter2-hunter2@collector";
    assert_eq!(told.endpoint.as_deref(), Some(endpoint));
    assert_eq!(told.headers["X-Key"], "hunter2-hunter2");
    assert_eq!(told.service_name.as_deref(), Some("team"));
    assert_eq!(told.sampled(), Some(0.025));
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn what_sessions_may_take_is_read() {
    let config =
        parse("sessions = { folder = 'kept', each = '1 MiB', runs = 3, most = 7, age = '2d' }");
    let sessions = config.unwrap().sessions;
    assert!(sessions.folder.unwrap().ends_with("etc/kept"));
    assert_eq!(
        (sessions.each, sessions.runs, sessions.most),
        (1 << 20, 3, 7)
    );
    assert_eq!(sessions.age, std::time::Duration::from_hours(48));
    let none = parse("").unwrap();
    assert_eq!((none.sessions, none.skills), (Default::default(), None));
}

#[test]
fn parked_runs_have_limits_of_each_principal_and_of_all() {
    let config = parse(
        "[runs]\npark = false\n[runs.parked]\nmost = 5\neach = '1 MiB'\nall = { bytes = '1 GiB' }",
    );
    let runs = config.unwrap().runs;
    assert!(!runs.park);
    assert_eq!((runs.parked.most, runs.parked.each), (5, 1 << 20));
    assert_eq!(
        (runs.parked.all.most, runs.parked.all.bytes),
        (20_000, 1 << 30)
    );
}

#[test]
fn a_former_key_is_refused_and_names_todays() {
    for (text, said) in [
        (
            "records.size = '1GiB'",
            "etc/ampoule.toml:1:9: records: the key `records.size` is now `records.bytes`",
        ),
        (
            "[sessions]\nbytes = 1",
            "etc/ampoule.toml:2:1: sessions: the key `sessions.bytes` is now `sessions.each`",
        ),
        (
            "[skills]\nbytes = 1",
            "etc/ampoule.toml:2:1: skills: the key `skills.bytes` is now `skills.each`",
        ),
        (
            "[workspace]\nfiles = 1",
            "etc/ampoule.toml:2:1: workspace: the key `workspace.files` is now `workspace.most`",
        ),
        (
            "[runs]\nparked = 5",
            "etc/ampoule.toml:2:10: runs.parked: the key `runs.parked` is now `runs.parked.all.most`",
        ),
        (
            "[runs]\nparked-each = 5\nparked-age = '1d'",
            "etc/ampoule.toml:2:1: runs: the key `runs.parked-each` is now `runs.parked.most`\n\
            etc/ampoule.toml:3:1: runs: the key `runs.parked-age` is now `runs.parked.age`",
        ),
        (
            "[audit]\nkeep = '1y'",
            "etc/ampoule.toml:2:1: audit: the key `audit.keep` is now `audit.age`",
        ),
        (
            "[approvals]\ngood = '1d'",
            "etc/ampoule.toml:2:1: approvals: the key `approvals.good` is now `approvals.valid-for`",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err(), said);
    }
}

#[test]
fn a_folder_of_runs_has_a_name_and_a_path() {
    let config = parse("[folders.reports]\npath = 'reports'").unwrap();
    let (name, folder) = config.folders.first_key_value().unwrap();
    assert_eq!(name.to_string(), "reports");
    assert_eq!(folder.path, Path::new("/srv/etc/reports"));
    assert!(!folder.writable);
    for (text, said) in [
        (
            "[folders.'a b']\npath = 'x'",
            "etc/ampoule.toml:1:10: folders: a folder's name has letters, digits, `.`, `_` and `-`, a letter or digit first, and at most 64 of them",
        ),
        (
            "[folders.a]\nwritable = true",
            "etc/ampoule.toml:1:1: folders.a: the key `path` is missing",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err(), said);
    }
}
