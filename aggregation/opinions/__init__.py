"""Opinions: what people's points on a scale say of texts, of the systems that wrote them, and of the people."""
