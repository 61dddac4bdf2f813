//! Errors of malformed files, with a secret in every place.

use super::fault;

/// What no error may show.
const SECRET: &str = "hunter2Secret";

/// Values of every type with the secret in them, and pieces of broken syntax.
fn values() -> Vec<String> {
    let mut values = vec![
        format!("'{SECRET}'"),
        format!("\"TOKEN={SECRET}\""),
        format!("'${{{SECRET}}}'"),
        format!("'${{{SECRET}:-'"),
        format!("'pa${{ss {SECRET}'"),
        format!("'pa${{ss {SECRET}}}'"),
        format!("\"{SECRET}\\u0000\""),
        format!("'{SECRET}${{UNSET}}'"),
        format!("['{SECRET}']"),
        format!("['{SECRET}', 5]"),
        format!("[['{SECRET}']]"),
        format!("{{ {SECRET} = 5 }}"),
        format!("{{ '{SECRET}' = '{SECRET}' }}"),
        format!("{{ 'TOKEN={SECRET}' = '' }}"),
        format!("{{ KEY = '${{{SECRET}}}' }}"),
        format!("{{ KEY = ['{SECRET}'] }}"),
        format!("{{ KEY = {{ a = '{SECRET}' }} }}"),
        "1234567891234567".to_owned(),
        "1234567891234567.5".to_owned(),
        "0x1234567891234567".to_owned(),
        "1979-05-27T07:32:00Z".to_owned(),
        "true".to_owned(),
    ];
    let broken: Vec<String> = values
        .iter()
        .flat_map(|value| {
            let half = value.len() / 2;
            let without_end = &value[..value.len() - 1];
            [
                without_end.to_owned(),
                value[..half].to_owned(),
                format!("{value} {value}"),
            ]
        })
        .collect();
    values.extend(broken);
    values.push(SECRET.to_owned());
    values.push(format!("TOKEN={SECRET}"));
    values.push(format!("\"\\{SECRET}\""));
    values
}

#[test]
fn no_error_shows_what_may_be_a_secret() {
    let places = [
        "command = @",
        "command = 'x'\nargs = @",
        "command = 'x'\nargs = ['a', @]",
        "command = 'x'\nenv = @",
        "command = 'x'\nenv = { KEY = @ }",
        "command = 'x'\nenv = { @ = 'x' }",
        "command = 'x'\nenv.KEY.deeper = @",
        "command = 'x'\ncwd = @",
        "command = 'x'\ncall-timeout = @",
        "command = 'x'\nstart-timeout = @",
        "command = 'x'\ntoken = @",
        "command = 'x'\n@ = 'x'",
        "command = 'x'\n@",
        "@",
    ];
    let values = values();
    let mut faults = 0;
    for value in &values {
        let in_server = places
            .iter()
            .map(|place| format!("[servers.git]\n{}", place.replace('@', value)));
        let elsewhere = [
            format!("[servers]\nenv = {value}"),
            format!("servers = {value}"),
            format!("[limits]\nfuel = {value}\nwall-time = {value}"),
            format!("[ceilings]\nmemory = {value}"),
            format!("[components]\nfolder = {value}\nsent = {value}"),
            format!("[telemetry]\nendpoint = {value}\nheaders = {value}\nsample = {value}"),
            format!("isolates = {value}"),
            format!("slot-wait = {value}"),
            format!("token = {value}"),
            value.clone(),
        ];
        for text in in_server.chain(elsewhere) {
            if text.starts_with("servers = {") {
                // The name of a server is told: scripts call it by that.
                continue;
            }
            let fault = fault(&text);
            faults += usize::from(!fault.is_empty());
            for part in [SECRET, &SECRET[2..], "1234567", "1979"] {
                // How far a limit is above its ceiling is told.
                let is_told = text.starts_with("[limits]") && part == "1234567";
                assert!(is_told || !fault.contains(part), "{text}\n{fault}");
            }
            for jargon in [
                "struct",
                "sequence",
                "map",
                "i128",
                "expected a",
                "invalid type",
            ] {
                assert!(!fault.contains(jargon), "{text}\n{fault}");
            }
        }
    }
    assert!(faults > 20 * values.len(), "{faults} of {}", values.len());
}
