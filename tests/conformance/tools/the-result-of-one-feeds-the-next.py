sum = 0
for n in range(1, 11):
    sum = (await tools.test_tools.add(a=sum, b=n)).sum
return sum
