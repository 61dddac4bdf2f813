let it = await tools.exports.startExport({ table: "invoices" });
while (it.state === "running") {
  await new Promise((done) => setTimeout(done, 100));
  it = await tools.exports.getExport({ id: it.id });
}
return { rows: it.rows_done, checksum: it.checksum };
