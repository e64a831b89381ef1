"""The engine: explore, solve, certify, check, evaluate, simulate. It knows no game."""
