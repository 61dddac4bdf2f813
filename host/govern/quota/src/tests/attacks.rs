//! What somebody tries who wants more than a quota allows.

use super::*;

#[test]
fn a_principal_without_room_is_held_to_its_own_rules() {
    let mut rules: Vec<_> = (0..199)
        .map(|at| calls_per_day(1_000).called(&format!("r{at}")))
        .collect();
    rules.push(Rule {
        principal: Pattern::from("ada"),
        ..calls_per_day(2).called("ada")
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
    let limits = Rule {
        calls_per_minute: Some(6),
        calls_per_day: Some(20),
        ..Rule::default()
    };
    let (quotas, clock) = quotas(vec![limits.clone().called("mail")]);
    let take = || quotas.try_call(&of("ada"), &SEND).unwrap();
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
    let left = quotas.left(&of("ada"), None);
    assert_eq!((left[0].left, left[1].left), (0, 14));
}

#[test]
fn calls_that_were_not_made_do_not_count_after_an_exchange_either() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![calls_per_day(5).called("day")];
    let (first, second) = (
        shared(rules(), folder.path(), &clock),
        shared(rules(), folder.path(), &clock),
    );
    let taken = || first.try_call(&of("ada"), &SEND).unwrap();
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
    let mut today = crate::account::DayCount::default();
    today.on(2).add(crate::account::Total::Calls, 3);
    // A call that looked at the day just before it ended.
    today.on(1).add(crate::account::Total::Calls, 1);
    assert_eq!(today.on(2).used(crate::account::Total::Calls), 4);
}

#[test]
fn names_of_principals_do_not_make_the_file_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![calls_per_day(5).called("day")];
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
fn counts_of_tools_are_bounded_and_nobody_gains_by_that() {
    let per_tool = Rule {
        per: Per::Tool,
        ..calls_per_day(1).called("tools")
    };
    let (quotas, _) = quotas(vec![per_tool]);
    let mut made = 0;
    for who in 0..16 {
        let who = format!("p{who}");
        for at in 0..4_000 {
            let tool = format!("t{at}");
            let call = CallFacts {
                tool: &tool,
                ..SEND
            };
            made += usize::from(calls(&quotas, &who, &call));
        }
    }
    // 50,000 counts, and one for each principal that came later.
    assert!((50_000..=50_016).contains(&made), "{made}");
}

/// A folder with as many counts as it keeps in tests.
fn full(folder: &Path, clock: &Clock) -> Quotas {
    let quotas = shared(of_five_days(), folder, clock);
    for who in 0..1_000 {
        assert!(calls(&quotas, &format!("p{who}"), &SEND));
    }
    quotas.exchange().unwrap();
    quotas
}

/// Five counts for each principal.
fn of_five_days() -> Vec<Rule> {
    let rules = (0..5).map(|at| calls_per_day(3).called(&format!("r{at}")));
    rules.collect()
}

#[test]
fn where_a_folder_is_full_those_who_come_share_a_count_that_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    // 5,000 counts.
    drop(full(folder.path(), &clock));
    let late = |quotas: &Quotas| {
        let late = (0..10).filter(|who| calls(quotas, &format!("late{who}"), &SEND));
        late.count()
    };
    let (one, other) = (
        shared(of_five_days(), folder.path(), &clock),
        shared(of_five_days(), folder.path(), &clock),
    );
    // They are distinguished until it is found that there is no room: once.
    assert!(late(&one) <= 10);
    one.exchange().unwrap();
    other.exchange().unwrap();
    assert_eq!((late(&one), late(&other)), (0, 0));
    assert!(!calls(&other, "later", &SEND));
    // Those who were there before have what they had.
    assert_eq!((many(&one, "p7"), many(&other, "p8")), (2, 2));
    drop((one, other));
    let next = shared(of_five_days(), folder.path(), &clock);
    assert_eq!((late(&next), many(&next, "p7")), (0, 0));
    let file = fs::metadata(folder.path().join("quotas/totals")).unwrap();
    assert!(file.len() < 32 << 20, "{}", file.len());
    // Another day has room.
    clock.pass(Duration::from_hours(24));
    assert_eq!(late(&next), 10);
}

#[test]
fn what_a_process_knows_of_others_is_there_again_where_a_file_is_taken_away_or_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![calls_per_day(3).called("day")];
    let file = folder.path().join("quotas/totals");
    let first = shared(rules(), folder.path(), &clock);
    assert!(calls(&first, "ada", &SEND));
    first.exchange().unwrap();
    let earlier = fs::read(&file).unwrap();
    assert_eq!((many(&first, "ada"), many(&first, "bob")), (2, 3));
    drop(first);
    // It has asked for neither of them.
    let second = shared(rules(), folder.path(), &clock);
    let tries: [&dyn Fn(); 3] = [
        &|| fs::remove_file(&file).unwrap(),
        &|| fs::write(&file, &earlier).unwrap(),
        &|| fs::write(&file, b"{}").unwrap(),
    ];
    for change in tries {
        change();
        second.exchange().unwrap();
        let third = shared(rules(), folder.path(), &clock);
        assert_eq!((many(&third, "ada"), many(&third, "bob")), (0, 0));
    }
    assert_eq!((many(&second, "ada"), many(&second, "bob")), (0, 0));
}

#[test]
fn a_file_that_can_not_be_read_now_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![calls_per_day(3).called("day")];
    let (path, aside) = (
        folder.path().join("quotas/totals"),
        folder.path().join("aside"),
    );
    let quotas = shared(rules(), folder.path(), &clock);
    assert_eq!(many(&quotas, "ada"), 3);
    quotas.exchange().unwrap();
    fs::rename(&path, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &path).unwrap();
    let before = fs::read(&aside).unwrap();
    assert!(calls(&quotas, "bob", &SEND));
    assert!(quotas.exchange().is_err());
    assert_eq!(fs::read(&aside).unwrap(), before);
    assert!(path.is_symlink() && !calls(&quotas, "ada", &SEND));
    // What is new meanwhile counts once it can be read.
    fs::rename(&aside, &path).unwrap();
    quotas.exchange().unwrap();
    let next = shared(rules(), folder.path(), &clock);
    assert_eq!((many(&next, "ada"), many(&next, "bob")), (0, 2));
}

#[test]
fn a_principal_with_a_call_under_way_is_not_forgotten_before_its_bytes_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let bytes = Rule {
        bytes_per_day: Some(100),
        ..Rule::default()
    };
    let rule = |at: usize| Rule {
        principal: Pattern::from(if at == 0 { "*" } else { "nobody" }),
        ..bytes.clone().called(&format!("r{at}"))
    };
    // 200 rules: 1,000 principals are distinguished at once.
    let quotas = shared((0..200).map(rule).collect(), folder.path(), &clock);
    let under_way = quotas.try_call(&of("ada"), &SEND).unwrap();
    for who in 0..999 {
        assert!(calls(&quotas, &format!("p{who}"), &SEND));
    }
    quotas.exchange().unwrap();
    assert!(calls(&quotas, "another", &SEND), "others were forgotten");
    under_way.bytes(100);
    assert!(!calls(&quotas, "ada", &SEND));
}
