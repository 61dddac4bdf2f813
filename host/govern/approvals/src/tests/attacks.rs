//! What somebody tries who wants more to be allowed than was.

use std::fs;
use std::thread;

use super::*;
use crate::names::Part;
use crate::question::QuestionView;
use crate::seal::SealedQuestion;

#[test]
fn arguments_that_were_swapped_are_not_allowed() {
    let kept = kept();
    let store = &kept.store;
    let (name, question) = put(store, "r-1", &[(1, "ada"), (2, "bob")]);
    answer(store, &question, Answer::AllowOnce).unwrap();
    // Other arguments, another call's arguments, another number.
    assert!(take(store, &name, 1, "eve").is_err());
    assert!(take(store, &name, 1, "bob").is_err());
    assert!(take(store, &name, 3, "ada").is_err());
    let swapped = asked(store, 1, "eve");
    assert!(
        decided(store, &caller("r-1"), &swapped).is_none(),
        "it is asked about anew"
    );
    take(store, &name, 1, "ada").unwrap();
}

#[test]
fn an_answer_is_to_what_was_shown_and_nothing_added_since() {
    let kept = kept();
    let store = &kept.store;
    let (name, question) = put(store, "r-1", &[(1, "ada")]);
    let seen = store.get(question.id).unwrap().seen(store).unwrap();
    store.extend(&name, &[asked(store, 2, "eve")]).unwrap();
    let wrong = QuestionView { calls: 2, ..seen };
    let given = store.answer(
        question.id,
        PersonAnswer::new(wrong, Answer::AllowOnce),
        by(),
    );
    assert!(matches!(given, Err(QuestionError::Changed)));
    let wrong = QuestionView { calls: 0, ..seen };
    let given = store.answer(
        question.id,
        PersonAnswer::new(wrong, Answer::AllowOnce),
        by(),
    );
    assert!(matches!(given, Err(QuestionError::Changed)));
    store
        .answer(question.id, PersonAnswer::new(seen, Answer::AllowRun), by())
        .unwrap();
    take(store, &name, 1, "ada").unwrap();
    assert!(take(store, &name, 2, "eve").is_err());
}

#[test]
fn of_many_who_answer_at_once_one_counts_and_of_many_uses_one() {
    let kept = kept();
    let (name, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    let folder = kept.folder.path();
    let all = |what: &(dyn Fn(Store, usize) -> bool + Sync)| {
        thread::scope(|threads| {
            let each = (0..8).map(|who| {
                threads.spawn(move || what(open(folder, ApprovalLimits::default()), who))
            });
            let each: Vec<_> = each.collect();
            each.into_iter()
                .map(|one| one.join().unwrap())
                .filter(|done| *done)
                .count()
        })
    };
    let answered = all(&|store, who| {
        let said = if who % 2 == 0 {
            deny("no")
        } else {
            Answer::AllowOnce
        };
        match answer(&store, &question, said) {
            Ok(_) => true,
            Err(QuestionError::Answered(_)) => false,
            Err(other) => panic!("{other}"),
        }
    });
    assert_eq!(answered, 1);
    let State::Answered(given) = kept.store.get(question.id).unwrap().state else {
        panic!("it was answered")
    };
    let used = all(&|store, _| take(&store, &name, 1, "ada").is_ok());
    assert_eq!(used, usize::from(given.answer == Answer::AllowOnce));
}

#[test]
fn files_that_were_planted_changed_or_copied_allow_nothing() {
    let kept = kept();
    let (store, folder) = (&kept.store, kept.folder.path().join("approvals"));
    let (name, question) = put(store, "r-1", &[(1, "ada")]);
    let (other, second) = put(store, "r-1", &[(1, "ada")]);
    let file = |name: &Name, part| folder.join(name.with(part).to_string());
    answer(store, &question, Answer::AllowOnce).unwrap();
    let right = fs::read(file(&name, Part::Answer)).unwrap();
    // One question's answer under the name of another's.
    fs::write(file(&other, Part::Answer), &right).unwrap();
    assert_eq!(
        take(store, &other, 1, "ada").unwrap_err(),
        ApprovalError::Expired
    );
    // Written by hand; changed in one byte; a link; a folder.
    let forged = json!({ "question": second.id, "answer": "allow-run" }).to_string();
    let forged = format!("{}\n{forged}", "0".repeat(64));
    let mut changed = right.clone();
    *changed.last_mut().unwrap() ^= 1;
    for content in [forged.as_bytes(), &changed, b"", b"\n", &right[..70]] {
        fs::write(file(&other, Part::Answer), content).unwrap();
        assert!(take(store, &other, 1, "ada").is_err());
        assert_eq!(store.get(second.id).unwrap().state, State::Open);
    }
    fs::remove_file(file(&other, Part::Answer)).unwrap();
    std::os::unix::fs::symlink(file(&name, Part::Answer), file(&other, Part::Answer)).unwrap();
    assert!(take(store, &other, 1, "ada").is_err());
    fs::remove_file(file(&other, Part::Answer)).unwrap();
    fs::create_dir(file(&other, Part::Answer)).unwrap();
    assert!(take(store, &other, 1, "ada").is_err());
    // None of this stops a person from answering.
    answer(store, &second, Answer::AllowOnce).unwrap();
    take(store, &other, 1, "ada").unwrap();
    // A question that was changed after it was answered, and one that can't be read at all.
    let (third, asked) = put(store, "r-2", &[(1, "ada")]);
    answer(store, &asked, Answer::AllowOnce).unwrap();
    fs::write(file(&third, Part::Question), b"damaged").unwrap();
    assert!(matches!(
        take(store, &third, 1, "ada"),
        Err(ApprovalError::Failed(_))
    ));
    let all = store.list().unwrap();
    assert_eq!(all.iter().filter(|found| found.is_err()).count(), 1);
    assert_eq!(all.iter().filter(|found| found.is_ok()).count(), 2);
}

#[test]
fn a_host_that_dies_at_any_moment_leaves_no_more_allowed() {
    // What there is on the disk after each step, and what the next process makes of it.
    let kept = kept();
    let next = || open(kept.folder.path(), ApprovalLimits::default());
    let call = asked(&kept.store, 1, "ada");
    assert!(matches!(
        next().known(&caller("r-1"), &call),
        Ok(PriorDecision::Nothing)
    ));
    let (name, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    assert!(matches!(
        next().known(&caller("r-1"), &call),
        Ok(PriorDecision::Asked(_))
    ));
    // While the answer is written: a part of it lies there.
    let part = format!(".{}.part", name.with(Part::Answer));
    fs::write(kept.folder.path().join("approvals").join(part), b"half").unwrap();
    assert!(matches!(
        next().known(&caller("r-1"), &call),
        Ok(PriorDecision::Asked(_))
    ));
    answer(&kept.store, &question, Answer::AllowOnce).unwrap();
    // Answered, and not used: the woken run's call has it.
    assert!(decided(&next(), &caller("r-1"), &call).unwrap().is_ok());
    // Used, and perhaps not sent: it is not sent again, and gets the error that says so.
    let again = decided(&next(), &caller("r-1"), &call).unwrap();
    assert_eq!(again.unwrap_err(), ApprovalError::Used);
}

#[test]
fn what_was_denied_is_not_asked_about_again_by_the_same_run() {
    let kept = kept();
    let store = &kept.store;
    let (_, question) = put(store, "r-1", &[(1, "ada")]);
    answer(store, &question, deny("not \u{202e}today")).unwrap();
    let again = decided(store, &caller("r-1"), &asked(store, 2, "ada")).unwrap();
    assert_eq!(
        again.unwrap_err().to_string(),
        r"a person did not allow this call: not \u{202e}today"
    );
    assert!(decided(store, &caller("r-1"), &asked(store, 3, "bob")).is_none());
    assert!(decided(store, &caller("r-2"), &asked(store, 2, "ada")).is_none());
}

#[test]
fn clocks_that_change_allow_nothing_for_longer() {
    let kept = kept();
    let store = &kept.store;
    let (name, question) = put(store, "r-1", &[(1, "ada")]);
    answer(store, &question, Answer::AllowRun).unwrap();
    let further = asked(store, 2, "bob");
    let allowed = || decided(store, &caller("r-1"), &further).is_some();
    assert!(allowed());
    // Far back, before the answer: as if there were none. A little back: clocks do that.
    skew(store, -7200);
    assert!(!allowed());
    assert_eq!(
        take(store, &name, 1, "ada").unwrap_err(),
        ApprovalError::Expired
    );
    skew(store, -60);
    assert!(allowed());
    skew(store, store.limits().good.as_secs() as i64 + 60);
    assert!(!allowed());
    assert_eq!(
        take(store, &name, 1, "ada").unwrap_err(),
        ApprovalError::Expired
    );
    skew(store, 0);
    let (_, question) = put(store, "r-2", &[(1, "ada")]);
    skew(store, store.limits().expires.as_secs() as i64 + 60);
    let late = answer(store, &question, Answer::AllowOnce);
    assert!(matches!(late, Err(QuestionError::Expired(_))));
}

#[test]
fn sealed_states_are_opened_once_and_by_whom_they_were_given_to() {
    let kept = kept();
    let store = &kept.store;
    let (_, question) = put(store, "r-1", &[(1, "ada")]);
    let sealed = SealedQuestion {
        question: question.id,
        seen: store.get(question.id).unwrap().seen(store).unwrap(),
        until: store.now() + 60,
    };
    let text = store.seal(&sealed, "ada at 1").unwrap();
    assert!(!text.contains(&question.id.to_string()));
    let refused = |text: &str, holder| {
        assert!(matches!(
            store.open_sealed(text, holder),
            Err(QuestionError::Refused(_))
        ));
    };
    refused(&text, "bob at 1");
    refused("", "ada at 1");
    refused(&"A".repeat(100_000), "ada at 1");
    for place in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
        // The last letter has bits that mean nothing; what they are is checked, too.
        refused(&String::from_utf8(changed).unwrap(), "ada at 1");
    }
    assert_eq!(store.open_sealed(&text, "ada at 1").unwrap(), sealed);
    refused(&text, "ada at 1");
    let other = open(kept.folder.path(), ApprovalLimits::default());
    assert!(other.open_sealed(&text, "ada at 1").is_err());
    let late = store.seal(&sealed, "ada at 1").unwrap();
    skew(store, 61);
    refused(&late, "ada at 1");
}

#[test]
fn there_are_only_so_many_questions() {
    let limits = ApprovalLimits {
        open: 3,
        kept: 5,
        ..ApprovalLimits::default()
    };
    let kept = kept_with(limits);
    let store = &kept.store;
    let full = || {
        let call = vec![asked(store, 1, "a")];
        let question = unkept(store, Kind::Calls, caller("r-9"), call);
        matches!(store.put(&question), Err(QuestionError::Full(_)))
    };
    let three: Vec<_> = (0..3).map(|_| put(store, "r-1", &[(1, "a")]).1).collect();
    assert!(full());
    for question in &three {
        answer(store, question, deny("")).unwrap();
    }
    put(store, "r-2", &[(1, "a")]);
    put(store, "r-2", &[(1, "a")]);
    assert!(full(), "five are kept");
    let mut bad = three[0].clone();
    bad.caller.run = "../r".to_owned();
    assert!(matches!(store.put(&bad), Err(QuestionError::NoRun)));
}

#[test]
fn another_principals_answer_counts_for_nobody_else() {
    let kept = kept();
    let store = &kept.store;
    let (_, question) = put(store, "r-1", &[(1, "ada")]);
    answer(store, &question, Answer::AllowOnce).unwrap();
    let call = asked(store, 1, "ada");
    for principal in [None, Some("bob".to_owned())] {
        let other = Caller {
            principal,
            ..caller("r-1")
        };
        assert!(decided(store, &other, &call).is_none());
    }
    assert!(decided(store, &caller("r-1"), &call).unwrap().is_ok());
}

#[test]
fn who_denies_may_choose_none_of_the_calls() {
    let kept = kept();
    let store = &kept.store;
    let (name, question) = put(store, "r-1", &[(1, "ada"), (2, "bob")]);
    let seen = store.get(question.id).unwrap().seen(store).unwrap();
    let reply = PersonAnswer {
        only: Some(vec![]),
        ..PersonAnswer::new(seen, deny("no"))
    };
    store.answer(question.id, reply, by()).unwrap();
    for (number, whom) in [(1, "ada"), (2, "bob")] {
        let denied = take(store, &name, number, whom).unwrap_err();
        assert!(matches!(denied, ApprovalError::Denied { .. }), "{denied}");
    }
}

#[test]
fn one_principal_leaves_room_for_others_whatever_process_asked() {
    let limits = ApprovalLimits {
        principal: 2,
        open: 4,
        ..ApprovalLimits::default()
    };
    let kept = kept_with(limits);
    for run in ["r-1", "r-2"] {
        put(&kept.store, run, &[(1, "a")]);
    }
    let next = open(kept.folder.path(), limits);
    let asks = |store: &Store, run: &str, principal: &str| {
        let mut caller = caller(run);
        caller.principal = Some(principal.to_owned());
        let call = asked(store, 1, "a");
        let question = unkept(store, Kind::Calls, caller, vec![call]);
        store.put(&question)
    };
    for store in [&kept.store, &next] {
        assert!(matches!(
            asks(store, "r-3", "ada"),
            Err(QuestionError::Full(_))
        ));
    }
    // At once, from many threads.
    let asked = thread::scope(|threads| {
        let (asks, next) = (&asks, &next);
        let each = (0..8).map(|run| threads.spawn(move || asks(next, &format!("b-{run}"), "bob")));
        let each: Vec<_> = each.collect();
        let each = each.into_iter().map(|one| one.join().unwrap().is_ok());
        each.filter(|asked| *asked).count()
    });
    assert_eq!(asked, 2);
    // What nobody can answer any more takes no room.
    assert!(asks(&kept.store, "r-4", "eve").is_err());
    skew(&kept.store, limits.expires.as_secs() as i64 + 1);
    asks(&kept.store, "r-4", "eve").unwrap();
    asks(&kept.store, "r-4", "ada").unwrap();
}

#[test]
fn a_sealed_state_is_good_for_no_longer_than_it_is_known_to_be_used() {
    let kept = kept();
    let store = &kept.store;
    let (_, question) = put(store, "r-1", &[(1, "ada")]);
    let expires = store.limits().expires.as_secs();
    let sealed = SealedQuestion {
        question: question.id,
        seen: store.get(question.id).unwrap().seen(store).unwrap(),
        until: store.now() + 100 * expires,
    };
    let text = store.seal(&sealed, "ada").unwrap();
    store.open_sealed(&text, "ada").unwrap();
    skew(store, expires as i64 + 2 * 86_400);
    store.sweep().unwrap();
    assert!(store.open_sealed(&text, "ada").is_err());
}
