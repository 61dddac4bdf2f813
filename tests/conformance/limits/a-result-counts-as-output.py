return 'x' * 2_000_000
