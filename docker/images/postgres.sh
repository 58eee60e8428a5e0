#!/bin/sh
# What the image of postgres does at its start, as far as compose.yaml needs it: a database for POSTGRES_USER, whose password
# is in the file POSTGRES_PASSWORD_FILE, made once.
set -eu
data=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
  chown postgres "$data"
  POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
  export POSTGRES_PASSWORD
  exec setpriv --reuid postgres --regid postgres --init-groups -- "$0"
fi
if [ ! -s "$data/PG_VERSION" ]; then
  umask 077
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --pgdata "$data" --username "$POSTGRES_USER" --pwfile /tmp/password --auth-local trust \
    --auth-host scram-sha-256 --encoding UTF8 --locale C.UTF-8
  rm /tmp/password
  echo "CREATE DATABASE \"$POSTGRES_DB\"" | postgres --single -D "$data" postgres
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp
