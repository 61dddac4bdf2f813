sum = 0
for n in range(5):
    sum = (await tools.test_tools.add(a=sum, b=1)).sum
return sum
