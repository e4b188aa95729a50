"""Commands of a fleet, one module each: `worker`, `enqueue`, and `fleet status`, `rebuild` and `drain`."""
