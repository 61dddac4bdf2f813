let sum = 0
for (let n = 0; n < 1_000_000; n++) sum += n % 7
return sum
