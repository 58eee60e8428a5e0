"""Which system people prefer: win rates of pairs, strengths, places, cycles, and what sides and repeats say of people."""
