//! Words that say what a number near them is; and beginnings of keys, which are found on the same way.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::finding::Finding;
use crate::kind::{Country, Kind};
use crate::secrets;

/// What a word says of the numbers after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cue {
    Phone,
    Card,
    Id(Country),
    /// They are of orders, articles and the like.
    Code,
    /// They are of versions.
    Version,
}

/// How far before a number a word may stand, in bytes.
const NEAR: usize = 40;
/// The same for those that say what it is not.
const NEAR_CODE: usize = 28;

const WORDS: &[(Cue, &str)] = &[
    (
        Cue::Phone,
        "phone|phones|telephone|tel|mobile|cell|call|fax|dial|sms|whatsapp|hotline|landline|\
         telefon|telefonnummer|telefonnr|tel.nr|rufnummer|handy|handynummer|mobil|mobilnummer|mobilfunk|anruf|rückruf|durchwahl|faxnummer|festnetz|\
         tél|téléphone|telephoner|portable|fixe|appelez|rappelez|appeler|joindre|numéro|standard|\
         teléfono|telefono|tlf|móvil|movil|llámame|llame|llamar|llama|fijo|celular|\
         cellulare|chiamami|chiamare|chiami|chiama|numero verde|fisso|\
         telefone|telemóvel|telemovel|ligue|ligar|zap",
    ),
    (
        Cue::Card,
        "card|visa|mastercard|amex|credit card|ccnum|karte|kreditkarte|carte|tarjeta|carta|cartão|cartao",
    ),
    (Cue::Id(Country::Brazil), "cpf"),
    (
        Cue::Id(Country::France),
        "nir|sécurité sociale|securite sociale|sécu|secu|num_secu",
    ),
    (
        Cue::Id(Country::Germany),
        "steuer-id|steuerid|steuer-identifikationsnummer|steueridentifikationsnummer|idnr|steuernummer|steuerliche",
    ),
    (Cue::Id(Country::India), "aadhaar|aadhar|uidai"),
    (
        Cue::Id(Country::Netherlands),
        "bsn|burgerservicenummer|sofinummer",
    ),
    (Cue::Id(Country::Poland), "pesel"),
    (Cue::Id(Country::Portugal), "nif|contribuinte"),
    (Cue::Id(Country::Spain), "dni|nie"),
    (
        Cue::Id(Country::Sweden),
        "personnummer|personnr|personal identity number|personal number",
    ),
    (
        Cue::Id(Country::UnitedStates),
        "ssn|social security|social|itin",
    ),
    (
        Cue::Code,
        "order|orders|invoice|ref|reference|ticket|case|sku|isbn|ean|upc|imei|serial|tracking|part no|part|mpn|lot|batch|po|meeting id|account no|\
         id|uuid|hash|commit|sha256|epoch|timestamp|duration|\
         bestellung|bestellnummer|kundennummer|rechnung|rechnungsnr|artikel|artikelnummer|auftrag|sendungsnummer|seriennummer|aktenzeichen|\
         commande|facture|référence|réf|dossier|siret|siren|colis|\
         pedido|factura|referencia|expediente|lote|\
         ordine|fattura|riferimento|lotto|protocollo|bolla|p.iva|partita iva|\
         encomenda|fatura|referência|processo|cnpj|nota fiscal|matrícula",
    ),
    (
        Cue::Version,
        "version|versions|release|firmware|upgrade|build|v|ver|versión|versione|versão|beta|lot|din",
    ),
];

/// A word that was found, by where it ends.
#[derive(Debug, Clone, Copy)]
struct Mark {
    end: usize,
    cue: Cue,
}

/// The words of a text, asked for from its beginning to its end.
#[derive(Debug, Default)]
pub(crate) struct Cues {
    marks: Vec<Mark>,
    next: usize,
    phone: Option<usize>,
    card: Option<usize>,
    id: Option<(Country, usize)>,
    code: Option<usize>,
    version: Option<usize>,
}

struct Search {
    automaton: AhoCorasick,
    /// The cue of each pattern; the others are beginnings of keys.
    cues: Vec<Cue>,
}

static SEARCH: LazyLock<Option<Search>> = LazyLock::new(|| {
    let words = || {
        let each = |(cue, words): &(Cue, &'static str)| {
            let cue = *cue;
            words.split('|').map(move |word| (cue, word))
        };
        WORDS.iter().flat_map(each)
    };
    let patterns = words().map(|(_, word)| word).chain(secrets::beginnings());
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(aho_corasick::AhoCorasickKind::DFA))
        .build(patterns)
        .ok()?;
    let cues = words().map(|(cue, _)| cue).collect();
    Some(Search { automaton, cues })
});

impl Cues {
    /// Those of a text; its keys are added to what was found.
    pub(crate) fn of(text: &str, found: &mut Vec<Finding>) -> Self {
        let mut marks = Vec::new();
        let Some(search) = SEARCH.as_ref() else {
            return Self::default();
        };
        let bytes = text.as_bytes();
        let mut after = 0;
        for hit in search.automaton.find_iter(text) {
            if hit.start() < after {
                continue;
            }
            let pattern = hit.pattern().as_usize();
            match search.cues.get(pattern) {
                Some(&cue) if is_word(bytes, hit.start(), hit.end()) => marks.push(Mark {
                    end: hit.end(),
                    cue,
                }),
                Some(_) => {}
                None => {
                    let secret = secrets::at(text, hit.start(), pattern - search.cues.len());
                    if let Some((service, range)) = secret {
                        after = range.end;
                        found.push(Finding::plain(Kind::Secret(service), range));
                    }
                }
            }
        }
        Self {
            marks,
            ..Self::default()
        }
    }

    /// Takes note of the words before that place.
    pub(crate) fn go_to(&mut self, at: usize) {
        while let Some(mark) = self.marks.get(self.next).filter(|mark| mark.end <= at) {
            self.next += 1;
            let end = mark.end;
            match mark.cue {
                Cue::Phone => self.phone = Some(end),
                Cue::Card => self.card = Some(end),
                Cue::Id(country) => self.id = Some((country, end)),
                Cue::Code => self.code = Some(end),
                Cue::Version => self.version = Some(end),
            }
        }
    }

    /// Whether a number there is said to be a telephone's.
    pub(crate) fn phone(&self, text: &str, at: usize) -> bool {
        near(text, self.phone, at, NEAR)
    }

    /// The same for a card's.
    pub(crate) fn card(&self, text: &str, at: usize) -> bool {
        near(text, self.card, at, NEAR)
    }

    /// Whose id a number there is said to be.
    pub(crate) fn id(&self, text: &str, at: usize) -> Option<Country> {
        let (country, end) = self.id?;
        near(text, Some(end), at, NEAR).then_some(country)
    }

    /// Whether a number there is said to be none of a person's.
    pub(crate) fn code(&self, text: &str, at: usize) -> bool {
        let last = self.phone.max(self.card).max(self.id.map(|(_, end)| end));
        self.code > last && near(text, self.code, at, NEAR_CODE)
    }

    /// Whether what is there is said to be a version.
    pub(crate) fn version(&self, text: &str, at: usize) -> bool {
        near(text, self.version, at, NEAR_CODE)
    }
}

fn near(text: &str, end: Option<usize>, at: usize, most: usize) -> bool {
    let Some(end) = end.filter(|end| at - end <= most) else {
        return false;
    };
    !text.as_bytes()[end..at].contains(&b'\n')
}

/// Whether that is a word of its own: a change of case begins one, too.
fn is_word(bytes: &[u8], start: usize, end: usize) -> bool {
    let letter = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_alphabetic() || *b >= 0x80)
    };
    let lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let begins = start == 0 || !letter(start - 1) || (lower(start - 1) && upper(start));
    let ends = !letter(end) || (lower(end - 1) && upper(end));
    begins && ends
}
