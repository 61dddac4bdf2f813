await tools.odd['get-item']();
