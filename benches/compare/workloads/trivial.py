result = 1 + 1
result
