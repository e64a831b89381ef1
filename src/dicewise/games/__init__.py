"""The games of the house."""
