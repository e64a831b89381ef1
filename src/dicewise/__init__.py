"""dicewise: the best move in games of chance, and the proof of it."""
