return 'x' * 10_000
