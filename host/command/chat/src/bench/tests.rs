use super::*;
use crate::endpoint::Usage;

fn check(answer: &[&str]) -> Check {
    Check {
        answer: answer.iter().map(|text| (*text).to_owned()).collect(),
        ..Check::default()
    }
}

#[test]
fn answers_are_compared_by_whole_words_and_numbers() {
    for (wanted, answer) in [
        ("40", "There are 40."),
        ("40", "**40**, all in all"),
        ("12345.67", "It is €12,345.67 now"),
        ("12345", "12 345 pieces"),
        ("Birch & Bolt", "the company birch &  bolt"),
        ("CUS-0042", "`CUS-0042`"),
        ("-5", "down by -5"),
    ] {
        assert_eq!(
            check(&[wanted]).judge(answer),
            Verdict::Done,
            "{wanted}: {answer}"
        );
    }
    for (wanted, answer) in [
        ("40", "140"),
        ("40", "40.5"),
        ("40", "400"),
        ("40", "4 0"),
        ("40", "-40"),
        ("12345.67", "12345.6"),
        ("open", "opened"),
    ] {
        assert_ne!(
            check(&[wanted]).judge(answer),
            Verdict::Done,
            "{wanted}: {answer}"
        );
    }
    let not = Check {
        not_answer: vec!["7".to_owned()],
        ..check(&["40"])
    };
    assert_ne!(not.judge("40 or 7"), Verdict::Done);
    assert_eq!(Check::judge_state("true\n"), Verdict::Done);
    assert_eq!(
        Check::judge_state("stock is 3"),
        Verdict::Wrong("afterwards: stock is 3".to_owned())
    );
}

#[test]
fn a_report_names_what_was_lost() {
    let one = |task: &str, way, is_done| Try {
        task: task.to_owned(),
        kind: "lookup".to_owned(),
        way,
        is_done,
        why: (!is_done).then(|| "the answer does not have `40`".to_owned()),
        steps: 2,
        calls: 1,
        usage: Usage {
            input: 100,
            cached: 20,
            written: 5,
            output: 10,
            estimated: false,
        },
        cost: Some(0.25),
        milliseconds: 1500,
    };
    let report = Report {
        model: "m".to_owned(),
        tries: vec![
            one("a", Way::Code, true),
            one("b", Way::Code, false),
            one("a", Way::Direct, true),
        ],
        unsuited: vec!["b (direct)".to_owned()],
    };
    let table = report.table();
    assert!(
        table.contains("| code | 1 of 2 | 4 | 200 | 40 | 20 | 0.5000 | 3.0 |"),
        "{table}"
    );
    assert!(table.contains("| direct | 1 of 1 |"), "{table}");
    assert!(
        table.contains("lost: b (code): the answer does not have `40`"),
        "{table}"
    );
    assert!(
        table.contains("only scripts can do them: b (direct)"),
        "{table}"
    );
}

#[test]
fn a_file_of_tasks_says_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.toml");
    let read = |text: &str| {
        std::fs::write(&file, text).unwrap();
        Task::read(&[folder.path().to_owned()]).map_err(|error| error.to_string())
    };
    let whole = "kind = 'x'\n[[tasks]]\nname = 'a'\nprompts = ['p']\ncheck = { answer = ['1'] }\nreference = { typescript = [['return 1']] }\n";
    assert_eq!(read(whole).unwrap()[0].kind, "x");
    for (from, to, said) in [
        ("['p']", "[]", "has no prompt"),
        (
            "{ answer = ['1'] }",
            "{ not_answer = ['1'] }",
            "checks nothing",
        ),
        ("[['return 1']]", "[]", "has no reference"),
        ("['p']", "['p', 'q']", "a list for each prompt"),
        (
            "prompts",
            "files = { '../x' = '' }\nprompts",
            "outside of the workspace",
        ),
    ] {
        let why = read(&whole.replace(from, to)).unwrap_err();
        assert!(why.contains(said), "{why}");
    }
    let twice = format!("{whole}{}", whole.replace("kind = 'x'\n", ""));
    assert!(
        read(&twice)
            .unwrap_err()
            .contains("two tasks have the name")
    );
    assert!("code".parse::<Way>().is_ok() && "cod".parse::<Way>().unwrap_err().contains("direct"));
}
