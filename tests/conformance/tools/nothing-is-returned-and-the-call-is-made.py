for b in [2]:
    tools.test_tools.add(a=1, b=b)
