//! Groups of digits, and what several of them in a row are.

use super::Scan;
use crate::fields::Field;
use crate::kind::Kind;

/// How many groups are looked at together.
const MOST_GROUPS: usize = 8;
/// How many digits they have at most.
const MOST_DIGITS: usize = 24;
/// How long one group may be.
const LONGEST_GROUP: usize = 19;

/// What is between two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    Space,
    Dash,
    Dot,
    Slash,
    Plus,
    /// A bracket, maybe with a space or a dash.
    Bracket,
}

/// Groups of digits in a row, as many as can belong together.
#[derive(Debug)]
pub(super) struct Groups {
    /// Where each begins and ends.
    at: [(usize, usize); MOST_GROUPS],
    gaps: [Gap; MOST_GROUPS],
    pub(super) count: usize,
    digits: [u8; MOST_DIGITS],
    /// How many digits there are up to the end of each.
    totals: [usize; MOST_GROUPS],
}

impl Groups {
    fn of(bytes: &[u8], start: usize, end: usize) -> Self {
        let mut groups = Self {
            at: [(0, 0); MOST_GROUPS],
            gaps: [Gap::Space; MOST_GROUPS],
            count: 0,
            digits: [0; MOST_DIGITS],
            totals: [0; MOST_GROUPS],
        };
        let (mut start, mut end) = (start, end);
        while groups.add(bytes, start, end) {
            let Some((gap, length)) = gap(&bytes[end..]) else {
                break;
            };
            groups.gaps[groups.count - 1] = gap;
            start = end + length;
            let digits = bytes[start..].iter().take(LONGEST_GROUP + 1);
            end = start + digits.take_while(|byte| byte.is_ascii_digit()).count();
            // Letters in it make it something else.
            let letter = bytes
                .get(end)
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
            if end == start || letter {
                break;
            }
        }
        groups
    }

    fn add(&mut self, bytes: &[u8], start: usize, end: usize) -> bool {
        let before = self.total(self.count);
        let total = before + (end - start);
        if self.count == MOST_GROUPS || total > MOST_DIGITS {
            return false;
        }
        self.digits[before..total].copy_from_slice(&bytes[start..end]);
        self.at[self.count] = (start, end);
        self.totals[self.count] = total;
        self.count += 1;
        true
    }

    /// How many digits the first so many groups have.
    pub(super) fn total(&self, count: usize) -> usize {
        count.checked_sub(1).map_or(0, |last| self.totals[last])
    }

    /// The digits of the first so many groups, as ASCII.
    pub(super) fn digits(&self, count: usize) -> &[u8] {
        &self.digits[..self.total(count)]
    }

    /// How many digits a group has.
    pub(super) fn length(&self, index: usize) -> usize {
        if index >= self.count {
            return 0;
        }
        self.at[index].1 - self.at[index].0
    }

    /// Where the first so many groups end.
    pub(super) fn end(&self, count: usize) -> usize {
        self.at[count - 1].1
    }

    /// Where the first one begins.
    pub(super) fn start(&self) -> usize {
        self.at[0].0
    }

    /// What is between a group and the next.
    pub(super) fn gap(&self, index: usize) -> Option<Gap> {
        (index + 1 < self.count).then(|| self.gaps[index])
    }

    /// Whether the first groups have these lengths, with that between them, and end there.
    pub(super) fn are(&self, lengths: &[usize], gap: Gap) -> bool {
        self.have(lengths) && (0..lengths.len() - 1).all(|index| self.gaps[index] == gap)
    }

    /// Whether the first groups have these lengths, whatever is between them.
    pub(super) fn have(&self, lengths: &[usize]) -> bool {
        lengths.len() <= self.count
            && lengths
                .iter()
                .enumerate()
                .all(|(index, &length)| self.length(index) == length)
            && self.ends(lengths.len())
    }

    /// Whether what follows so many groups is not joined to them.
    pub(super) fn ends(&self, count: usize) -> bool {
        matches!(self.gap(count - 1), None | Some(Gap::Space | Gap::Bracket))
    }
}

/// What is between two groups, and its length; none where the second is not of the same number.
fn gap(bytes: &[u8]) -> Option<(Gap, usize)> {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let one = match bytes.first()? {
        b' ' => Gap::Space,
        b'-' => Gap::Dash,
        b'.' => Gap::Dot,
        b'/' => Gap::Slash,
        b'+' => Gap::Plus,
        b'(' | b')' => Gap::Bracket,
        // Spaces that do not break.
        0xc2 if bytes.get(1) == Some(&0xa0) && digit(2) => return Some((Gap::Space, 2)),
        0xe2 if bytes.starts_with(b"\xe2\x80\xaf") && digit(3) => return Some((Gap::Space, 3)),
        _ => return None,
    };
    if digit(1) {
        return Some((one, 1));
    }
    let two = bytes.get(..2)?;
    match two {
        b" (" | b") " | b")-" | b")/" | b"-(" | b")(" if digit(2) => Some((Gap::Bracket, 2)),
        b" /" | b" -" if bytes.get(2) == Some(&b' ') && digit(3) => {
            let gap = if two == b" /" { Gap::Slash } else { Gap::Dash };
            Some((gap, 3))
        }
        b") " if bytes.get(2) == Some(&b'-') => None,
        _ => None,
    }
}

impl Scan<'_> {
    /// Looks at a word of digits, and says where to go on.
    pub(super) fn number(&mut self, start: usize, end: usize) -> usize {
        let next = self.byte(end);
        if next == b':'
            && let Some(end) = self.ipv6(start, end)
        {
            return self.keep(Kind::Ip, start, end);
        }
        if end - start > LONGEST_GROUP {
            return end;
        }
        if self.ended_by_letter(start, end) {
            let found = self.dni_with_dash(start, end);
            return found.map_or(end, |(kind, end)| self.keep(kind, start, end));
        }
        // Short, and by itself.
        if end - start < 6 && gap(&self.bytes()[end..]).is_none() {
            return end;
        }
        // Of two single digits in a row, the first begins nothing.
        if end - start == 1
            && self.byte(start + 2).is_ascii_digit()
            && !self.byte(start + 3).is_ascii_digit()
        {
            return end;
        }
        self.cues.go_to(start);
        if self.begins_nothing(start, end) {
            return end;
        }
        let groups = Groups::of(self.bytes(), start, end);
        // `01.42.34.56.78` is a French telephone number.
        if self.is_ipv4(&groups) && !groups.are(&[2, 2, 2, 2, 2], Gap::Dot) {
            return match self.is_address(&groups) {
                true => self.keep(Kind::Ip, start, groups.end(4)),
                false => groups.end(4),
            };
        }
        let Some((kind, from, end)) = self.classify(&groups) else {
            return end;
        };
        self.keep(kind, from, end)
    }

    /// Whether no number can begin with a group of two or five digits that a space follows, as
    /// nothing says that it is one: what tables of numbers are full of.
    fn begins_nothing(&self, start: usize, end: usize) -> bool {
        matches!(end - start, 2 | 5)
            && self.byte(end) == b' '
            && self.field.is_none()
            && self.byte(start) != b'0'
            && !matches!(self.before(start), b'+' | b'(')
            && !self.cues.phone(self.text, start)
            && self.cues.id(self.text, start).is_none()
    }

    /// What groups are, and from where to where.
    fn classify(&self, groups: &Groups) -> Option<(Kind, usize, usize)> {
        let start = groups.start();
        let before = self.before(start);
        if before == b'+' && !self.word_before(start - 1) {
            let count = self.international(groups, 0)?;
            return Some((Kind::Phone, start - 1, groups.end(count)));
        }
        if !self.begins(start) || self.is_code(start) {
            return None;
        }
        if let Some((kind, count)) = self.card(groups).or_else(|| self.id(groups)) {
            return Some((kind, start, groups.end(count)));
        }
        let count = self.phone(groups)?;
        let bracket = before == b'(' && matches!(groups.gap(0), Some(Gap::Bracket));
        let from = if bracket { start - 1 } else { start };
        Some((Kind::Phone, from, groups.end(count)))
    }

    /// Whether it is a number that is not anyone's.
    fn is_code(&self, start: usize) -> bool {
        match self.field {
            Some(Field::Code) => true,
            Some(Field::Phone | Field::Card | Field::Id(_)) => false,
            _ => self.cues.code(self.text, start),
        }
    }

    /// Whether a number can begin there, and is not what follows a point or a sign of a currency.
    fn begins(&self, start: usize) -> bool {
        let word_before = matches!(self.before(start), b'-' | b'+') && self.word_before(start - 1);
        let digit_before = start >= 2 && self.byte(start - 2).is_ascii_digit();
        match self.before(start) {
            b'.' => !digit_before,
            b',' => !digit_before,
            b'-' | b'+' => !word_before,
            b':' => !digit_before,
            b'/' => !digit_before,
            b'$' | b'#' | b'*' | b'%' | b'@' | b'\\' => false,
            // The last bytes of `£` and `€`.
            0xa3 | 0xac => false,
            _ => true,
        }
    }

    /// Whether a letter follows a dash.
    fn ended_by_letter(&self, start: usize, end: usize) -> bool {
        end - start == 8 && self.byte(end) == b'-' && self.byte(end + 1).is_ascii_uppercase()
    }
}
