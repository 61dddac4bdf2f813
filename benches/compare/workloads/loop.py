result = 0
for n in range(1_000_000):
    result += n % 7
result
