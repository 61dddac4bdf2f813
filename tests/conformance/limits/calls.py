for n in range(100):
    await tools.test_tools.add(a=n, b=1)
