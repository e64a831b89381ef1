"""Questions asked of many solutions: what happens to an answer when the way to it, or the rules, change."""
