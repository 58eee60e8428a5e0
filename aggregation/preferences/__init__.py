"""Which system people prefer: win rates of pairs, strengths, places, cycles, sides of the screen, and consistency."""
