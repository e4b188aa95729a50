"""Fleet: many machines that work on one archive. Begin with `worker`, and follow a message into `slices`.

    worker      worker process: takes messages from the queue, and forks one process for each
    slices      one slice of one job: claim it, crawl or poll for a while, give it back
    outcomes    outcome policy: what becomes of a job after its slice (done, again, later, dead)
    job_queue   job queue on Celery and Redis: carries the ids of jobs to workers
    scheduler   scheduler: puts feeds that are due into jobs
    reaper      reaper: queues again what was lost (workers without heartbeat, lost messages, an emptied queue)
    broker      address of the broker: checks, encryption
    processes   child processes, forked from one that is warmed up
    fleet_health   what goes on and what does not, for those who look at it
    metrics, logs   Prometheus metrics; log lines for people or as JSON

The database is the truth about jobs (`everlog.archive.repos.jobs`); the queue can be emptied at any time.
"""
