"""Many machines on one archive: workers, the queue between them, and who looks after it.

    engine      Celery with Redis as its broker: carries hints of jobs to workers
    slices      one turn at one job: what a worker does with a hint
    worker      the process that takes hints, and forks one process for each
    keeper      brings back what was lost: silent workers, an emptied queue, hints that nobody heard
    scheduler   hands feeds to the workers as they fall due
    readers, asking, sheets   for one huge blog, some read the pages that another fetches
    figures, logs   what people and their programs look at

The database is the truth about jobs (`everlog.archive.repos.fleet_store`); the queue can be emptied at any time.
"""
