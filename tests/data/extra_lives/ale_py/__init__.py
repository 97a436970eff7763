"""Stands in for ale_py where a test needs a game that ends with more lives than it began with."""
