const numbers = Array.from({ length: 1000 }, (_, n) => n)
const answers = await Promise.all(numbers.map((n) => host.echo({ n })))
return answers.reduce((sum, answer) => sum + answer.n, 0)
