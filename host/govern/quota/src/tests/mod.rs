//! What is counted, and what nobody gets more of by what they try.

mod attacks;
mod totals;

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::clock::Clock;
use crate::{
    CallFacts, Caller, Class, Classes, Measure, Pattern, Per, Quotas, Rule, RulesError, RunUsage,
};

const SEND: CallFacts<'_> = CallFacts {
    server: "mail",
    tool: "send",
    classes: Classes {
        read_only: false,
        destructive: true,
        open_world: true,
    },
};
const FIND: CallFacts<'_> = CallFacts {
    server: "crm",
    tool: "find",
    classes: Classes {
        read_only: true,
        destructive: false,
        open_world: false,
    },
};

fn calls_per_day(calls: u64) -> Rule {
    Rule {
        calls_per_day: Some(calls),
        ..Rule::default()
    }
}

fn calls_per_minute(calls: u32) -> Rule {
    Rule {
        calls_per_minute: Some(calls),
        ..Rule::default()
    }
}

fn quotas(rules: Vec<Rule>) -> (Quotas, Clock) {
    let clock = Clock::new();
    let quotas = Quotas::with_clock(rules, None, clock.clone()).unwrap();
    (quotas, clock)
}

fn shared(rules: Vec<Rule>, folder: &Path, clock: &Clock) -> Quotas {
    Quotas::with_clock(rules, Some(&folder.join("quotas")), clock.clone()).unwrap()
}

/// A principal without groups, by no client.
fn of(principal: &str) -> Caller<'_> {
    Caller {
        principal: Some(principal),
        ..Caller::default()
    }
}

/// Whether there is room for a call.
fn calls(quotas: &Quotas, principal: &str, call: &CallFacts<'_>) -> bool {
    quotas.try_call(&of(principal), call).is_ok()
}

/// How many calls there is room for.
fn many(quotas: &Quotas, principal: &str) -> usize {
    (0..1000)
        .take_while(|_| calls(quotas, principal, &SEND))
        .count()
}

#[test]
fn a_minutes_calls_come_back_one_by_one() {
    let (quotas, clock) = quotas(vec![calls_per_minute(6).called("mail")]);
    assert_eq!(many(&quotas, "ada"), 6);
    let exhausted = quotas.try_call(&of("ada"), &SEND).unwrap_err();
    assert_eq!(
        (exhausted.what, exhausted.limit),
        (Measure::CallsPerMinute, 6)
    );
    let said = exhausted.to_string();
    assert!(
        said.starts_with(
            "the quota `mail` is exhausted: 6 calls a minute; the next is possible in 10s, at 20"
        ),
        "{said}"
    );
    assert_eq!(quotas.left(&of("ada"), Some(&SEND))[0].left, 0);
    assert_eq!(many(&quotas, "bob"), 6, "each has their own");
    clock.pass(Duration::from_secs(21));
    assert_eq!(quotas.left(&of("ada"), None)[0].left, 2);
    assert_eq!(many(&quotas, "ada"), 2);
    clock.pass(Duration::from_secs(3600));
    assert_eq!(quotas.left(&of("ada"), None)[0].left, 6);
    assert_eq!(many(&quotas, "ada"), 6);
    // A clock that somebody sets changes nothing.
    clock.set(-86_400);
    clock.set(2 * 86_400);
    assert!(!calls(&quotas, "ada", &SEND));
}

#[test]
fn rules_apply_to_whom_and_what_they_name() {
    let destroying = Rule {
        class: Some(Class::Destructive),
        ..calls_per_day(1).called("destroying")
    };
    let mail = Rule {
        tool: "mail".parse().unwrap(),
        per: Per::Tool,
        ..calls_per_day(2).called("mail")
    };
    let (quotas, _) = quotas(vec![
        Rule {
            principal: Pattern::from("a*"),
            ..destroying
        },
        mail,
    ]);
    assert!(calls(&quotas, "ada", &SEND) && !calls(&quotas, "ada", &SEND));
    assert_eq!((many(&quotas, "bob"), many(&quotas, "bob")), (2, 0));
    let read = CallFacts {
        tool: "read",
        ..FIND
    };
    let read = CallFacts {
        server: "mail",
        ..read
    };
    assert!(calls(&quotas, "bob", &read), "each tool has its own");
    for _ in 0..10 {
        assert!(calls(&quotas, "ada", &FIND));
    }
    // What one rule refuses counts for no other: ada has one of mail's two left.
    let left = quotas.left(&of("ada"), Some(&SEND));
    let left: Vec<_> = left.iter().map(|left| (&*left.quota, left.left)).collect();
    assert_eq!(left, [("destroying", 0), ("mail", 1)]);
}

#[test]
fn a_rule_names_tools_as_servers_and_as_scripts_do() {
    let charge = CallFacts {
        server: "demo",
        tool: "charge_card",
        ..SEND
    };
    for tool in [
        "demo",
        "demo.*",
        "demo.charge_card",
        "demo.chargeCard",
        "demo.charge*",
    ] {
        let rule = Rule {
            tool: tool.parse().unwrap(),
            ..calls_per_day(1).called("one")
        };
        let (quotas, _) = quotas(vec![rule]);
        assert!(calls(&quotas, "ada", &charge), "{tool}");
        assert!(!calls(&quotas, "ada", &charge), "{tool}");
        // Other servers' tools are not counted.
        assert_eq!(many(&quotas, "ada"), 1000, "{tool}");
    }
}

#[test]
fn a_rule_of_a_toolkit_counts_what_is_done_within_it() {
    let rule = Rule {
        toolkit: Pattern::from("support"),
        ..calls_per_minute(2).called("support")
    };
    let within = |toolkit| Caller {
        toolkit,
        ..of("ada")
    };
    assert!(rule.fits(&within("support")));
    assert!(!rule.fits(&within("sales")) && !rule.fits(&within("")));
    let all = calls_per_minute(2);
    assert!(all.fits(&within("support")) && all.fits(&within("")));
}

#[test]
fn rules_apply_to_the_group_and_the_client_that_they_name() {
    let support = Rule {
        group: Pattern::from("support"),
        ..calls_per_minute(2).called("support")
    };
    let cursor = Rule {
        client: Pattern::from("cursor*"),
        ..calls_per_minute(3).called("cursor")
    };
    let local = Rule {
        principal: Pattern::from("local"),
        runs_per_day: Some(1),
        ..Rule::default().called("local")
    };
    let (quotas, _) = quotas(vec![support, cursor, local]);
    let room = |caller: &Caller<'_>| {
        (0..10)
            .take_while(|_| quotas.try_call(caller, &SEND).is_ok())
            .count()
    };
    let groups = ["staff".into(), "support".into()];
    let ada = Caller {
        groups: &groups,
        ..of("ada")
    };
    let names = |caller: &Caller<'_>| -> Vec<String> {
        let left = quotas.left(caller, None);
        left.into_iter().map(|left| left.quota).collect()
    };
    assert_eq!(
        (names(&ada), names(&of("ada"))),
        (vec!["support".to_owned()], vec![])
    );
    assert_eq!((room(&of("ada")), room(&ada), room(&ada)), (10, 2, 0));
    let by_cursor = Caller {
        client: "cursor-vscode",
        ..of("ada")
    };
    assert_eq!((room(&by_cursor), room(&by_cursor)), (3, 0));
    // What one is counted by another client, or in no group, is counted for neither.
    assert_eq!(room(&of("ada")), 10);
    let bob = Caller {
        principal: Some("bob"),
        client: "cursor",
        ..ada
    };
    assert_eq!(room(&bob), 2, "each has their own, and both apply");
    // The local user has no name, and is named.
    let local = Caller::default();
    assert_eq!(
        (
            quotas.try_run(&local).is_ok(),
            quotas.try_run(&local).is_ok()
        ),
        (true, false)
    );
    assert!(quotas.try_run(&of("ada")).is_ok() && quotas.try_run(&of("ada")).is_ok());
}

#[test]
fn what_all_share_is_shared() {
    let all = Rule {
        per: Per::Everybody,
        ..calls_per_day(5).called("all")
    };
    let (quotas, _) = quotas(vec![all]);
    for who in ["a", "b", "c", "a", "b"] {
        assert!(calls(&quotas, who, &SEND));
    }
    assert!(!calls(&quotas, "d", &SEND));
    assert!(quotas.try_call(&Caller::default(), &SEND).is_err());
}

#[test]
fn runs_end_to_begin_once_their_fuel_or_time_is_used() {
    let limits = Rule {
        runs_per_day: Some(3),
        fuel_per_day: Some(100),
        isolate_time_per_day: Some(Duration::from_secs(1)),
        ..Rule::default()
    };
    let (quotas, clock) = quotas(vec![limits.clone().called("runs")]);
    let spend = |who, fuel, ms| {
        let isolate_time = Duration::from_millis(ms);
        quotas.spend(&of(who), RunUsage { fuel, isolate_time });
    };
    let refused = |who| quotas.try_run(&of(who)).err().map(|why| why.what);
    assert_eq!(refused("ada"), None);
    spend("ada", 99, 0);
    assert_eq!(refused("ada"), None);
    spend("ada", u64::MAX, 0);
    assert_eq!(refused("ada"), Some(Measure::FuelPerDay));
    spend("bob", 0, 1000);
    assert_eq!(refused("bob"), Some(Measure::IsolateMsPerDay));
    for _ in 0..3 {
        assert_eq!(refused("eve"), None);
    }
    assert_eq!(refused("eve"), Some(Measure::RunsPerDay));
    clock.pass(Duration::from_hours(24));
    assert_eq!(refused("eve"), None);
    assert_eq!(refused("ada"), None);
}

#[test]
fn bytes_count_and_calls_that_were_not_made_do_not() {
    let limits = Rule {
        calls_per_minute: Some(2),
        calls_per_day: Some(2),
        bytes_per_day: Some(10),
        ..Rule::default()
    };
    let (quotas, _) = quotas(vec![limits.clone().called("all")]);
    quotas.try_call(&of("ada"), &SEND).unwrap().give_back();
    quotas.try_call(&of("ada"), &SEND).unwrap().give_back();
    let permit = quotas.try_call(&of("ada"), &SEND).unwrap();
    permit.bytes(9);
    permit.bytes(1);
    let exhausted = quotas.try_call(&of("ada"), &SEND).unwrap_err();
    assert_eq!(exhausted.what, Measure::BytesPerDay);
    let left = quotas.left(&of("ada"), None);
    let left: Vec<_> = left.iter().map(|left| left.left).collect();
    assert_eq!(left, [1, 1, 0]);
}

#[test]
fn nothing_is_allowed_where_zero_is() {
    let none = Rule {
        calls_per_minute: Some(0),
        ..Rule::default()
    };
    for limits in [none, calls_per_day(0)] {
        let (quotas, clock) = quotas(vec![limits.clone().called("none")]);
        clock.pass(Duration::from_hours(30));
        let exhausted = quotas.try_call(&of("ada"), &SEND).unwrap_err();
        assert_eq!(exhausted.after, None);
        assert!(
            exhausted.to_string().ends_with("can allow more"),
            "{exhausted}"
        );
    }
}

#[test]
fn principals_are_bounded_and_nobody_gains_by_that() {
    let many_rules = (0..200).map(|at| calls_per_day(3).called(&format!("r{at}")));
    let (quotas, _) = quotas(many_rules.collect());
    // 200 rules: 1,000 principals are distinguished, the rest share.
    for who in 0..1_000 {
        assert!(calls(&quotas, &format!("p{who}"), &SEND));
    }
    let others = (0..10).filter(|who| calls(&quotas, &format!("other{who}"), &SEND));
    assert_eq!(others.count(), 3);
    assert_eq!(many(&quotas, "p7"), 2);
    // With a folder, those are forgotten of whom nothing is lost by that.
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    // One rule is theirs: all that is counted of them has room there.
    let rule = |at: usize| Rule {
        principal: Pattern::from(if at == 0 { "*" } else { "nobody" }),
        ..calls_per_day(3).called(&format!("r{at}"))
    };
    let quotas = shared((0..200).map(rule).collect(), folder.path(), &clock);
    for who in 0..1_000 {
        assert!(calls(&quotas, &format!("p{who}"), &SEND));
    }
    quotas.exchange().unwrap();
    assert_eq!(many(&quotas, "another"), 3);
}

#[test]
fn rules_that_mean_nothing_are_refused() {
    let refused = |rules: Vec<Rule>| Quotas::new(rules, None).unwrap_err();
    let one = || calls_per_day(1).called("one");
    assert!(matches!(refused(vec![one(), one()]), RulesError::Twice(_)));
    assert!(matches!(
        refused(vec![Rule::default().called("x")]),
        RulesError::Nothing(_)
    ));
    assert!(matches!(
        refused(vec![calls_per_day(1).called("")]),
        RulesError::Name(_)
    ));
    let runs = Rule {
        runs_per_day: Some(1),
        ..Rule::default()
    };
    let of_tools = Rule {
        tool: "mail".parse().unwrap(),
        ..runs.clone().called("x")
    };
    assert!(matches!(refused(vec![of_tools]), RulesError::NoTools(_)));
    let too_many = (0..257).map(|at| calls_per_day(1).called(&at.to_string()));
    assert!(matches!(
        refused(too_many.collect()),
        RulesError::TooMany(257)
    ));
    let none = Quotas::new(Vec::new(), None).unwrap();
    assert!(none.is_empty() && none.left(&Caller::default(), None).is_empty());
    let _ = none.try_call(&Caller::default(), &SEND).unwrap();
}
