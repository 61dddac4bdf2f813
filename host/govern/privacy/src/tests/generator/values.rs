//! Values for the slots of templates, with the checks that real ones have.

use crate::tests::read::next;

fn below(most: u64, seed: &mut u64) -> u64 {
    next(seed) % most
}

fn one<'a>(of: &[&'a str], seed: &mut u64) -> &'a str {
    of[below(of.len() as u64, seed) as usize]
}

/// Each `#` a digit, each `N` one from 1, each `X` one from 2.
fn digits(form: &str, seed: &mut u64) -> String {
    let digit = |c| match c {
        '#' => char::from(b'0' + below(10, seed) as u8),
        'N' => char::from(b'1' + below(9, seed) as u8),
        'X' => char::from(b'2' + below(8, seed) as u8),
        c => c,
    };
    form.chars().map(digit).collect()
}

fn hex(length: usize, seed: &mut u64) -> String {
    let digit = |_| char::from(b"0123456789abcdef"[below(16, seed) as usize]);
    (0..length).map(digit).collect()
}

/// Personal data for a slot, in its language.
pub(super) fn personal(slot: &str, language: &str, fill: usize, seed: &mut u64) -> String {
    match slot {
        "email" => email(seed),
        "phone" => digits(one(phones(language), seed), seed),
        "phone-bare" => digits(
            one(
                &["XNNX######", "49151#######", "336########", "44770#######"],
                seed,
            ),
            seed,
        ),
        "card" => card(seed),
        "iban" => iban(seed),
        "ip" => ip(seed),
        "first-name" => one(firsts(language), seed).to_owned(),
        "last-name" => one(lasts(language), seed).to_owned(),
        "name" | "prose-name" => format!(
            "{} {}",
            one(firsts(language), seed),
            one(lasts(language), seed)
        ),
        "street" => street(language, seed),
        "address" => format!("{}, {}", street(language, seed), one(towns(language), seed)),
        "secret" => {
            SECRETS[(fill + below(SECRETS.len() as u64, seed) as usize) % SECRETS.len()].to_owned()
        }
        id => number(id, seed),
    }
}

fn email(seed: &mut u64) -> String {
    let first = one(
        &[
            "anna",
            "j.smith",
            "marie-claire",
            "p_lopez",
            "k.o.mueller",
            "info+eu",
            "luca77",
            "r.d'souza",
            "sven",
            "x9",
        ],
        seed,
    );
    let host = one(
        &[
            "example.com",
            "mail.example.org",
            "firma.de",
            "entreprise.fr",
            "azienda.it",
            "correo.es",
            "empresa.com.br",
            "uni-x.ac.uk",
            "start.up.io",
            "gmail.com",
        ],
        seed,
    );
    match below(4, seed) {
        0 => format!("{first}{}@{host}", below(99, seed)),
        1 => format!("{}@{host}", first.to_uppercase()),
        _ => format!("{first}@{host}"),
    }
}

fn phones(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &[
            "+49 30 ########",
            "+49 (0)89 ######-##",
            "0151 ########",
            "030/#######",
            "0221 #######",
            "+43 1 #######",
            "+4917########",
            "0711 ### ## ##",
        ],
        "fr" => &[
            "06 ## ## ## ##",
            "01.##.##.##.##",
            "+33 6 ## ## ## ##",
            "+33 1 ## ## ## ##",
            "07 ## ## ## ##",
            "+32 2 ### ## ##",
        ],
        "es" => &[
            "+34 6## ### ###",
            "+34 91 ### ## ##",
            "6## ### ###",
            "91 ### ## ##",
            "+52 55 #### ####",
            "+346########",
        ],
        "it" => &[
            "+39 3## #######",
            "3## #######",
            "06 #### ####",
            "+39 02 ########",
            "02 #######",
            "+39 3## ### ####",
        ],
        "pt" => &[
            "+351 9## ### ###",
            "9## ### ###",
            "+55 11 9####-####",
            "(11) 9####-####",
            "+351 21 ### ####",
            "(21) X###-####",
        ],
        _ => &[
            "+1 (XNN) XNN-####",
            "XNN-XNN-####",
            "(XNN) XNN-####",
            "+44 20 7### ####",
            "020 7### ####",
            "07700 9#####",
            "XNN.XNN.####",
            "+1-XNN-XNN-####",
            "+61 2 #### ####",
        ],
    }
}

fn firsts(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &[
            "Anna",
            "Jürgen",
            "Käthe",
            "Lukas",
            "Sabine",
            "Hans-Peter",
            "Ümit",
        ],
        "fr" => &["Hélène", "Jean-Luc", "Chloé", "François", "Zoé", "Élodie"],
        "es" => &["Lucía", "José", "María José", "Iñaki", "Andrés", "Carmen"],
        "it" => &["Giulia", "Niccolò", "Marco", "Maria Grazia", "Luca"],
        "pt" => &["João", "Inês", "Conceição", "Thiago", "Maria", "Beatriz"],
        _ => &[
            "Jane", "Kwame", "Mary-Ann", "Priya", "Liam", "Siobhan", "Wei",
        ],
    }
}

fn lasts(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &[
            "Müller",
            "von der Heide",
            "Schäfer",
            "Öztürk",
            "Groß",
            "Meyer-Lüdenscheidt",
        ],
        "fr" => &["Lefèvre", "de la Tour", "Dupont", "N'Diaye", "Moreau"],
        "es" => &["García Márquez", "Núñez", "de la Cruz", "Ibáñez", "López"],
        "it" => &["Rossi", "De Luca", "D'Angelo", "Bianchi", "Esposito"],
        "pt" => &["da Silva", "Gonçalves", "dos Santos", "Araújo", "Costa"],
        _ => &[
            "Doe",
            "O'Neill",
            "Mensah",
            "Van Buren",
            "Smith-Jones",
            "Patel",
        ],
    }
}

fn street(language: &str, seed: &mut u64) -> String {
    let forms: &[&str] = match language {
        "de" => &[
            "Hauptstraße #N",
            "Am Hang Na",
            "Goethestr. N#",
            "Unter den Linden N#",
        ],
        "fr" => &[
            "N# rue de la Paix",
            "N bis, avenue Foch",
            "N# place Bellecour",
        ],
        "es" => &[
            "Calle Mayor N#",
            "Avda. de la Constitución, N#",
            "Plaza España N, 2º A",
        ],
        "it" => &["Via Garibaldi N#", "Corso Italia, N#", "Piazza del Duomo N"],
        "pt" => &[
            "Rua Augusta N##",
            "Av. da Liberdade, N#",
            "Travessa do Fala-Só N",
        ],
        _ => &[
            "N# Baker Street",
            "N### Elm Ave, Apt N",
            "N# St. James's Sq",
            "N## N#th Street",
        ],
    };
    digits(one(forms, seed), seed)
}

fn towns(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &["10115 Berlin", "80331 München", "50667 Köln"],
        "fr" => &["75002 Paris", "69002 Lyon", "44000 Nantes"],
        "es" => &["28013 Madrid", "41001 Sevilla", "08002 Barcelona"],
        "it" => &["20121 Milano", "00184 Roma", "80121 Napoli"],
        "pt" => &["1100-053 Lisboa", "01310-100 São Paulo", "4000-322 Porto"],
        _ => &["London NW1 6XE", "Springfield, IL 62704", "Dublin 2"],
    }
}

fn card(seed: &mut u64) -> String {
    let form = one(
        &[
            "4##############",
            "5N#############",
            "37############",
            "6011###########",
            "222N###########",
            "35N8###########",
        ],
        seed,
    );
    let form = form
        .replace("5N", "52")
        .replace("35N8", "3548")
        .replace("222N", "2225");
    let mut number = digits(&form, seed);
    number.push(luhn(&number));
    let (separator, groups): (&str, &[usize]) = match (below(4, seed), number.len()) {
        (0 | 1, 16) => (" ", &[4, 4, 4, 4]),
        (2, 16) => ("-", &[4, 4, 4, 4]),
        (0..=2, 15) => (" ", &[4, 6, 5]),
        _ => return number,
    };
    grouped(&number, groups, separator)
}

fn grouped(number: &str, groups: &[usize], separator: &str) -> String {
    let mut at = 0;
    let part = |length: &usize| {
        at += length;
        &number[at - length..at]
    };
    groups.iter().map(part).collect::<Vec<_>>().join(separator)
}

fn luhn(number: &str) -> char {
    let doubled = |(index, digit): (usize, u8)| {
        let digit = u32::from(digit - b'0');
        if index % 2 == 0 {
            digit * 2 / 10 + digit * 2 % 10
        } else {
            digit
        }
    };
    let sum: u32 = number.bytes().rev().enumerate().map(doubled).sum();
    char::from(b'0' + ((10 - sum % 10) % 10) as u8)
}

fn iban(seed: &mut u64) -> String {
    let forms = [
        "DE##################",
        "GB@@@@##############",
        "FR#######################",
        "ES####################",
        "NL@@@@##########",
        "AT################",
        "BE############",
        "PT#####################",
        "PL########################",
        "CH#################",
        "SE####################",
        "IT@######################",
    ];
    // The check digits of these countries are their own as well, and `iban_validate` looks at lengths and letters alone.
    let form = one(&forms, seed);
    let letters: String = form[2..]
        .chars()
        .map(|c| {
            if c == '@' {
                char::from(b'A' + below(13, seed) as u8)
            } else {
                c
            }
        })
        .collect();
    let rest = digits(&letters, seed);
    let country = &form[..2];
    let check = 98 - modulo(&format!("{rest}{country}00"), 97);
    let plain = format!("{country}{check:02}{rest}");
    if below(2, seed) == 0 {
        return plain;
    }
    let parts: Vec<&str> = (0..plain.len())
        .step_by(4)
        .map(|at| &plain[at..plain.len().min(at + 4)])
        .collect();
    parts.join(" ")
}

/// A text of digits and letters (from 10 on) modulo a number.
fn modulo(text: &str, by: u64) -> u64 {
    text.chars()
        .fold(0, |rest, c| match c.to_digit(36).map(u64::from) {
            Some(value @ 0..=9) => (rest * 10 + value) % by,
            Some(value) => (rest * 100 + value) % by,
            None => rest,
        })
}

fn ip(seed: &mut u64) -> String {
    match below(6, seed) {
        0 => format!("2a02:{}:{}::{}", hex(4, seed), hex(4, seed), hex(3, seed)),
        1 => format!(
            "10.{}.{}.{}",
            below(256, seed),
            below(256, seed),
            below(256, seed)
        ),
        _ => format!(
            "{}.{}.{}.{}",
            13 + below(100, seed),
            below(256, seed),
            below(256, seed),
            below(256, seed)
        ),
    }
}

fn number(id: &str, seed: &mut u64) -> String {
    match id {
        "id-us" => digits("2NN-4N-#NN#", seed),
        "id-us-bare" => digits("2NN4N#NN#", seed),
        "id-gb" => digits(
            one(&["AB######C", "JT######A", "AB ## ## ## D"], seed),
            seed,
        ),
        "id-de" => steuer_id(seed),
        "id-fr" => nir(seed),
        "id-es" => dni(seed),
        "id-it" => codice_fiscale(seed),
        "id-nl" => weighed(seed, 9),
        "id-pl" => pesel(seed),
        "id-br" => cpf(seed, true),
        "id-br-bare" => cpf(seed, false),
        "id-pt" => nif(seed),
        "id-se" => personnummer(seed),
        "id-in" => aadhaar(seed),
        "id-ch" => ahv(seed),
        other => panic!("no value for {other}"),
    }
}

fn values(number: &str) -> impl DoubleEndedIterator<Item = u64> {
    number.bytes().map(|byte| u64::from(byte - b'0'))
}

fn steuer_id(seed: &mut u64) -> String {
    // One digit twice, one not at all.
    let mut ten: Vec<u64> = (0..10).collect();
    for index in (1..10).rev() {
        ten.swap(index, below(index as u64 + 1, seed) as usize);
    }
    if ten[0] == 0 {
        ten.swap(0, 5);
    }
    ten[9] = ten[3];
    let mut product = 10;
    for digit in &ten {
        let sum = (digit + product) % 10;
        product = (if sum == 0 { 10 } else { sum }) * 2 % 11;
    }
    ten.push((11 - product) % 10);
    let number: String = ten.iter().map(u64::to_string).collect();
    if below(2, seed) == 0 {
        number
    } else {
        grouped(&number, &[2, 3, 3, 3], " ")
    }
}

fn nir(seed: &mut u64) -> String {
    let head =
        digits("2##", seed) + &format!("{:02}", 1 + below(12, seed)) + &digits("7######N", seed);
    let number = format!(
        "{head}{:02}",
        97 - head.parse::<u64>().expect("digits") % 97
    );
    if below(2, seed) == 0 {
        number
    } else {
        grouped(&number, &[1, 2, 2, 2, 3, 3, 2], " ")
    }
}

fn dni(seed: &mut u64) -> String {
    let letter = |number: u64| char::from(b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize]);
    let number = 10_000_000 + below(80_000_000, seed);
    match below(3, seed) {
        0 => {
            let number = below(9_999_999, seed);
            format!("X{number:07}{}", letter(number))
        }
        1 => format!("{number}-{}", letter(number)),
        _ => format!("{number}{}", letter(number)),
    }
}

fn codice_fiscale(seed: &mut u64) -> String {
    const ODD: [u64; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let names = one(&["RSSMRA", "BRCLCU", "VRDGPP", "FRRLCE"], seed);
    let head = digits(
        &format!(
            "{names}8N{}0NH501",
            one(
                &["A", "B", "C", "D", "E", "H", "L", "M", "P", "R", "S", "T"],
                seed
            )
        ),
        seed,
    );
    let value = |c: char| u64::from(c.to_digit(36).unwrap_or_default());
    let plain = |c: char| {
        if c.is_ascii_digit() {
            value(c)
        } else {
            value(c) - 10
        }
    };
    let sum: u64 = head
        .chars()
        .enumerate()
        .map(|(index, c)| {
            if index % 2 == 0 {
                ODD[plain(c) as usize]
            } else {
                plain(c)
            }
        })
        .sum();
    format!("{head}{}", char::from(b'A' + (sum % 26) as u8))
}

/// The Dutch check: nine digits, weighed from 9 to 2, and -1.
fn weighed(seed: &mut u64, first: u64) -> String {
    loop {
        let head = digits("N#######", seed);
        let rest = values(&head)
            .zip((2..=first).rev())
            .map(|(digit, weight)| digit * weight)
            .sum::<u64>()
            % 11;
        if rest < 10 {
            return format!("{head}{rest}");
        }
    }
}

fn pesel(seed: &mut u64) -> String {
    let head = format!(
        "{:02}{:02}{:02}",
        below(99, seed),
        1 + below(12, seed),
        1 + below(28, seed)
    ) + &digits("####", seed);
    let sum: u64 = values(&head)
        .zip([1, 3, 7, 9].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum();
    format!("{head}{}", (10 - sum % 10) % 10)
}

fn cpf(seed: &mut u64, dotted: bool) -> String {
    let mut number = digits("N########", seed);
    for count in [9_u64, 10] {
        let sum: u64 = values(&number)
            .zip((2..=count + 1).rev())
            .map(|(digit, weight)| digit * weight)
            .sum();
        number += &(sum * 10 % 11 % 10).to_string();
    }
    if !dotted {
        return number;
    }
    format!(
        "{}.{}.{}-{}",
        &number[..3],
        &number[3..6],
        &number[6..9],
        &number[9..]
    )
}

fn nif(seed: &mut u64) -> String {
    let head = digits("2#######", seed);
    let sum: u64 = values(&head)
        .zip((2..=9).rev())
        .map(|(digit, weight)| digit * weight)
        .sum();
    let check = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
    format!("{head}{check}")
}

fn personnummer(seed: &mut u64) -> String {
    let head = format!(
        "{:02}{:02}{:02}",
        below(99, seed),
        1 + below(12, seed),
        1 + below(28, seed)
    ) + &digits("###", seed);
    let number = format!("{head}{}", luhn(&head));
    let form = below(2, seed);
    let century = if form == 0 { "19" } else { "" };
    format!("{century}{}-{}", &number[..6], &number[6..])
}

fn aadhaar(seed: &mut u64) -> String {
    // The last digit is tried: of ten, one is right.
    let head = digits("X##########", seed);
    let right = (0..10)
        .map(|digit| format!("{head}{digit}"))
        .find(|number| verhoeff(number));
    grouped(&right.expect("one is right"), &[4, 4, 4], " ")
}

/// Verhoeff's check by the group of symmetries of a pentagon, rather than by its table.
fn verhoeff(number: &str) -> bool {
    const TURN: [u64; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let times = |a: u64, b: u64| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => 5 + (a + b - 5) % 5,
        (false, true) => 5 + (a - 5 + 5 - b) % 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let turned =
        |(index, digit): (usize, u64)| (0..index).fold(digit, |digit, _| TURN[digit as usize]);
    values(number).rev().enumerate().map(turned).fold(0, times) == 0
}

fn ahv(seed: &mut u64) -> String {
    let head = digits("756#########", seed);
    let sum: u64 = values(&head)
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum();
    let number = format!("{head}{}", (10 - sum % 10) % 10);
    grouped(&number, &[3, 4, 4, 2], ".")
}

/// Forms of keys; their characters are made when the corpus is read.
const SECRETS: &[&str] = &[
    "AKIA⟨up:16⟩",
    "ghp_⟨b62:36⟩",
    "gho_⟨b62:36⟩",
    "github_pat_⟨b62:22⟩_⟨b62:59⟩",
    "glpat-⟨b64u:20⟩",
    "glrt-⟨b64u:20⟩",
    "xoxb-⟨dec:12⟩-⟨dec:13⟩-⟨b62:24⟩",
    "xapp-1-⟨upd:11⟩-⟨dec:13⟩-⟨hex:64⟩",
    "sk_live_⟨b62:24⟩",
    "rk_test_⟨b62:24⟩",
    "whsec_⟨b62:32⟩",
    "AIza⟨b64u:35⟩",
    "GOCSPX-⟨b64u:28⟩",
    "ya29.⟨b64u:120⟩",
    "sk-proj-⟨b64u:74⟩T3BlbkFJ⟨b64u:74⟩",
    "sk-⟨b62:20⟩T3BlbkFJ⟨b62:20⟩",
    "sk-ant-api03-⟨b64u:93⟩AA",
    "sk-or-v1-⟨hex:64⟩",
    "npm_⟨b62:36⟩",
    "pypi-AgEIcHlwaS5vcmc⟨b64u:120⟩",
    "cio⟨b62:32⟩",
    "rubygems_⟨hex:48⟩",
    "SK⟨hex:32⟩",
    "SG.⟨b64u:22⟩.⟨b64u:43⟩",
    "key-⟨hex:32⟩",
    "shpat_⟨hex:32⟩",
    "sq0csp-⟨b64u:43⟩",
    "hf_⟨let:34⟩",
    "dop_v1_⟨hex:64⟩",
    "lin_api_⟨b62:40⟩",
    "ntn_⟨b62:46⟩",
    "pat⟨b62:14⟩.⟨hex:64⟩",
    "sntryu_⟨hex:64⟩",
    "glsa_⟨b62:32⟩_⟨hex:8⟩",
    "dapi⟨hex:32⟩",
    "NRAK-⟨upd:27⟩",
    "hvs.⟨b64u:90⟩",
    "dp.pt.⟨b62:43⟩",
    "pscale_tkn_⟨b62:43⟩",
    "sbp_⟨hex:40⟩",
    "dckr_pat_⟨b64u:27⟩",
    "PMAK-⟨hex:24⟩-⟨hex:34⟩",
    "figd_⟨b64u:40⟩",
    "ATATT3⟨b64u:186⟩",
    "⟨dec:10⟩:AA⟨b64u:33⟩",
    "eyJ⟨b64u:33⟩.eyJ⟨b64u:60⟩.⟨b64u:43⟩",
];

/// What looks like personal data in some way, and is none.
pub(super) fn harmless(what: &str, seed: &mut u64) -> String {
    let number = |least: u64, most: u64, seed: &mut u64| least + below(most - least, seed);
    match what {
        "count" => number(1, 99_999, seed).to_string(),
        "order" => digits(
            one(
                &[
                    "ORD-########",
                    "####-######",
                    "SO######",
                    "1#-#####-#####",
                    "W##########",
                ],
                seed,
            ),
            seed,
        ),
        "order-number" => digits(
            one(
                &[
                    "N#########",
                    "N########",
                    "45########",
                    "N###########",
                    "6########",
                ],
                seed,
            ),
            seed,
        ),
        "tracking" => digits(
            one(
                &[
                    "1Z###W################",
                    "00340434#############",
                    "RR#########DE",
                    "N###########",
                ],
                seed,
            ),
            seed,
        ),
        "sku" => digits(
            one(
                &["AB-####-##", "##-###-####", "KT######", "N##.###.##"],
                seed,
            ),
            seed,
        ),
        "ean" | "isbn" => digits(
            one(
                &["978##########", "40###########", "978-3-##-######-#"],
                seed,
            ),
            seed,
        ),
        "uuid" => format!(
            "{}-{}-4{}-a{}-{}",
            hex(8, seed),
            hex(4, seed),
            hex(3, seed),
            hex(3, seed),
            hex(12, seed)
        ),
        "hash" => hex(40, seed),
        "hash16" => hex(16, seed),
        "sha256" => hex(64, seed),
        "version" => format!(
            "{}.{}.{}",
            below(20, seed),
            below(40, seed),
            below(99, seed)
        ),
        "version4" => format!(
            "{}.{}.{}.{}",
            below(20, seed),
            below(40, seed),
            below(99, seed),
            below(3000, seed)
        ),
        "stamp" => format!(
            "2024-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            number(1, 13, seed),
            number(1, 29, seed),
            below(24, seed),
            below(60, seed),
            below(60, seed)
        ),
        "date" => format!("2024-{:02}-{:02}", number(1, 13, seed), number(1, 29, seed)),
        "date-de" => format!("{:02}.{:02}.2024", number(1, 29, seed), number(1, 13, seed)),
        "date-fr" => format!("{:02}/{:02}/2024", number(1, 29, seed), number(1, 13, seed)),
        "epoch" => number(1_600_000_000, 1_900_000_000, seed).to_string(),
        "epoch-ms" => number(1_600_000_000_000, 1_900_000_000_000, seed).to_string(),
        "price" => format!("{}.{:02}", below(9999, seed), below(100, seed)),
        "price-de" => format!(
            "{}.{:03},{:02}",
            number(1, 99, seed),
            below(1000, seed),
            below(100, seed)
        ),
        "big-price" => format!(
            "{},{:03},{:03}.{:02}",
            number(1, 999, seed),
            below(1000, seed),
            below(1000, seed),
            below(100, seed)
        ),
        "decimal" => format!("{}.{}", below(100, seed), digits("########", seed)),
        "lat" => format!("{}.{}", below(90, seed), digits("######", seed)),
        "lon" => format!("-{}.{}", below(180, seed), digits("########", seed)),
        "bigint" => digits("N#################", seed),
        "city" => one(&["Berlin", "Springfield", "Lyon", "Porto", "Leeds"], seed).to_owned(),
        "zip" => digits("#####", seed),
        "login" => digits(one(&["octo##", "svc_deploy", "jdoe#"], seed), seed),
        other => panic!("no value for {other}"),
    }
}
