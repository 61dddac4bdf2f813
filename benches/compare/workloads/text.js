const { text } = await host.text({})
const counts = new Map()
const words = text.split(/\s+/)
for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
const common = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 5)
const orders = text.match(/order-\d+/g).length
return { words: words.length, orders, common: common.map(([word, count]) => `${word}: ${count}`).join('\n') }
