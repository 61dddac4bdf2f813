return 'x'.repeat(10_000);
