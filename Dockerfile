# The service without the embedded database: give it DATABASE_URL and SECRET_KEY_BASE (or the files that DATABASE_URL_FILE and SECRET_KEY_BASE_FILE name).
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY cli cli
COPY config config
COPY migrations migrations
COPY src src
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/finance-server"]
