"""One answer per item from several: the methods behind one function, and the rules that settle ties."""
