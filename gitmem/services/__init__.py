"""One use case a file: each takes ports and values, returns a result value, prints nothing."""
