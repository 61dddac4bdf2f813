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
        parse("sessions = { folder = 'kept', bytes = '1 MiB', runs = 3, most = 7, age = '2d' }");
    let sessions = config.unwrap().sessions;
    assert!(sessions.folder.unwrap().ends_with("etc/kept"));
    assert_eq!(sessions.bytes, Some(1 << 20));
    assert_eq!(sessions.runs.unwrap().get(), 3);
    assert_eq!(sessions.most.unwrap().get(), 7);
    assert_eq!(sessions.age, Some(std::time::Duration::from_hours(48)));
}
