//! What somebody tries who wants more than a quota allows.

use super::*;

#[test]
fn who_comes_when_there_is_no_room_is_held_to_their_own_rules() {
    let mut rules: Vec<_> = (0..199)
        .map(|at| Rule::new(&format!("r{at}"), calls_per_day(1_000)))
        .collect();
    rules.push(Rule {
        principal: Pattern::from("ada"),
        ..Rule::new("ada", calls_per_day(2))
    });
    let (quotas, _) = quotas(rules);
    for who in 0..1_000 {
        assert!(calls(&quotas, &format!("p{who}"), &SEND));
    }
    assert_eq!(many(&quotas, "ada"), 2);
    assert!(calls(&quotas, "bob", &SEND), "that rule is ada's alone");
}

#[test]
fn what_is_given_back_late_is_not_given_twice() {
    let limits = Limits {
        calls_per_minute: Some(6),
        calls_per_day: Some(20),
        ..Limits::default()
    };
    let (quotas, clock) = quotas(vec![Rule::new("mail", limits)]);
    let take = || quotas.try_call(Some("ada"), &SEND).unwrap();
    let waiting: Vec<_> = (0..6).map(|_| take()).collect();
    // Time gives the minute's places back; six more calls are made.
    clock.pass(Duration::from_secs(61));
    assert_eq!(many(&quotas, "ada"), 6);
    for permit in waiting {
        permit.give_back();
    }
    assert_eq!(many(&quotas, "ada"), 0);
    // Yesterday's calls make no room today.
    let waiting: Vec<_> = (0..6)
        .map(|_| {
            clock.pass(Duration::from_secs(60));
            take()
        })
        .collect();
    clock.pass(Duration::from_hours(24));
    assert_eq!(many(&quotas, "ada"), 6);
    for permit in waiting {
        permit.give_back();
    }
    let left = quotas.left(Some("ada"), None);
    assert_eq!((left[0].left, left[1].left), (0, 14));
}

#[test]
fn calls_that_were_not_made_do_not_count_after_an_exchange_either() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![Rule::new("day", calls_per_day(5))];
    let (first, second) = (
        shared(rules(), folder.path(), &clock),
        shared(rules(), folder.path(), &clock),
    );
    let taken = || first.try_call(Some("ada"), &SEND).unwrap();
    let permits: Vec<_> = (0..4).map(|_| taken()).collect();
    first.exchange().unwrap();
    second.exchange().unwrap();
    assert_eq!(many(&second, "ada"), 1);
    for permit in permits {
        permit.give_back();
    }
    first.exchange().unwrap();
    second.exchange().unwrap();
    assert_eq!(many(&second, "ada"), 4);
    second.exchange().unwrap();
    first.exchange().unwrap();
    assert_eq!(many(&first, "ada"), 0);
    drop((first, second));
    assert_eq!(many(&shared(rules(), folder.path(), &clock), "ada"), 0);
}

#[test]
fn a_day_that_is_over_does_not_come_back_to_a_count() {
    let mut today = crate::account::Today::default();
    today.on(2).add(crate::account::Total::Calls, 3);
    // A call that looked at the day just before it ended.
    today.on(1).add(crate::account::Total::Calls, 1);
    assert_eq!(today.on(2).used(crate::account::Total::Calls), 4);
}

#[test]
fn names_of_principals_do_not_make_the_file_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![Rule::new("day", calls_per_day(5))];
    let quotas = shared(rules(), folder.path(), &clock);
    for who in 0..20 {
        let name = format!("{who}{}", "\u{1}".repeat(380));
        assert!(calls(&quotas, &name, &SEND));
    }
    quotas.exchange().unwrap();
    let file = fs::metadata(folder.path().join("quotas/totals")).unwrap();
    // As many as may be there fit into it.
    assert!(file.len() / 20 * 50_000 < 32 << 20, "{}", file.len());
}

#[test]
fn there_is_an_end_to_counts_of_tools_and_nobody_gains_by_that() {
    let per_tool = Rule {
        per: Per::Tool,
        ..Rule::new("tools", calls_per_day(1))
    };
    let (quotas, _) = quotas(vec![per_tool]);
    let mut made = 0;
    for who in 0..16 {
        let who = format!("p{who}");
        for at in 0..4_000 {
            let tool = format!("t{at}");
            let call = CallOf {
                tool: &tool,
                ..SEND
            };
            made += usize::from(calls(&quotas, &who, &call));
        }
    }
    // 50,000 counts, and one for each principal that came later.
    assert!((50_000..=50_016).contains(&made), "{made}");
}
