"""The few verbs the rest needs from the outside world, as Protocols of ten methods at most."""
