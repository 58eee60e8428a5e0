# Stand-ins for the images that docker/compose*.yaml name, from Debian's packages; build.sh builds each stage. They are as
# much like the real ones as those files need.
FROM localhost/stand-in-debian:trixie AS python
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt

FROM python AS postgres
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-17 && rm -rf /var/lib/apt/lists/*
COPY postgres.sh /usr/local/bin/postgres.sh
ENV PATH=/usr/lib/postgresql/17/bin:$PATH
RUN install -d -o postgres -m 700 /var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
CMD ["postgres.sh"]

FROM python AS caddy
RUN apt-get update && apt-get install -y --no-install-recommends caddy && rm -rf /var/lib/apt/lists/*
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
VOLUME ["/config", "/data"]
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]

FROM python AS label-studio
COPY label-studio.lock /tmp/label-studio.lock
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r /tmp/label-studio.lock
RUN useradd --no-create-home --home-dir /label-studio/data --uid 1001 label-studio \
    && install -d -o label-studio /label-studio /label-studio/data
ENV PATH=/venv/bin:$PATH LABEL_STUDIO_BASE_DATA_DIR=/label-studio/data HOME=/label-studio/data
USER 1001
VOLUME /label-studio/data

# A machine with Debian 12, for the units of systemd
FROM localhost/stand-in-debian:bookworm AS systemd
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
CMD ["/lib/systemd/systemd"]
