return (await test_tools.add(a=1, b=2)).sum
