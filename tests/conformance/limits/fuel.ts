console.log('before');
for (;;);
