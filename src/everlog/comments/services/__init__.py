"""The comment services that everlog knows. A new one is one module, one line here and one fixture."""

from __future__ import annotations

from everlog.comments.services import (
    blogger,
    commento,
    cusdis,
    disqus,
    facebook,
    giscus,
    gitalk,
    hyvor,
    isso,
    livefyre,
    livere,
    remark42,
    twikoo,
    utterances,
    valine,
    waline,
    youyan,
)
from everlog.comments.services.service import Service, embedded, read_service

SERVICES: tuple[Service, ...] = (
    blogger.SERVICE,
    commento.SERVICE,
    cusdis.SERVICE,
    disqus.SERVICE,
    facebook.SERVICE,
    giscus.SERVICE,
    gitalk.SERVICE,
    hyvor.SERVICE,
    isso.SERVICE,
    livefyre.SERVICE,
    livere.SERVICE,
    remark42.SERVICE,
    twikoo.SERVICE,
    utterances.SERVICE,
    valine.SERVICE,
    waline.SERVICE,
    youyan.SERVICE,
)

__all__ = ["SERVICES", "Service", "embedded", "read_service"]
