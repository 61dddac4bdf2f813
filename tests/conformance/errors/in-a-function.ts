function total(rows) {
  return rows.length + missing.length;
}
return total([]);
