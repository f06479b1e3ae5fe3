import 'reflect-metadata';
import {
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Length,
  Max,
  Min,
  validateSync,
} from 'class-validator';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type OutboundException, parseOutboundAllow } from './outbound-allow.js';

export type Role = 'all' | 'web' | 'worker';

const URL_OF = (...protocols: string[]) => ({
  protocols,
  require_protocol: true,
  require_tld: false,
  require_host: true,
});

/**
 * The whole configuration, validated once at start and frozen. It is the injection token for every class that
 * needs a setting; nothing else reads `process.env`.
 */
export class Env {
  /** Port that HTTP listens on; 0 lets the system choose. */
  @IsInt()
  @Min(0)
  @Max(65_535)
  readonly port: number = 3000;

  /** Address that HTTP listens on. Loopback with the embedded database, every interface otherwise. */
  @IsString()
  @Length(1, 255)
  readonly host: string;

  @IsIn(['all', 'web', 'worker'])
  readonly role: Role = 'all';

  /** Owner connection to PostgreSQL; absent: the embedded one is started. */
  @IsOptional()
  @IsUrl(URL_OF('postgres', 'postgresql'))
  readonly databaseUrl?: string;

  /** Redis for wake-ups through Bull; absent: wake-ups go through PostgreSQL. */
  @IsOptional()
  @IsUrl(URL_OF('redis', 'rediss'))
  readonly redisUrl?: string;

  /** Where people and other systems reach this installation, without a trailing slash. */
  @IsOptional()
  @IsUrl(URL_OF('http', 'https'))
  readonly publicUrl?: string;

  /** Outgoing mail server; absent: mail is written as `.eml` files into `DATA_DIR/outbox`. */
  @IsOptional()
  @IsUrl(URL_OF('smtp', 'smtps'))
  readonly smtpUrl?: string;

  @IsEmail({ require_tld: false })
  readonly mailFrom: string = 'switchboard@localhost';

  @IsString()
  @Length(1, 4096)
  readonly dataDir: string;

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  readonly logLevel: string = 'info';

  /** Whether strangers may sign up; `closed` still lets the first account of an empty installation be made. */
  @IsIn(['open', 'closed'])
  readonly signUp: 'open' | 'closed' = 'open';

  /** Tool calls (batch members count one each) and webhooks per organization, process and minute; 0: no limit. */
  @IsInt()
  @Min(0)
  @Max(100_000_000)
  readonly rateLimitPerMinute: number = 60_000;

  /** Protects stored secrets; absent: a random key kept in a table that only the owner of the database reads. */
  @IsOptional()
  @IsString()
  @Length(32, 1024)
  readonly secretKey?: string;

  /** Largest number of PostgreSQL connections that tenant transactions of this process may hold. */
  @IsInt()
  @Min(2)
  @Max(1000)
  readonly databasePoolSize: number = 10;

  /**
   * Messages, and runs of one organization, that one worker process handles at the same time; where several
   * organizations have runs, half as many again.
   */
  @IsInt()
  @Min(1)
  @Max(1000)
  readonly workerConcurrency: number = 10;

  /** What requests of workflows may reach besides ports 80 and 443 of public addresses. */
  @IsString()
  @Length(0, 4096)
  readonly outboundAllow: string = '';

  /** As Node's libraries read it: `development` and `test` check more, at the cost of speed. */
  @IsString()
  readonly nodeEnv: string = 'production';

  constructor(values: Partial<Record<EnvKey, unknown>>) {
    Object.assign(this, values);
    this.host = (values.host as string) ?? (this.databaseUrl ? '0.0.0.0' : '127.0.0.1');
    this.dataDir = (values.dataDir as string) ?? defaultDataDir();
  }

  /** Whether the result of every tool is compared with what its output class promises. */
  get checksResults(): boolean {
    return this.nodeEnv === 'development' || this.nodeEnv === 'test';
  }

  /** Whether lines for debugging are wanted. */
  get logsDebug(): boolean {
    return this.logLevel === 'debug' || this.logLevel === 'trace';
  }

  get runsWeb(): boolean {
    return this.role !== 'worker';
  }

  get runsWorker(): boolean {
    return this.role !== 'web';
  }

  get outboundExceptions(): readonly OutboundException[] {
    return parseOutboundAllow(this.outboundAllow) ?? [];
  }

  /** Address under which links and webhook URLs are given out, without a trailing slash. */
  get baseUrl(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    const reachable = host === '0.0.0.0' || host === '[::]' ? 'localhost' : host;
    return this.publicUrl ?? `http://${reachable}:${this.port}`;
  }

  /** True when only this machine can reach the service, so that a foreign Host header means DNS rebinding. */
  get isLoopback(): boolean {
    return this.host === 'localhost' || this.host === '::1' || this.host.startsWith('127.');
  }
}

export type EnvKey =
  | 'port'
  | 'host'
  | 'role'
  | 'databaseUrl'
  | 'redisUrl'
  | 'publicUrl'
  | 'smtpUrl'
  | 'mailFrom'
  | 'dataDir'
  | 'logLevel'
  | 'signUp'
  | 'rateLimitPerMinute'
  | 'secretKey'
  | 'databasePoolSize'
  | 'workerConcurrency'
  | 'outboundAllow'
  | 'nodeEnv';

/** Name of each setting in the environment: the one list that `.env.example` and the README are tested against. */
export const ENV_NAMES = {
  port: 'PORT',
  host: 'HOST',
  role: 'ROLE',
  databaseUrl: 'DATABASE_URL',
  redisUrl: 'REDIS_URL',
  publicUrl: 'PUBLIC_URL',
  smtpUrl: 'SMTP_URL',
  mailFrom: 'MAIL_FROM',
  dataDir: 'DATA_DIR',
  logLevel: 'LOG_LEVEL',
  signUp: 'SIGN_UP',
  rateLimitPerMinute: 'RATE_LIMIT_PER_MINUTE',
  secretKey: 'SECRET_KEY',
  databasePoolSize: 'DATABASE_POOL_SIZE',
  workerConcurrency: 'WORKER_CONCURRENCY',
  outboundAllow: 'OUTBOUND_ALLOW',
  nodeEnv: 'NODE_ENV',
} as const satisfies Record<EnvKey, string>;

const NUMBERS = new Set<EnvKey>([
  'port',
  'rateLimitPerMinute',
  'databasePoolSize',
  'workerConcurrency',
]);

/** A wrong configuration. The message names every wrong setting and what it must be, never its value. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

/** Reads and checks the settings; an empty variable counts as absent. Throws one {@link EnvError} for all faults. */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const values: Partial<Record<EnvKey, unknown>> = {};
  for (const [key, name] of Object.entries(ENV_NAMES) as [EnvKey, string][]) {
    const raw = source[name]?.trim();
    if (!raw) continue;
    // Number('0x10') and Number('1e3') are numbers too; a port written so is a slip of the pen.
    values[key] = NUMBERS.has(key) ? (/^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN) : raw;
  }
  if (typeof values.publicUrl === 'string') values.publicUrl = values.publicUrl.replace(/\/+$/, '');
  const env = new Env(values);
  const faults = validateSync(env, { skipMissingProperties: false }).map(
    (fault) =>
      `${ENV_NAMES[fault.property as EnvKey]}: ${Object.values(fault.constraints ?? {})
        .map((text) => text.replace(fault.property, 'it'))
        .join('; ')}`,
  );
  if (!isHost(env.host) && !faults.some((fault) => fault.startsWith('HOST'))) {
    faults.push('HOST: it must be an address or a host name');
  }
  if (!parseOutboundAllow(env.outboundAllow)) {
    faults.push('OUTBOUND_ALLOW: it must be a list of ADDRESS[/BITS][:PORT] or *:PORT');
  }
  if (faults.length > 0) {
    throw new EnvError(
      `The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}\nSee .env.example for every setting.`,
    );
  }
  return Object.freeze(env);
}

function isHost(host: string): boolean {
  return isIP(host) !== 0 || /^[a-zA-Z0-9.-]+$/.test(host);
}

/** Where embedded data lives unless `DATA_DIR` says otherwise: a place that the user running Switchboard may write. */
export function defaultDataDir(): string {
  // Not below root's home: PostgreSQL runs as another user then, to whom that home is closed.
  return process.getuid?.() === 0 ? '/var/lib/switchboard' : resolve('.data');
}
