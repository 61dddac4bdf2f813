//! What a field holds, by its name: in six languages, in whatever way names are put together.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::kind::Country;

/// What a field holds, as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// A part of a person's name, or all of it.
    Name,
    /// A name, of a person or of something else: `name`.
    SomeName,
    /// A person, maybe by name: `author`.
    Person,
    /// An address, or the part of it that says which house.
    Address,
    Email,
    Phone,
    Card,
    Iban,
    Id(Option<Country>),
    Ip,
    Secret,
    /// A number that looks like others and is not one of them: of an order, of a version.
    Code,
}

/// Longer names say nothing.
const LONGEST: usize = 64;
/// How many words of a name are looked at, from its end.
const MOST_WORDS: usize = 6;

/// Words as they are in names: in lower case, without accents, put together.
const WORDS: &[(Field, &str)] = &[
    (
        Field::Name,
        "firstname givenname forename middlename lastname surname familyname maidenname birthname fullname legalname displayname realname \
         nameoncard holdername accountholder accountname cardholder cardholdername firstnames givennames lastnames \
         vorname vornamen nachname familienname geburtsname vollername \
         prenom prenoms nomdefamille nomnaissance nomdenaissance nomcomplet nomusage patronyme nometprenom prenometnom \
         apellido apellidos primerapellido segundoapellido primernombre nombrecompleto nombreyapellidos nombredepila \
         cognome nomecompleto nomeecognome nomecognome \
         sobrenome apelido primeironome ultimonome nomedafamilia nomedamae nomedopai",
    ),
    (
        Field::SomeName,
        "name names nom noms nombre nombres nome nomi nomes",
    ),
    (
        Field::Person,
        "customer client contact contactperson patient employee author owner user holder recipient sender passenger guest person member student \
         teacher applicant beneficiary payee spouse driver attendee assignee reporter reviewer committer creator actor cardowner users members \
         customers contacts employees patients people persons authors assignees passengers guests students attendees recipients \
         kunde kundin kunden ansprechpartner ansprechpartnerin kontoinhaber kontoinhaberin empfanger empfangerin absender mitarbeiter mitarbeiterin \
         mieter patientin versicherter inhaber sachbearbeiter \
         destinataire expediteur titulaire assure beneficiaire salarie proprietaire locataire interlocuteur \
         cliente clientes destinatario destinatarios remitente titular empleado paciente pacientes contacto usuario propietario \
         mittente intestatario dipendente paziente titolare utente assistito \
         remetente beneficiario funcionario utente proprietario contato",
    ),
    (
        Field::Address,
        "address addresses street streetname streetaddress addressline addr homeaddress postaladdress mailingaddress residence \
         strasse strassehausnr strassehausnummer strassenname anschrift adresse wohnadresse lieferadresse rechnungsadresse hausanschrift postanschrift \
         rue voie adressepostale domicile \
         direccion calle domicilio direccionpostal via indirizzo residenza indirizzodiresidenza \
         morada endereco rua logradouro residencia",
    ),
    (
        Field::Email,
        "email emails mail emailaddress mailaddress courriel correo correoelectronico correio posta postaelettronica adressemail emailadresse mailadresse",
    ),
    (
        Field::Phone,
        "phone phones telephone tel telno phoneno phonenumber telephonenumber mobile mobilephone mobilenumber cell cellphone cellular fax faxnumber landline \
         whatsapp sms msisdn telefon telefonnummer telefonnr rufnummer handy handynummer handynr mobil mobilnummer mobiltelefon mobilfunk festnetz faxnummer \
         telefono telefonos tlf tfno movil celular telefonomovil fijo cellulare numerotelefono numeroditelefono numerodetelefono fisso \
         portable fixe numerotelephone numerodetelephone telefone telefones telemovel zap",
    ),
    (
        Field::Card,
        "card cardnumber cardno creditcard creditcardnumber ccnum ccnumber ccn pan debitcard kartennummer kreditkarte kreditkartennummer \
         numerocarte numerodecarte cartebancaire tarjeta numerotarjeta numerodetarjeta carta numerocarta cartadicredito cartao numerocartao numerodocartao",
    ),
    (Field::Iban, "iban ibannumber bankaccount kontonummer"),
    (
        Field::Id(None),
        "nationalid nationalidnumber personalid idnumber taxid taxnumber taxpayerid",
    ),
    (Field::Id(Some(Country::Brazil)), "cpf numerocpf"),
    (
        Field::Id(Some(Country::France)),
        "nir numsecu numerosecu numerosecuritesociale securitesociale nss",
    ),
    (
        Field::Id(Some(Country::Germany)),
        "steuerid steueridentifikationsnummer steueridnr idnr steuernummer",
    ),
    (
        Field::Id(Some(Country::India)),
        "aadhaar aadhar aadhaarnumber uid uidai",
    ),
    (
        Field::Id(Some(Country::Italy)),
        "codicefiscale codfiscale cf",
    ),
    (
        Field::Id(Some(Country::Netherlands)),
        "bsn burgerservicenummer sofinummer",
    ),
    (Field::Id(Some(Country::Poland)), "pesel numerpesel"),
    (
        Field::Id(Some(Country::Portugal)),
        "nif contribuinte numerocontribuinte",
    ),
    (Field::Id(Some(Country::Spain)), "dni nie documento"),
    (Field::Id(Some(Country::Sweden)), "personnummer personnr"),
    (
        Field::Id(Some(Country::Switzerland)),
        "ahv ahvnr ahvnummer avs",
    ),
    (
        Field::Id(Some(Country::UnitedKingdom)),
        "nino nationalinsurance nationalinsurancenumber ninumber",
    ),
    (
        Field::Id(Some(Country::UnitedStates)),
        "ssn socialsecurity socialsecuritynumber itin",
    ),
    (
        Field::Ip,
        "ip ipaddress ipaddr ipv4 ipv6 clientip remoteip srcip dstip sourceip remoteaddr remoteaddress adresseip direccionip indirizzoip enderecoip",
    ),
    (
        Field::Secret,
        "password passwd pwd passphrase secret secretkey clientsecret apikey apisecret accesstoken refreshtoken authtoken privatekey secretaccesskey \
         passwort kennwort motdepasse contrasena parola parolachiave senha authorization",
    ),
    (
        Field::Code,
        "order orderid orderno ordernumber ref reference sku isbn ean upc imei serial serialnumber tracking trackingnumber invoice invoiceno \
         invoicenumber version build commit hash sha checksum uuid guid timestamp ts time duration date created updated size count total amount \
         price quantity lat lng lon longitude latitude ticket macaddress memoryaddress walletaddress contractaddress webaddress \
         bestellung bestellnummer bestellnr auftrag rechnungsnr rechnung artikel artikelnummer seriennummer aktenzeichen \
         commande facture montant dossier pedido factura importe expediente seguimiento ordine fattura importo protocollo spedizione \
         fatura valor processo rastreio matricula matricule matricola personalnummer employeeid",
    ),
];

/// What other things have names, addresses and the like, which are nobody's.
const THINGS: &[&str] = &[
    "file",
    "host",
    "user",
    "domain",
    "table",
    "column",
    "field",
    "class",
    "method",
    "function",
    "tool",
    "server",
    "repo",
    "repository",
    "branch",
    "tag",
    "event",
    "product",
    "company",
    "organization",
    "organisation",
    "org",
    "team",
    "project",
    "package",
    "module",
    "app",
    "application",
    "service",
    "bucket",
    "queue",
    "topic",
    "index",
    "database",
    "db",
    "schema",
    "path",
    "folder",
    "dir",
    "type",
    "variable",
    "var",
    "env",
    "key",
    "group",
    "role",
    "city",
    "country",
    "state",
    "region",
    "street",
    "brand",
    "model",
    "device",
    "channel",
    "workspace",
    "screen",
    "node",
    "pod",
    "cluster",
    "namespace",
    "container",
    "image",
    "template",
    "job",
    "task",
    "step",
    "stage",
    "metric",
    "mac",
    "memory",
    "wallet",
    "contract",
    "web",
    "listen",
    "bind",
    "base",
    "virtual",
    "physical",
    "start",
    "end",
    "token",
    "bank",
    "plan",
    "category",
    "tags",
];

static FIELDS: LazyLock<FxHashMap<&'static str, Field>> = LazyLock::new(|| {
    let words = |(field, words): &(Field, &'static str)| {
        let field = *field;
        words.split_whitespace().map(move |word| (word, field))
    };
    WORDS.iter().flat_map(words).collect()
});

/// What a field of this name holds; nothing that is known, mostly.
pub(crate) fn of(name: &str) -> Option<Field> {
    if name.len() > LONGEST || name.len() < 2 {
        return None;
    }
    let (joined, starts) = words(name);
    if starts.is_empty() {
        return None;
    }
    let last = starts.len().saturating_sub(MOST_WORDS);
    let from = &starts[last..];
    for (index, &start) in from.iter().enumerate() {
        if let Some(&field) = FIELDS.get(&joined[start..]) {
            let before = index
                .checked_sub(1)
                .map(|index| &joined[from[index]..start]);
            return told(field, before, &joined, from);
        }
    }
    // `nom_client`, `nombre_cliente`: the other way round.
    let word = |index: usize| {
        let end = from.get(index + 1).copied().unwrap_or(joined.len());
        FIELDS.get(&joined[from[index]..end]).copied()
    };
    let first = word(0)?;
    let person = (1..from.len()).any(|index| word(index) == Some(Field::Person));
    match first {
        Field::SomeName if person => Some(Field::Name),
        Field::Phone | Field::Email | Field::Address | Field::Iban | Field::Card
            if person || from.len() == 2 =>
        {
            Some(first)
        }
        _ => None,
    }
}

/// What the end of a name says, where there is something before it.
fn told(field: Field, before: Option<&str>, joined: &str, starts: &[usize]) -> Option<Field> {
    let Some(before) = before else {
        return Some(field);
    };
    match field {
        Field::SomeName | Field::Address if THINGS.contains(&before) => None,
        Field::SomeName => {
            let end = joined.len();
            let ends = starts.iter().skip(1).chain([&end]);
            let mut words = starts
                .iter()
                .zip(ends)
                .map(|(start, end)| &joined[*start..*end]);
            let person = words.any(|word| FIELDS.get(word) == Some(&Field::Person));
            person.then_some(Field::Name)
        }
        // `contact_type` ends with no person, but `primary_contact` does.
        field => Some(field),
    }
}

/// The words of a name in lower case without accents, put together, and where each begins.
fn words(name: &str) -> (String, Vec<usize>) {
    let mut joined = String::with_capacity(name.len());
    let mut starts = Vec::new();
    let (mut in_word, mut was_lower) = (false, false);
    for c in name.chars() {
        if !c.is_alphabetic() {
            // A digit within a word belongs to it: `ipv4`; one at its end numbers it: `line1`.
            if c.is_ascii_digit() && in_word && joined.ends_with('v') {
                joined.push(c);
            } else {
                in_word = false;
            }
            continue;
        }
        if !in_word || (was_lower && c.is_uppercase()) {
            starts.push(joined.len());
        }
        (in_word, was_lower) = (true, c.is_lowercase());
        for c in c.to_lowercase() {
            match plain(c) {
                Some(letters) => joined.push_str(letters),
                None => joined.push(c),
            }
        }
    }
    (joined, starts)
}

/// A letter of our languages without its accent.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'á' | 'à' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'é' | 'è' | 'ê' | 'ë' => "e",
        'í' | 'ì' | 'î' | 'ï' => "i",
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => "o",
        'ú' | 'ù' | 'û' | 'ü' => "u",
        'ç' => "c",
        'ñ' => "n",
        'ß' => "ss",
        'œ' => "oe",
        // Combining accents.
        '\u{300}'..='\u{36f}' => "",
        _ => return None,
    })
}
