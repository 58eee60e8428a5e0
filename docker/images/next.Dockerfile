# A later release of hromada, whose schema has one revision more: what benchmarks/shared/_later_release.py makes of this one.
FROM localhost/hromada:latest
USER 0
COPY _later_release.py /next/_later_release.py
RUN PYTHONPATH=/next python -c "import _later_release as l, pathlib; l.write_migrations(pathlib.Path('/next/migrations'))" \
    && printf '#!/bin/sh\nexec python /next/_later_release.py /next/migrations "$@"\n' >/venv/bin/hromada
USER 10001
