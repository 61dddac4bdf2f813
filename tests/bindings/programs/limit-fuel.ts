console.log('before');
for (;;) {}
