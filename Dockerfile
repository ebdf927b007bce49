# The server as an image, which needs no root and writes only to its volumes:
#   docker build --tag slipway --build-arg REVISION="$(git rev-parse HEAD)" .
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
# No dependency needs a script of its own.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts scripts
COPY src src
RUN node scripts/build.mjs
# The image has Node already: those among the dependencies are for machines that have an older one.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/node-win-* node_modules/.bin \
    node_modules/better-sqlite3/deps node_modules/better-sqlite3/src

FROM node:24-slim
# The last two bound the memory kept after load; docs/performance.md has the figures.
ENV NODE_ENV=production SLIPWAY_HOST=0.0.0.0 SLIPWAY_DATA_DIR=/data \
  MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-semi-space-size=2"
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY integrations/deploy/slipway-backup /usr/local/bin/
RUN mkdir --mode=0700 /data /backups && chown node:node /data /backups \
  && printf '#!/bin/sh\nexec node /app/dist/main.js "$@"\n' > /usr/local/bin/slipway && chmod 0755 /usr/local/bin/slipway
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SLIPWAY_PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve"]
ARG REVISION=""
LABEL org.opencontainers.image.title="Slipway" \
  org.opencontainers.image.description="Self-hosted mobile app distribution" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="$REVISION"
