"""What every page is made of: templates and words in two languages, forms, assets, and refusals as pages."""
