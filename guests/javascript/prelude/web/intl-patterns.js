// Patterns of numbers, as CLDR writes them: #,##0.00 ¤, and what stands around the digits.

export default ({ intl }) => {
  const { remembered } = intl;

  // The tokens before or after the digits: a text, or one of - + % ‰ ¤.
  const tokens = (text) => {
    const found = [];
    const add = (token) => {
      const last = found[found.length - 1];
      if (last?.text !== undefined && token.text !== undefined) last.text += token.text;
      else found.push(token);
    };
    for (let i = 0; i < text.length; i++) {
      if (text[i] === "'") {
        const end = text.indexOf("'", i + 1);
        add({ text: end === i + 1 ? "'" : text.slice(i + 1, end) });
        i = end;
      } else if ("-+%‰".includes(text[i])) add({ sign: text[i] });
      else if (text[i] === "¤") {
        while (text[i + 1] === "¤") i++;
        add({ sign: "¤" });
      } else add({ text: text[i] });
    }
    return found;
  };

  // Where a pattern's first part without quotes ends.
  const halves = (pattern) => {
    let quoted = false;
    for (let i = 0; i < pattern.length; i++) {
      if (pattern[i] === "'") quoted = !quoted;
      else if (pattern[i] === ";" && !quoted) return [pattern.slice(0, i), pattern.slice(i + 1)];
    }
    return [pattern];
  };
  const half = (pattern) => {
    const bare = pattern.replace(/'[^']*'/g, (quoted) => "'".repeat(quoted.length));
    const match = /[#0][#0,.]*(E\+?0+)?/.exec(bare);
    if (match === null) return { prefix: [], suffix: tokens(pattern), digits: "" };
    const end = match.index + match[0].length;
    return { prefix: tokens(pattern.slice(0, match.index)), suffix: tokens(pattern.slice(end)), digits: match[0] };
  };

  const parse = (pattern) => remembered(`pattern ${pattern}`, () => {
    const [positive, negative] = halves(pattern);
    const { prefix, suffix, digits } = half(positive);
    const groups = digits.split(".")[0].split(",");
    const primary = groups.length > 1 ? groups[groups.length - 1].length : 0;
    const below = negative === undefined ? undefined : half(negative);
    return {
      prefix, suffix, zeros: digits.replace(/[^0]/g, "").length,
      negative: below && { prefix: below.prefix, suffix: below.suffix },
      primary, secondary: groups.length > 2 ? groups[groups.length - 2].length : primary,
    };
  });

  // What stands before and after the digits, with the sign: "-", "+", "~", "~-" or none.
  const signed = ({ prefix, suffix, negative }, sign) => {
    const hasMinus = (list) => list.some((token) => token.sign === "-");
    const usesNegative = negative !== undefined && (sign.endsWith("-") || (sign !== "" && (hasMinus(negative.prefix) || hasMinus(negative.suffix))));
    if (usesNegative) {
      const replaced = (list) => list.map((token) => (token.sign === "-" ? { sign } : token));
      return { prefix: replaced(negative.prefix), suffix: replaced(negative.suffix) };
    }
    return sign === "" ? { prefix, suffix } : { prefix: [{ sign }, ...prefix], suffix };
  };

  return { numberPatterns: { parse, signed } };
};
