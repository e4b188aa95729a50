"""Reading a page with what was learned."""
