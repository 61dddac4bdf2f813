// How the console writes strings, keys and numbers inside of other values, and how wide a text is in columns.

export default ({ primordials }) => {
  const {
    arrayJoin, arrayPush, bigIntToString, fromCharCode, numberToString, objectIs, regExpExec, stringCharCodeAt, stringCodePointAt,
    stringIncludes, stringPadStart, stringSlice, stringToUpperCase, symbolToString,
  } = primordials;

  const SHORT = { __proto__: null, 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 92: "\\\\" };
  const plain = /^[ -&(-[\]-~]*$/;
  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

  const hex = (code, digits) => stringPadStart(numberToString(code, 16), digits, "0");

  // The text with what can't be seen, and the quote itself, written as escapes.
  const escaped = (text, quote) => {
    if (regExpExec(plain, text) !== null) return text;
    const parts = [];
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCharCodeAt(text, i);
      let escape = SHORT[code];
      if (escape === undefined) {
        if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) escape = `\\x${stringToUpperCase(hex(code, 2))}`;
        else if (code === quote) escape = `\\${fromCharCode(code)}`;
        else if (code >= 0xd800 && code <= 0xdfff) {
          const next = code < 0xdc00 && i + 1 < text.length ? stringCharCodeAt(text, i + 1) : 0;
          if (next >= 0xdc00 && next <= 0xdfff) i++;
          else escape = `\\u${hex(code, 4)}`;
        }
      }
      if (escape !== undefined) {
        arrayPush(parts, stringSlice(text, from, i), escape);
        from = i + 1;
      }
    }
    arrayPush(parts, stringSlice(text, from));
    return arrayJoin(parts, "");
  };

  // The text in the quotes that need the fewest escapes: single ones if possible.
  const quoted = (text) => {
    let quote = "'";
    if (stringIncludes(text, "'")) {
      if (!stringIncludes(text, '"')) quote = '"';
      else if (!stringIncludes(text, "`") && !stringIncludes(text, "${")) quote = "`";
    }
    return quote + escaped(text, quote === "'" ? 39 : -1) + quote;
  };

  const number = (value) => (objectIs(value, -0) ? "-0" : numberToString(value));

  // A value that is neither an object nor a function nor a string.
  const primitive = (value) => {
    switch (typeof value) {
      case "number": return number(value);
      case "bigint": return `${bigIntToString(value)}n`;
      case "symbol": return symbolToString(value);
      default: return `${value}`;
    }
  };

  // A property's name; those that are not enumerable stand in brackets.
  const key = (name, isEnumerable) => {
    if (typeof name === "symbol") return `[${escaped(symbolToString(name), -1)}]`;
    if (name === "__proto__") return "['__proto__']";
    if (!isEnumerable) return `[${escaped(name, -1)}]`;
    return regExpExec(identifier, name) !== null ? name : quoted(name);
  };

  const isWide = (code) => code >= 0x1100 && (code <= 0x115f || code === 0x2329 || code === 0x232a ||
    (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) || (code >= 0x3250 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0xa4c6) ||
    (code >= 0xa960 && code <= 0xa97c) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe10 && code <= 0xfe19) || (code >= 0xfe30 && code <= 0xfe6b) || (code >= 0xff01 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1b000 && code <= 0x1b001) || (code >= 0x1f200 && code <= 0x1f251) ||
    (code >= 0x1f300 && code <= 0x1f64f) || (code >= 0x1f680 && code <= 0x1f6ff) || (code >= 0x1f900 && code <= 0x1f9ff) ||
    (code >= 0x20000 && code <= 0x3fffd));
  const isZeroWidth = (code) => code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0xfe20 && code <= 0xfe2f) || (code >= 0xe0100 && code <= 0xe01ef);

  // How many columns of a terminal the text takes.
  const width = (text) => {
    if (regExpExec(/^[ -~]*$/, text) !== null) return text.length;
    let columns = 0;
    for (let i = 0; i < text.length; i++) {
      const code = stringCodePointAt(text, i);
      if (code > 0xffff) i++;
      if (isWide(code)) columns += 2;
      else if (!isZeroWidth(code)) columns++;
    }
    return columns;
  };

  return { text: { escaped, quoted, number, primitive, key, width } };
};
