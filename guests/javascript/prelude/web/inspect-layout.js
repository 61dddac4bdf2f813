// Where the console breaks lines: entries share a line while they fit, and long arrays become columns.

export default ({ primordials, text }) => {
  const { arrayJoin, arrayPush, mathFloor, mathMax, mathMin, mathRound, mathSqrt, stringIncludes, stringPadEnd, stringPadStart, stringRepeat } = primordials;

  // How many of the innermost levels may share a line; also bounds the columns of an array.
  const LEVELS = 3;
  // A line of columns looks best if it is about this many times as wide as the block is high.
  const ASPECT = 2.5;

  // The entries of an array, several a line, each column as wide as its widest entry. `more` says that the last
  // entry is a note and gets a line of its own.
  const inColumns = (entries, { breakLength, indentation, more, isNumeric }) => {
    const count = more ? entries.length - 1 : entries.length;
    const widths = [];
    let total = 0;
    let widest = 0;
    for (let i = 0; i < count; i++) {
      widths[i] = text.width(entries[i]);
      total += widths[i] + 2;
      widest = mathMax(widest, widths[i]);
    }
    const cell = widest + 2;
    if (cell * 3 + indentation >= breakLength || (total / cell <= 5 && widest > 6)) return entries;

    const usual = mathMax(cell - 3 - mathSqrt(cell - total / entries.length), 1);
    const columns = mathMin(
      mathRound(mathSqrt(ASPECT * usual * count) / usual),
      mathFloor((breakLength - indentation) / cell),
      LEVELS * 4,
      15,
    );
    if (columns <= 1) return entries;
    const columnWidths = [];
    for (let column = 0; column < columns; column++) {
      let most = 0;
      for (let i = column; i < count; i += columns) most = mathMax(most, widths[i]);
      columnWidths[column] = most + 2;
    }
    const lines = [];
    for (let start = 0; start < count; start += columns) {
      const end = mathMin(start + columns, count);
      let line = "";
      for (let i = start; i < end; i++) {
        const isLast = i === end - 1;
        const hidden = entries[i].length - widths[i];
        const full = columnWidths[i - start] + hidden;
        if (isNumeric) line += isLast ? stringPadStart(entries[i], full - 2) : stringPadStart(`${entries[i]}, `, full);
        else line += isLast ? entries[i] : stringPadEnd(`${entries[i]}, `, full);
      }
      arrayPush(lines, line);
    }
    if (more) arrayPush(lines, entries[count]);
    return lines;
  };

  const fits = (entries, start, base, breakLength) => {
    let total = entries.length + start;
    if (total + entries.length > breakLength) return false;
    for (let i = 0; i < entries.length; i++) {
      total += entries[i].length;
      if (total > breakLength) return false;
    }
    return base === "" || !stringIncludes(base, "\n");
  };

  // Joins the entries of one value. `inner` is how many levels were shown inside of it.
  const joined = (entries, { base, open, close, isList, inner, breakLength, indentation, more, isNumeric }) => {
    const lead = base === "" ? "" : `${base} `;
    const count = entries.length;
    const lines = isList && count > 6 ? inColumns(entries, { breakLength, indentation, more, isNumeric }) : entries;
    if (inner < LEVELS && lines.length === count) {
      const start = lines.length + indentation + open.length + base.length + 10;
      if (fits(lines, start, base, breakLength)) {
        const line = arrayJoin(lines, ", ");
        if (!stringIncludes(line, "\n")) return `${lead}${open} ${line} ${close}`;
      }
    }
    const margin = `\n${stringRepeat(" ", indentation)}`;
    return `${lead}${open}${margin}  ${arrayJoin(lines, `,${margin}  `)}${margin}${close}`;
  };

  return { layout: { joined } };
};
