import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadEnv } from '../../src/config/load-env.js';
import { ENV_NAMES } from '../../src/config/env-names.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Service {
  image?: string;
  build?: string;
  user?: string;
  read_only?: boolean;
  privileged?: string;
  cap_add?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  network_mode?: string;
  pid?: string;
  environment: Record<string, string>;
  command?: string[];
  ulimits?: Record<string, number>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  healthcheck?: { test: string[] };
}

describe('docker-compose.yml', () => {
  let services: Record<string, Service>;
  let each: [string, Service][];

  beforeAll(() => {
    const compose = parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, Service>;
    };
    services = compose.services;
    each = Object.entries(services);
    expect(Object.keys(services)).toEqual(['postgres', 'redis', 'web', 'worker']);
  });

  it('runs every container with a read-only file system, without capabilities, and without new privileges', () => {
    for (const [, service] of each) {
      expect(service.read_only).toBe(true);
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      expect(service).not.toHaveProperty('cap_add');
      expect(service).not.toHaveProperty('privileged');
      expect(service).not.toHaveProperty('network_mode');
      expect(service).not.toHaveProperty('pid');
      expect((service.volumes ?? []).join()).not.toContain('docker.sock');
    }
  });

  it('runs no container as root: each user is a number in this file, or the user of the Dockerfile', () => {
    for (const [, { image, build, user }] of each) {
      if (image) expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
      else expect([build, user]).toEqual(['.', undefined]);
    }
  });

  it('limits the temporary files of PostgreSQL, and the memory of each of its processes', () => {
    const { command, ulimits } = services.postgres!;
    expect(command).toEqual(['postgres', '-c', 'temp_file_limit=4GB']);
    expect(ulimits).toEqual({ data: 3 * 1024 ** 3 });
  });

  it('pins each image to a version of three parts, or two for PostgreSQL, and never to latest', () => {
    const images = each.flatMap(([, { image }]) => image ?? []);
    expect(images).toHaveLength(2);
    for (const image of images) {
      expect(image).toMatch(
        /^(?:postgres:\d+\.\d+|redis:\d+\.\d+\.\d+)(?:-[a-z]+)?(?:@sha256:[0-9a-f]{64})?$/,
      );
    }
  });

  it('has no default for any secret, and cannot start without the secrets', () => {
    const text = read('docker-compose.yml');
    const secrets = [
      'POSTGRES_ADMIN_PASSWORD',
      'POSTGRES_PASSWORD',
      'REDIS_PASSWORD',
      'SECRET_KEY',
    ];
    for (const name of secrets) {
      const uses = [...text.matchAll(new RegExp(`\\$\\{${name}([^}]*)\\}`, 'g'))];
      expect(uses.length).toBeGreaterThan(0);
      for (const [, rest] of uses) expect(rest).toMatch(/^:\?./);
      expect(text).toContain(name);
    }
    // Every password, key and secret of a container comes from a variable without a default.
    for (const [, { environment }] of each) {
      for (const [name, value] of Object.entries(environment)) {
        if (!/PASSWORD|KEY|SECRET/.test(name) || name === 'OTHER_SECRET_KEY') continue;
        expect(value).toMatch(/^\$\{\w+:\?[^}]*\}$/);
      }
    }
    const { web, worker } = services;
    for (const { environment } of [web!, worker!]) {
      expect(environment.DATABASE_URL).toMatch(
        /^postgres:\/\/switchboard:\$\{POSTGRES_PASSWORD:\?[^}]*\}@postgres:5432\/switchboard$/,
      );
      expect(environment.REDIS_URL).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?[^}]*\}@redis:6379$/);
    }
  });

  it('opens ports to this machine only, and no port of Redis', () => {
    for (const [, { ports = [] }] of each) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    expect(services.redis!.ports).toBeUndefined();
  });

  it('starts Redis with the password in a file that only its user reads', () => {
    const { command, healthcheck } = services.redis!;
    const [shell, flag, script] = command!;
    expect([shell, flag]).toEqual(['sh', '-c']);
    expect(script).toContain('umask 077');
    expect(script).toContain(`printf 'requirepass %s\\n`);
    expect(script).toContain('exec redis-server /tmp/redis.conf');
    expect(healthcheck!.test.join(' ')).not.toContain('-a ');
  });

  it('gives the processes valid settings, and closes sign-up after the first account', () => {
    const fill = (value: string): string =>
      value.replace(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, _name, kind: string, rest: string) =>
        kind === '-' ? rest : 'a'.repeat(64),
      );
    for (const name of ['web', 'worker']) {
      const environment = Object.entries(services[name]!.environment);
      const known: string[] = Object.values(ENV_NAMES);
      for (const [key] of environment) expect(known).toContain(key);
      const env = loadEnv(
        Object.fromEntries(environment.map(([key, value]) => [key, fill(value)])),
      );
      expect(env).toMatchObject({ role: name, signUp: 'closed', secretKey: 'a'.repeat(64) });
    }
  });
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const argumentsOf = (instruction: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  it('pins its base image to a version', () => {
    const images = argumentsOf('FROM');
    expect(images).toHaveLength(2);
    for (const image of images)
      expect(image).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim(?: AS build)?$/);
    expect(new Set(images.map((image) => image.split(' ')[0])).size).toBe(1);
  });

  it('runs as a user that is not root, to whom only /data belongs', () => {
    expect(argumentsOf('USER')).toEqual(['1000:1000']);
    const last = lines.findIndex((line) => line.startsWith('USER '));
    // No instruction after USER changes files.
    for (const line of lines.slice(last + 1)) expect(line).toMatch(/^(?:EXPOSE|HEALTHCHECK|CMD) /);
    expect(lines.join('\n')).not.toContain('--chown');
    expect(argumentsOf('RUN').filter((line) => line.includes('chown'))).toEqual([
      'mkdir /data && chown node:node /data',
    ]);
  });

  it('contains no secret, as a copied file or as a variable', () => {
    for (const set of [...argumentsOf('ENV'), ...argumentsOf('ARG')]) {
      expect(set).not.toMatch(/PASSWORD|SECRET|KEY|TOKEN/);
    }
    // Only named files and folders are copied. Docker does not even read files with secrets.
    for (const copied of argumentsOf('COPY')) expect(copied).not.toMatch(/^\. /);
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.env', '.data', '.git']),
    );
  });
});

describe('docker/database.sql', () => {
  const name = `switchboard_compose_${process.pid}`;
  const password = `it's \\a "password"`;
  let administrator: Client;
  let ownerUrl: string;

  /** Runs the file as psql does: replaces `\getenv` and the quoted variable that it sets. */
  const statements = (): string[] => {
    const text = read('docker/database.sql');
    expect(text).toContain('\\getenv password SWITCHBOARD_PASSWORD\n');
    return text
      .replaceAll(/^(?:--|\\getenv ).*\n/gm, '')
      .replaceAll(/\bswitchboard\b/g, name)
      .replace(`:'password'`, administrator.escapeLiteral(password))
      .split(';\n')
      .filter((statement) => statement.trim() !== '');
  };

  beforeAll(async () => {
    const url = new URL(process.env.TEST_TEMPLATE_URL!);
    url.pathname = '/postgres';
    administrator = new Client({ connectionString: url.href });
    await administrator.connect();
    for (const statement of statements()) await administrator.query(statement);
    url.username = name;
    url.password = encodeURIComponent(password);
    url.pathname = `/${name}`;
    ownerUrl = url.href;
  });
  afterAll(async () => {
    await administrator.query(`drop database ${name} with (force)`);
    const { rows } = await administrator.query<{ role: string }>(
      `select member.rolname as role from pg_auth_members m
       join pg_roles member on member.oid = m.roleid join pg_roles owner on owner.oid = m.member
       where owner.rolname = $1`,
      [name],
    );
    for (const { role } of rows) await administrator.query(`drop role ${role}`);
    await administrator.query(`drop role ${name}`);
    await administrator.end();
  });

  it('creates an owner that is not a superuser, whose database is closed to all other roles', async () => {
    const { rows } = await administrator.query(
      `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolcanlogin
       from pg_roles where rolname = $1`,
      [name],
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: true,
        rolreplication: false,
        rolbypassrls: false,
        rolcanlogin: true,
      },
    ]);
    const open = await administrator.query(
      `select from pg_database, aclexplode(datacl) where datname = $1 and grantee = 0`,
      [name],
    );
    expect(open.rowCount).toBe(0);
  });

  itSlow(
    'is all that Switchboard needs to migrate, to isolate organizations and to serve requests',
    async () => {
      await prepareDatabase(ownerUrl, { waitMs: 5000, log: () => undefined });
      const switchboard = await startSwitchboard({ databaseUrl: ownerUrl });
      try {
        const acme = await createOrganization(switchboard);
        const created = await acme.call('create_contact', { email: 'ada@example.com' });
        expect(created.status).toBe(200);
      } finally {
        await switchboard.close();
      }
    },
  );
});
