"""The live dashboard: what it reads, how that becomes pages, and the server that keeps them up to date in browsers."""
