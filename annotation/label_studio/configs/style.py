"""How the interfaces look: two columns where a text is corrected, one under the other on a narrow screen."""

STYLE = """
.hr-page { font-size: 16px; line-height: 1.6; }
.hr-columns { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; align-items: start; }
@media (max-width: 900px) { .hr-columns { grid-template-columns: 1fr; } }
"""
