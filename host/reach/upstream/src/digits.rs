//! Messages as JSON in which every integer is written with its digits: servers that take integers
//! seldom take `1e21`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// A message in one line.
pub(super) fn line(message: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = Vec::with_capacity(128);
    message.serialize(&mut Serializer::with_formatter(&mut line, Digits))?;
    Ok(line)
}

/// As compact as JSON is.
struct Digits;

impl Formatter for Digits {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value.fract() == 0.0 {
            // Zero has no sign.
            write!(writer, "{:.0}", value + 0.0)
        } else {
            CompactFormatter.write_f64(writer, value)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn integers_have_digits_and_the_rest_is_as_ever() {
        let written = |value: &Value| String::from_utf8(line(value).unwrap()).unwrap();
        let message = json!({ "a": [1e21, -1e22, -0.0, 5.0, 0.5, 1e-7, 7, u64::MAX], "b": "1e21", "c": null });
        assert_eq!(
            written(&message),
            r#"{"a":[1000000000000000000000,-10000000000000000000000,0,5,0.5,1e-7,7,18446744073709551615],"b":"1e21","c":null}"#
        );
        let large = written(&json!(1e300));
        assert_eq!(large.len(), 301);
        assert_eq!(large.parse::<f64>().unwrap(), 1e300);
    }
}
