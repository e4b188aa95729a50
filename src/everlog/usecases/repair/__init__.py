"""Repair of an archive: what the completeness verdict calls missing is gone after.

    repair_blog    other addresses, patience, the browser, then web archives; and what was won by each
"""
