//! Durations, sizes and counts, as people write them in a configuration file or behind a flag.

use std::time::Duration;

use bytesize::ByteSize;

/// The longest duration that is read. Much longer ones can't be added to a clock's time.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// Reads a duration of at most a year: `30s`, `500ms`, `2m`, `1h 30m`; or whole seconds, `30`.
///
/// # Errors
///
/// A sentence that says how durations are written.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let duration = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| "this is not a duration; write it like `30s`, `500ms` or `2m`")?,
    };
    if duration > LONGEST {
        return Err("this is longer than a year".to_owned());
    }
    Ok(duration)
}

/// Reads a size in bytes: `64 MiB`, `1.5 GB`, `100k`; or a plain number, `65536`.
///
/// # Errors
///
/// A sentence that says how sizes are written.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    match text.replace('_', "").parse::<ByteSize>() {
        Ok(size) => Ok(size.as_u64()),
        Err(_) => Err("this is not a size; write it like `64 MiB`, `1.5 GB` or `65536`".to_owned()),
    }
}

/// Reads a number: `10000` or `10_000`.
///
/// # Errors
///
/// A sentence that says how numbers are written.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let text = text.trim();
    text.replace('_', "")
        .parse()
        .map_err(|_| "this is not a whole number; write it like `10000` or `10_000`".to_owned())
}

/// A size in the largest unit that divides it: `64 MiB`, `1000 bytes`.
pub(crate) fn show_bytes(bytes: u64) -> String {
    match bytes {
        0 => "0 bytes".to_owned(),
        _ if bytes.trailing_zeros() >= 30 => format!("{} GiB", bytes >> 30),
        _ if bytes.trailing_zeros() >= 20 => format!("{} MiB", bytes >> 20),
        _ if bytes.trailing_zeros() >= 10 => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

/// A time in minutes from two of them on, else in seconds where it is some: `10 min`, `60 s`.
pub(crate) fn show_milliseconds(milliseconds: u64) -> String {
    match milliseconds {
        120_000.. if milliseconds.is_multiple_of(60_000) => {
            format!("{} min", milliseconds / 60_000)
        }
        1.. if milliseconds.is_multiple_of(1000) => format!("{} s", milliseconds / 1000),
        _ => format!("{milliseconds} ms"),
    }
}

/// A number with commas, or in words from a million on where it is a round one.
pub(crate) fn show_count(count: u64) -> String {
    for (unit, word) in [
        (1_000_000_000_000, "trillion"),
        (1_000_000_000, "billion"),
        (1_000_000, "million"),
    ] {
        if count > 0 && count.is_multiple_of(unit) {
            return format!("{} {word}", count / unit);
        }
    }
    let digits = count.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    groups
        .join(&b',')
        .iter()
        .map(|&byte| char::from(byte))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases = [
            ("30", 30_000),
            ("30s", 30_000),
            ("500ms", 500),
            (" 2m ", 120_000),
            ("1h 30m", 5_400_000),
            ("0", 0),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in ["", "s", "-1", "-1s", "30 parsecs", "99999999999999999999s"] {
            let expected = "this is not a duration; write it like `30s`, `500ms` or `2m`";
            assert_eq!(parse_duration(text), Err(expected.to_owned()), "{text}");
        }
        assert_eq!(parse_duration("365d"), Ok(LONGEST));
        for text in ["366d", "18446744073709551615"] {
            let expected = "this is longer than a year";
            assert_eq!(parse_duration(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn sizes() {
        let cases = [
            ("65536", 65536),
            ("64 MiB", 64 << 20),
            ("64MiB", 64 << 20),
            ("1.5 GB", 1_500_000_000),
            ("100k", 100_000),
            ("1_000", 1000),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "-1", "-1 MiB", "64 apples", "NaN"] {
            let expected = "this is not a size; write it like `64 MiB`, `1.5 GB` or `65536`";
            assert_eq!(parse_bytes(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn amounts_are_shown_in_units() {
        let sizes = [0, 1000, 1 << 10, 1536, 64 << 20, 3 << 30].map(show_bytes);
        let shown = [
            "0 bytes",
            "1000 bytes",
            "1 KiB",
            "1536 bytes",
            "64 MiB",
            "3 GiB",
        ];
        assert_eq!(sizes, shown);
        let times = [0, 1500, 60_000, 90_000, 600_000].map(show_milliseconds);
        assert_eq!(times, ["0 ms", "1500 ms", "60 s", "90 s", "10 min"]);
        let counts = [0, 32, 10_000, 1_234_567, 2_000_000, 20_000_000_000].map(show_count);
        let shown = ["0", "32", "10,000", "1,234,567", "2 million", "20 billion"];
        assert_eq!(counts, shown);
    }

    #[test]
    fn counts() {
        assert_eq!(parse_count("20_000_000_000"), Ok(20_000_000_000));
        for text in ["", "-1", "1.5", "many", "99999999999999999999"] {
            let expected = "this is not a whole number; write it like `10000` or `10_000`";
            assert_eq!(parse_count(text), Err(expected.to_owned()), "{text}");
        }
    }
}
