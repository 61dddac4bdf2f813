//! Lists of tokens, as text; `sources`: as files that change, and as commands print them.

mod sources;

use std::num::NonZeroU16;
use std::time::{Duration, SystemTime};

use ampoule_tools::Principal;

use super::list::List;
use super::secret::Digest;
use super::{Entry, Token, TokenLookup, edit};

const ONE: NonZeroU16 = NonZeroU16::MIN;

fn token(text: &str) -> Token {
    Token::from_elsewhere(&format!("{text:-<40}")).expect("a token")
}

fn line(name: &str, of: &str) -> String {
    let entry = Entry::new(name, &token(of), ONE, None).expect("a name");
    format!("{entry}\n")
}

fn found(list: &List, of: &str) -> TokenLookup {
    list.find(token(of).expose(), SystemTime::now())
}

fn mistake(text: &str) -> String {
    match List::read(text) {
        Ok(_) => "none".to_owned(),
        Err(what) => what,
    }
}

#[test]
fn a_line_says_whose_a_token_is_and_until_when() {
    let [ada, bob, past] = ["ada", "bob", "past"].map(|of| token(of).digest().to_hex());
    let text = format!(
        "# our team\n\n  ada sha256:{ada} weight=3  \nbob\tsha256:{bob} expires=2999-01-31\npast sha256:{past} weight=1 expires=2001-02-03T04:05:06Z\n"
    );
    let list = List::read(&text).expect("a list");
    let TokenLookup::Of(principal) = found(&list, "ada") else {
        panic!("ada has a token");
    };
    assert_eq!(principal.name().as_ref(), "ada");
    assert_eq!(principal.weight().get(), 3);
    assert_eq!(found(&list, "bob"), TokenLookup::Of(Principal::new("bob")));
    assert_eq!(found(&list, "past"), TokenLookup::Expired);
    assert_eq!(found(&list, "carol"), TokenLookup::Unknown);
    let ends = SystemTime::UNIX_EPOCH + Duration::from_secs(981_173_106);
    let entries = edit::entries(&text).expect("a list");
    assert_eq!(entries[2].expires(), Some(ends));
    assert!(!entries[2].has_expired(ends - Duration::from_secs(1)));
    assert!(entries[2].has_expired(ends));
}

#[test]
fn a_wrong_line_is_named_and_not_quoted() {
    let secret = token("hunter2");
    let digest = secret.digest().to_hex();
    let text = secret.expose();
    for (wrong, what) in [
        (text.to_owned(), "a line is `NAME sha256:DIGEST`"),
        (
            format!("ada {text}"),
            "perhaps a token, which may not stand here; `ampoule auth token add NAME --stdin` reads a token",
        ),
        (format!("ada sha256:{text}"), "needs 64 hexadecimal digits"),
        (
            format!("ada sha256:{digest}00"),
            "needs 64 hexadecimal digits",
        ),
        (
            format!("ada sha256:{digest} weight=0"),
            "a number, 1 to 65535",
        ),
        (
            format!("ada sha256:{digest} expires=soon"),
            "needs a day or a time",
        ),
        (
            format!("ada sha256:{digest} weight=1 weight=1"),
            "each once",
        ),
        (format!("ada sha256:{digest} {text}"), "after the digest"),
        (format!("a\u{202e}da sha256:{digest}"), "that can't be seen"),
        (format!("{} sha256:{digest}", "a".repeat(129)), "128 bytes"),
        (
            format!("bob sha256:{digest}\nada sha256:{digest}"),
            "the token of line 3",
        ),
        (
            format!("{}ada sha256:{digest} weight=2", line("ada", "other")),
            "line 3 gives the same principal another weight",
        ),
        (
            format!("{}ada sha256:{digest} groups=ops", line("ada", "other")),
            "line 3 gives the same principal other groups",
        ),
        (
            format!("ada sha256:{digest} groups=ops,,x"),
            "the name of a group may not be empty",
        ),
        (
            format!("ada sha256:{digest} groups=ops groups=x"),
            "`groups=A,B`, each once",
        ),
    ] {
        let said = mistake(&format!("# a comment\n\n{wrong}\n"));
        let number = if wrong.contains('\n') { 4 } else { 3 };
        assert!(said.starts_with(&format!("line {number}: ")), "{said}");
        assert!(said.contains(what), "{wrong}: {said}");
        assert!(
            !said.contains("hunter2") && !said.contains(&digest),
            "{said}"
        );
    }
}

#[test]
fn a_line_says_which_groups_somebody_is_in() {
    let groups = ["ops".to_owned(), "crm:read".to_owned()];
    let entry = Entry::new("ada", &token("ada"), ONE, None).expect("a name");
    let entry = entry.in_groups(&groups).expect("groups");
    let text = format!("{entry}\n");
    assert!(text.ends_with(" groups=ops,crm:read\n"), "{text}");
    let list = List::read(&text).expect("a list");
    let TokenLookup::Of(principal) = found(&list, "ada") else {
        panic!("ada has a token");
    };
    let read: Vec<&str> = principal.groups().iter().map(|it| &**it).collect();
    assert_eq!(read, ["ops", "crm:read"]);
    for wrong in ["a,b", "a b", "", "a\u{200b}"] {
        let entry = Entry::new("ada", &token("ada"), ONE, None).expect("a name");
        assert!(entry.in_groups(&[wrong.to_owned()]).is_err(), "{wrong:?}");
    }
}

#[test]
fn there_are_so_many_tokens_and_no_more() {
    let mut text = String::new();
    for number in 0..10_000 {
        text += &format!("ada sha256:{number:064x}\n");
    }
    assert_eq!(mistake(&text), "none");
    text += &line("ada", "more");
    assert_eq!(
        mistake(&text),
        "line 10001: there may be at most 10000 tokens"
    );
}

/// What is measured here is not time, which depends on the machine, but what it could depend on.
#[test]
fn where_a_token_is_looked_for_has_nothing_to_do_with_what_it_looks_like() {
    let right = token("amp_0123456789");
    let text = format!(
        "{}\n",
        Entry::new("ada", &right, ONE, None).expect("a name")
    );
    let (list, other) = (List::read(&text).unwrap(), List::read(&text).unwrap());
    let bits = |wrong: &str, list: &List| {
        let places = [wrong, right.expose()].map(|token| *list.place(Digest::of(token)).as_bytes());
        let differing = |(a, b): (&u8, &u8)| (a ^ b).count_ones();
        places[0].iter().zip(&places[1]).map(differing).sum::<u32>()
    };
    for prefix in 0..right.expose().len() {
        let mut wrong = right.expose()[..prefix].to_owned();
        wrong += &"x".repeat(right.expose().len() - prefix);
        assert_eq!(list.find(&wrong, SystemTime::now()), TokenLookup::Unknown);
        // Of 256 bits, about half: fewer than 64 happen once in 10^15.
        assert!(bits(&wrong, &list) > 64, "{prefix}");
        // And nobody outside knows where that is: the next list has it elsewhere.
        assert_ne!(
            list.place(Digest::of(&wrong)).as_bytes(),
            other.place(Digest::of(&wrong)).as_bytes()
        );
    }
}

#[test]
fn tokens_are_random_and_seen_nowhere() {
    let [one, other] = [(); 2].map(|()| Token::random().expect("random bytes"));
    assert_ne!(one.expose(), other.expose());
    assert!(one.expose().starts_with("amp_") && one.expose().len() == 47);
    let entry = Entry::new("ada", &one, ONE, None).expect("a name");
    let shown = format!("{one:?} {entry:?} {entry} {}", entry.id());
    assert!(!shown.contains(&one.expose()[4..]), "{shown}");
    for guessed in [
        "",
        "hunter2",
        &"x".repeat(31),
        &"x".repeat(513),
        &"ü".repeat(32),
    ] {
        assert!(Token::from_elsewhere(guessed).is_err(), "{guessed}");
    }
    // SHA-256, as every system computes it.
    let known = Digest::of("abc").to_hex();
    assert_eq!(
        known,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn a_list_is_changed_where_it_must_be() {
    let expires = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    let weight = NonZeroU16::new(4).expect("no zero");
    let entry = Entry::new("ada", &token("new"), weight, Some(expires)).expect("a name");
    let made = edit::with("", &entry).expect("a list");
    assert!(
        made.starts_with("# ") && made.ends_with(&format!("\n{entry}\n")),
        "{made}"
    );
    assert!(format!("{entry}").ends_with(" expires=2096-10-02T07:06:40Z weight=4"));

    let text = format!("# team\n{}\n# bots\n{}", line("bob", "b"), line("ada", "a"));
    let same_weight = Entry::new("ada", &token("new"), ONE, None).expect("a name");
    let longer = edit::with(text.trim_end(), &same_weight).expect("a list");
    assert_eq!(longer, format!("{text}{same_weight}\n"));
    assert!(edit::with(&text, &entry).is_err(), "another weight");
    assert!(edit::with(&longer, &same_weight).is_err(), "the same again");

    let (rest, removed) = edit::without(&longer, "ada", None).expect("a list");
    assert_eq!(rest, format!("# team\n{}\n# bots\n", line("bob", "b")));
    assert_eq!(removed.len(), 2);
    let (rest, removed) = edit::without(&longer, "ada", Some(&same_weight.id())).expect("a list");
    assert_eq!((rest, removed.len()), (text.clone(), 1));
    let (rest, removed) = edit::without(&text, "carol", None).expect("a list");
    assert_eq!((rest, removed.len()), (text, 0));
    for name in ["", "a b", "#ada", "a\nb"] {
        assert!(Entry::new(name, &token("x"), ONE, None).is_err(), "{name}");
    }
}
