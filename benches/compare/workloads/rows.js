const { rows } = await host.rows({ count: COUNT })
const regions = new Map()
for (const row of rows) {
  if (row.status === 'cancelled') continue
  const amounts = regions.get(row.region) ?? []
  amounts.push(row.amount)
  regions.set(row.region, amounts)
}
const report = [...regions].map(([region, amounts]) => {
  amounts.sort((a, b) => a - b)
  const sum = amounts.reduce((sum, amount) => sum + amount, 0)
  const median = amounts[Math.floor(amounts.length / 2)]
  return { region, count: amounts.length, mean: Math.floor(sum / amounts.length), median }
})
report.sort((a, b) => (a.region < b.region ? -1 : 1))
const paid = rows.filter((row) => row.status === 'paid')
paid.sort((a, b) => b.amount - a.amount || a.id - b.id)
return { report, largest: paid.slice(0, 5).map((row) => row.id) }
