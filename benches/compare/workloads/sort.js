let number = 1
const numbers = Array.from({ length: 100_000 }, () => (number = (number * 16807) % 2147483647))
numbers.sort((a, b) => a - b)
return [numbers[0], numbers[50_000], numbers[99_999]]
