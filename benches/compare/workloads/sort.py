number = 1
numbers = []
for _ in range(100_000):
    number = (number * 16807) % 2147483647
    numbers.append(number)
numbers.sort()
result = [numbers[0], numbers[50_000], numbers[99_999]]
result
