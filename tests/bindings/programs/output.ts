console.log('one');
console.warn('two');
console.log('drei ✓');
return 3;
