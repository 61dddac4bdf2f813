await fetch('https://example.com');
