# Two images: `everlog`, and `everlog-browser` with a Chromium for pages that scripts fill. See docs/fleet.md.
#
#   docker build --target everlog -t everlog .
#   docker build --target everlog-browser -t everlog-browser .
#
# The Debian and the Python that the tests run on: what was tried is what is shipped.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
WORKDIR /src
RUN python -m venv /opt/everlog
# What everlog needs changes more rarely than everlog: with no more than its list of needs and an empty package, this
# step is taken from the cache until the list changes.
COPY pyproject.toml README.md LICENSE ./
RUN mkdir -p src/everlog \
    && touch src/everlog/__init__.py \
    && /opt/everlog/bin/pip install --no-cache-dir ".[fleet,serve]"
COPY src src
RUN /opt/everlog/bin/pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && /opt/everlog/bin/pip install --no-cache-dir --no-deps --force-reinstall /wheels/everlog-*.whl

FROM build AS build-browser
RUN /opt/everlog/bin/pip install --no-cache-dir "$(echo /wheels/everlog-*.whl)[fleet,render,serve]"

FROM python:${PYTHON} AS base
LABEL org.opencontainers.image.title="everlog" \
      org.opencontainers.image.description="Learns a blog from its feed and archives the whole of it" \
      org.opencontainers.image.licenses="MIT"
# tini hands signals on and buries the processes that Chromium leaves behind; as process 1, Python would do neither.
# Debian keeps one version of a package for a release and mends it in place: a pinned one is soon not to be had.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/*
# A number that no user of the machine has: a volume's files belong to nobody else outside. /files and /spool are made
# here because a new named volume takes its owner from the folder it is laid over.
RUN groupadd --gid 10001 everlog \
    && useradd --uid 10001 --gid 10001 --create-home --shell /usr/sbin/nologin everlog \
    && install --directory --owner=10001 --group=10001 /files /spool
COPY packaging/healthy.py /usr/local/lib/everlog/healthy.py
# In /spool WARC files grow until they are uploaded to an object store: what a killed worker leaves there is uploaded by
# the next one with this volume.
ENV PATH=/opt/everlog/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    EVERLOG_SPOOL=/spool
WORKDIR /home/everlog
VOLUME ["/spool"]
EXPOSE 9464
# By number, so that Kubernetes can tell that it is not root.
USER 10001:10001
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s --retries=3 \
    CMD ["python", "/usr/local/lib/everlog/healthy.py"]
# Not `tini -g`: the processes of a worker are ended by the worker, which lets them store what they have.
ENTRYPOINT ["tini", "--", "everlog"]
CMD ["worker", "--metrics-port", "9464"]

FROM base AS everlog-browser
# hadolint ignore=DL3002
USER 0:0
# The headless shell has no windows, and so none of their libraries. With these three fonts (18 MB) pictures of pages
# have letters instead of boxes in Latin, Greek, Cyrillic, Chinese, Japanese and Korean text, and emoji.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        chromium-headless-shell fonts-liberation fonts-noto-color-emoji fonts-wqy-microhei \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build-browser /opt/everlog /opt/everlog
USER 10001:10001

# The last one is what `docker build .` makes.
FROM base AS everlog
COPY --from=build /opt/everlog /opt/everlog
