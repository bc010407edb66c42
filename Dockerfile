# The service without the embedded database: give it DATABASE_URL and SECRET_KEY_BASE, or the files that DATABASE_URL_FILE
# and SECRET_KEY_BASE_FILE name. config/operation/compose.yml shows it at work.
#
# The base is pinned by version. To pin it by content too, append the digest your registry tells: node:…-slim@sha256:…
FROM node:24.21.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM node:24.21.0-slim
# Code belongs to root, and the service is somebody else: it cannot change itself. It writes to /data and /tmp alone.
RUN install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    NODE_COMPILE_CACHE=/tmp/node-compile \
    MALLOC_ARENA_MAX=2 \
    PATH=/app/bin:$PATH
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY migrations migrations
COPY config config
COPY src src
COPY cli cli
# By number, so that platforms that refuse root see that it is not root: the user node.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# `docker run … IMAGE financectl …` runs the command line instead of the server.
ENTRYPOINT ["/usr/bin/env", "--"]
CMD ["finance-server"]
