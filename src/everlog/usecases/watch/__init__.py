"""Watching: feeds polled as they fall due. Begin with `watch_loop`; `poll` is one poll of one feed."""
