"""Free texts and corrected texts: `consensus`, `agreement` and `scores`; texts are compared after a normalisation."""
