"""Pages about how an archive comes to be: what is known of each blog to read it, and what was asked of whom.

    rules_page       what was learned about a blog: rules with scores and examples
    requests_page    requests and waits: hosts, runs, answers by day, failures
    fleet_page       workers, queues and stalls of a fleet
"""
