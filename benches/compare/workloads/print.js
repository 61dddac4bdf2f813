for (let n = 0; n < 100; n++) console.log(`line ${n} of a hundred`)
return 100
