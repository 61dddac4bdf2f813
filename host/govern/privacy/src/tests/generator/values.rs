//! Values for the slots of templates, with the checks that real ones have.

use super::numbers::{card, iban, number};
use super::random::{below, digits, hex, one};

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
