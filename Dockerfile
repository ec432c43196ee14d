# The site as a container image, and the same with PostgreSQL's programs for backups (docs/operate.md):
#
#   docker build --tag ownwords .
#   docker build --tag ownwords-backup --target backup .
#
# `npm run soak -- image` builds it and tries what it promises. .dockerignore names what is copied.

# Everything, to build with. What installs comes first, so that it runs again only when the lockfile changes.
FROM node:26-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY sandbox/package.json sandbox/
# Not `npm ci`, which refuses a lockfile without another platform's binaries (decision 0002).
RUN npm install --no-save --include=dev --loglevel=error
COPY . .
# Both are drawn into the pictures of shared pages; every other setting is read when the site starts.
ARG PRODUCT_NAME
ARG HEADLINE
RUN PRODUCT_NAME="$PRODUCT_NAME" HEADLINE="$HEADLINE" NODE_ENV=production npm run --silent build
# The bundle contains the server, the pages and, apart, the sandboxes. What stays is run by Node from its sources: the commands.
RUN find app -name '*.tsx' -delete && find app -type d -empty -delete && rm build/server/sandbox-*.js \
  && rm -r bin/pictures bin/pictures.ts bin/compress.ts

# Only what the site runs on. What is optional are the embedded PostgreSQL, for which a container is no place to keep data,
# types, and sharp's binaries, which come from the stage before.
FROM node:26-trixie-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --omit=dev --omit=optional --workspaces=false --loglevel=error

# What is the same in both images.
FROM scratch AS site
COPY --from=dependencies /build/node_modules /srv/ownwords/node_modules
COPY --from=build /build/node_modules/@img /srv/ownwords/node_modules/@img
COPY --from=build /build/package.json /build/LICENSE /build/server.ts /srv/ownwords/
COPY --from=build /build/bin /srv/ownwords/bin
COPY --from=build /build/app /srv/ownwords/app
COPY --from=build /build/build /srv/ownwords/build

# For `node bin/backup.ts` and `node bin/restore.ts`, which need pg_dump. Not started by itself.
FROM postgres:18-trixie AS backup
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /usr/lib/*-linux-gnu/libatomic.so.1 /usr/local/lib/
RUN ldconfig && install -d -o 1000 -g 1000 /var/backups/ownwords
COPY --from=site / /
ENV NODE_ENV=production BACKUP_DIR=/var/backups/ownwords
WORKDIR /srv/ownwords
USER 1000:1000
ENTRYPOINT ["node"]
CMD ["bin/backup.ts"]

# The site. No file of the image can be changed by the user it runs as, and it writes none: run it read-only.
FROM node:26-trixie-slim
LABEL org.opencontainers.image.title="Ownwords" org.opencontainers.image.licenses="MIT"
COPY --from=site / /
# docker build --build-arg COMMIT=$(git rev-parse HEAD): there is no git folder that would tell.
ARG COMMIT
ENV NODE_ENV=production COMMIT=$COMMIT
WORKDIR /srv/ownwords
USER 1000:1000
EXPOSE 3000
# Alive, not ready: a site whose database is away recovers by itself. A proxy asks /readyz.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process: it gets the signals, and nothing stands between.
CMD ["node", "build/server/index.js"]
