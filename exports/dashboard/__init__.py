"""The pages of the live dashboard: what a page is made of, and its HTML, style and script."""
