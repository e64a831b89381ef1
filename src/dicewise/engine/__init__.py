"""The engine: explore, solve, certify, check. It knows no game."""
