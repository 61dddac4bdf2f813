await new Promise((done) => setTimeout(done, 1e6));
