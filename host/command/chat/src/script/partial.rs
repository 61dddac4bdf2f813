//! A script out of the arguments of a call that the model still writes: `{"code": "…`.

/// The argument that is the script.
const CODE: &str = "code";

/// The script of a call whose arguments arrive in pieces. Each piece gives what it adds to the
/// script.
#[derive(Debug, Default)]
pub struct PartialScript {
    place: Place,
    depth: u32,
    /// The text in progress is a name of the outermost object.
    is_name: bool,
    name: String,
    /// An escape that is not whole: what follows the backslash.
    escape: Option<String>,
    /// The first half of a character in two escapes.
    high: Option<u16>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Between texts.
    #[default]
    Outside,
    /// In a name of the outermost object.
    Name,
    /// In the text of the script.
    Code,
    /// In another text.
    Other,
}

impl PartialScript {
    /// Reads the next piece of the arguments, and gives the next piece of the script.
    pub fn push(&mut self, piece: &str) -> String {
        let mut script = String::new();
        for c in piece.chars() {
            match self.place {
                Place::Outside => self.between(c),
                _ => self.within(c, &mut script),
            }
        }
        script
    }

    fn between(&mut self, c: char) {
        match c {
            '{' | '[' => {
                self.depth += 1;
                self.is_name = c == '{' && self.depth == 1;
            }
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ':' if self.depth == 1 => self.is_name = false,
            ',' if self.depth == 1 => self.is_name = true,
            '"' => {
                self.place = match (self.depth, self.is_name) {
                    (1, true) => {
                        self.name.clear();
                        Place::Name
                    }
                    (1, false) if self.name == CODE => Place::Code,
                    _ => Place::Other,
                };
            }
            _ => {}
        }
    }

    fn within(&mut self, c: char, script: &mut String) {
        if self.escape.is_some() {
            return self.escaped(c, script);
        }
        match c {
            '"' => self.place = Place::Outside,
            '\\' => self.escape = Some(String::new()),
            c => self.take(c, script),
        }
    }

    /// The rest of an escape.
    fn escaped(&mut self, c: char, script: &mut String) {
        let Some(mut escape) = self.escape.take() else {
            return;
        };
        escape.push(c);
        if escape.starts_with('u') && escape.chars().count() < 5 {
            self.escape = Some(escape);
            return;
        }
        let c = match c {
            _ if escape.starts_with('u') => {
                let unit = u16::from_str_radix(&escape[1..], 16).unwrap_or(0xfffd);
                return self.unit(unit, script);
            }
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            c => c,
        };
        self.take(c, script);
    }

    /// A unit of UTF-16: a character, or half of one.
    fn unit(&mut self, unit: u16, script: &mut String) {
        let units = match self.high.take() {
            Some(high) => vec![high, unit],
            None if (0xd800..0xdc00).contains(&unit) => {
                self.high = Some(unit);
                return;
            }
            None => vec![unit],
        };
        for c in char::decode_utf16(units) {
            self.take(c.unwrap_or(char::REPLACEMENT_CHARACTER), script);
        }
    }

    fn take(&mut self, c: char, script: &mut String) {
        match self.place {
            Place::Code => script.push(c),
            // Longer names are none that is looked for.
            Place::Name if self.name.len() <= CODE.len() => self.name.push(c),
            _ => {}
        }
    }
}
