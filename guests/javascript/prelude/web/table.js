// console.table: rows and columns in a frame of box-drawing characters.

export default ({ primordials, inspect, kindOf, text }) => {
  const {
    arrayJoin, arrayPush, isArray, mapForEach, mathMax, numberToString, objectHasOwnProperty, objectKeys, setForEach, stringRepeat,
  } = primordials;
  const MAX_ROWS = 1000;

  // Objects with more than a few properties are shown by name.
  const cell = (value) => {
    const isLarge = typeof value === "object" && value !== null && !isArray(value) && objectKeys(value).length > 2;
    return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth: isLarge ? -1 : 0 });
  };

  // Frames the columns, each a list of texts with its heading first.
  const framed = (columns) => {
    const widths = [];
    for (let i = 0; i < columns.length; i++) {
      widths[i] = 0;
      for (let j = 0; j < columns[i].length; j++) widths[i] = mathMax(widths[i], text.width(columns[i][j]) + 2);
    }
    const rule = (left, middle, right) => {
      const parts = [];
      for (let i = 0; i < widths.length; i++) arrayPush(parts, stringRepeat("─", widths[i]));
      return left + arrayJoin(parts, middle) + right;
    };
    const row = (at) => {
      const parts = [];
      for (let i = 0; i < columns.length; i++) {
        const value = columns[i][at];
        arrayPush(parts, ` ${value}${stringRepeat(" ", widths[i] - text.width(value) - 1)}`);
      }
      return `│${arrayJoin(parts, "│")}│`;
    };
    const lines = [rule("┌", "┬", "┐"), row(0), rule("├", "┼", "┤")];
    for (let i = 1; i < columns[0].length; i++) arrayPush(lines, row(i));
    arrayPush(lines, rule("└", "┴", "┘"));
    return arrayJoin(lines, "\n");
  };

  // The rows as pairs of index and value; for maps also the key.
  const rowsOf = (data, kind) => {
    const rows = [];
    const add = (index, value, key) => {
      if (rows.length < MAX_ROWS) arrayPush(rows, { index, value, key });
    };
    let i = 0;
    if (kind === "map") mapForEach(data, (value, key) => add(numberToString(i++), value, cell(key)));
    else if (kind === "set") setForEach(data, (value) => add(numberToString(i++), value));
    else {
      const keys = objectKeys(data);
      for (; i < keys.length; i++) add(keys[i], data[keys[i]]);
    }
    return rows;
  };

  // The table's text, or undefined if the data is no object.
  const tableOf = (data, only) => {
    if (data === null || typeof data !== "object") return undefined;
    const kind = kindOf(data);
    const rows = rowsOf(data, kind);
    const isCollection = kind === "map" || kind === "set";
    const index = [isCollection ? "(iteration index)" : "(index)"];
    const keys = ["Key"];
    const values = ["Values"];
    // An object, so that fields that are indices come first, in their order.
    const fieldSet = { __proto__: null };
    let hasValues = false;
    for (let i = 0; i < rows.length; i++) {
      const { value, key } = rows[i];
      arrayPush(index, rows[i].index);
      arrayPush(keys, key);
      const isPrimitive = value === null || (typeof value !== "object" && typeof value !== "function");
      const isWhole = isPrimitive || isCollection;
      hasValues ||= isWhole;
      arrayPush(values, isWhole ? cell(value) : "");
      if (isWhole) continue;
      const names = isArray(only) ? only : objectKeys(value);
      for (let j = 0; j < names.length; j++) fieldSet[names[j]] = true;
    }
    const fields = isCollection ? [] : objectKeys(fieldSet);
    const columns = [index];
    if (kind === "map") arrayPush(columns, keys);
    for (let j = 0; j < fields.length; j++) {
      const column = [fields[j]];
      for (let i = 0; i < rows.length; i++) {
        const { value } = rows[i];
        const has = value !== null && typeof value === "object" && objectHasOwnProperty(value, fields[j]);
        arrayPush(column, has ? cell(value[fields[j]]) : "");
      }
      arrayPush(columns, column);
    }
    if (hasValues) arrayPush(columns, values);
    return framed(columns);
  };

  return { tableOf };
};
