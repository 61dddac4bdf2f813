//! `ampoule tools cost`: what tools cost a model.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;

#[tokio::test]
async fn tokens_are_counted_for_each_server_and_in_sum() {
    let workplace = Workplace::default();
    let program = binary();
    let server =
        |name: &str| format!("[servers.{name}]\ncommand = {program:?}\nargs = ['demo-server']\n");
    workplace.file("ampoule.toml", server("one") + &server("other"));
    let counted = workplace.run(&["tools", "cost", "--json"]).await;
    assert_eq!(counted.code, Some(0), "{counted:?}");
    let counted = counted.json();
    let [one, other] = [0, 1].map(|row| &counted["servers"][row]);
    assert_eq!(
        (one["name"].as_str(), other["name"].as_str()),
        (Some("one"), Some("other"))
    );
    let number = |cost: &serde_json::Value, what: &str| {
        let number = cost.pointer(what).and_then(serde_json::Value::as_u64);
        number.unwrap_or_else(|| panic!("{what} of {cost}"))
    };
    let all = &counted["all"];
    for summed in ["/tools", "/directly"] {
        assert_eq!(number(all, summed), 2 * number(one, summed), "{counted}");
        assert_eq!(number(other, summed), number(one, summed), "{counted}");
    }
    // A line more for each server, where the tools themselves are twice as much.
    let [alone, both] = [one, all].map(|cost| number(cost, "/throughAmpoule"));
    assert!((alone + 1..=alone + 12).contains(&both), "{counted}");
    for spread in ["/search", "/declaration"] {
        let [average, most] = ["average", "most"].map(|it| number(all, &format!("{spread}/{it}")));
        assert!((50..most).contains(&average), "{counted}");
    }

    let said = workplace.run(&["tools", "cost"]).await;
    let lines: Vec<_> = said.stdout.lines().collect();
    let begin = [
        "server  tools",
        "one        14",
        "other      14",
        "all        28",
        "",
    ];
    for (line, begin) in lines.iter().zip(begin) {
        assert!(line.starts_with(begin), "{}", said.stdout);
    }
    assert!(
        lines[..4].iter().all(|line| line.len() == lines[0].len()),
        "{}",
        said.stdout
    );
}

#[tokio::test]
async fn a_server_that_is_gone_is_left_out_and_told_of() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[servers.gone]\ncommand = '/there/is/none'\n",
    );
    let counted = workplace.run(&["tools", "cost", "--json"]).await;
    assert_eq!(counted.code, Some(1), "{counted:?}");
    assert!(counted.stderr.contains("gone"), "{counted:?}");
    let counted = counted.json();
    assert_eq!(counted["servers"], serde_json::json!([]));
    let problems = counted["problems"].as_array().expect("a list");
    assert_eq!(problems.len(), 1, "{counted}");
}
