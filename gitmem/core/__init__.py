"""What a memory is, and how two histories become one: values and pure functions."""
