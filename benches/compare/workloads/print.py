for n in range(100):
    print(f"line {n} of a hundred")
result = 100
result
