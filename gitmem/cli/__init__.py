"""Words ↔ values: parse, call one service, render."""
