"""JSON Schemas of the records, and checks of foreign values against them."""
