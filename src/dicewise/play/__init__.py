"""Playing: a game in progress, those who play it, and what can be learned from it; for every game, knowing none."""
