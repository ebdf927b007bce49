# The server as an image: docker build --tag slipway .
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
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
  MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-semi-space-size=2 --expose-gc"
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
RUN mkdir --mode=0700 /data && chown node:node /data \
  && printf '#!/bin/sh\nexec node /app/dist/main.js "$@"\n' > /usr/local/bin/slipway && chmod 0755 /usr/local/bin/slipway
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SLIPWAY_PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve"]
