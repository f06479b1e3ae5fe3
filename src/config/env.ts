import 'reflect-metadata';
import { IsEmail, IsIn, IsOptional, IsString, IsUrl, Length, Matches } from 'class-validator';
import { defaultDataDir } from './data-dir.js';
import { parseDnsServers } from './dns-servers.js';
import { type OutboundException, parseOutboundAllow } from './outbound-allow.js';
import { type OutboundProxy, parseOutboundProxy } from './outbound-proxy.js';
import type { EnvKey } from './env-names.js';
import { IsWholeNumber } from './is-whole-number.js';
import { parseTrustedProxies } from './trusted-proxies.js';

export type Role = 'all' | 'web' | 'worker';

const URL_OF = (...protocols: string[]) => ({
  protocols,
  require_protocol: true,
  require_tld: false,
  require_host: true,
});

/**
 * Holds the whole configuration, validated at start and frozen. Classes that need a setting inject it. No other code
 * reads `process.env`.
 */
export class Env {
  /** The HTTP server listens on this port. With 0, the system chooses a port. */
  @IsWholeNumber(0, 65_535)
  readonly port: number = 3000;

  /**
   * The HTTP server listens on this address. The default is the loopback address with the embedded database, and every
   * interface otherwise.
   */
  @IsString()
  @Length(1, 255)
  readonly host: string;

  @IsIn(['all', 'web', 'worker'])
  readonly role: Role = 'all';

  /** The URL of PostgreSQL. Its user is the owner of the database. When absent, the embedded PostgreSQL is started. */
  @IsOptional()
  @IsUrl(URL_OF('postgres', 'postgresql'))
  readonly databaseUrl?: string;

  /** The URL of the Redis server that delivers wake-ups. When absent, PostgreSQL delivers them. */
  @IsOptional()
  @IsUrl(URL_OF('redis', 'rediss'))
  readonly redisUrl?: string;

  /** The address at which people and other systems reach this installation. It has no trailing slash. */
  @IsOptional()
  @IsUrl(URL_OF('http', 'https'))
  readonly publicUrl?: string;

  /** The mail server. When absent, mail is written as `.eml` files into `DATA_DIR/outbox`. */
  @IsOptional()
  @IsUrl(URL_OF('smtp', 'smtps'))
  readonly smtpUrl?: string;

  @IsEmail({ require_tld: false })
  readonly mailFrom: string = 'switchboard@localhost';

  /**
   * The name servers that are asked for the records of sender domains. When empty, the name servers of the machine are
   * asked.
   */
  @IsString()
  @Length(0, 4096)
  readonly dnsServers: string = '';

  @IsString()
  @Length(1, 4096)
  readonly dataDir: string;

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  readonly logLevel: string = 'info';

  /** The format of the log. `pretty` is text for people. The default is `pretty` on a terminal and `json` elsewhere. */
  @IsOptional()
  @IsIn(['json', 'pretty'])
  readonly logFormat?: 'json' | 'pretty';

  /**
   * `closed` allows only the first account of an empty installation. The default is `open` for a trial, which strangers
   * cannot reach. Otherwise it is `closed`, because strangers could send mail to anyone.
   */
  @IsIn(['open', 'closed'])
  readonly signUp: 'open' | 'closed';

  /**
   * The largest number of messages that an organization of a new account may store in a day. It applies until the owner
   * verifies the address or an operator changes the number.
   */
  @IsWholeNumber(0, 100_000_000)
  readonly newOrganizationMessages: number = 100;

  /**
   * The largest number of messages a day after the owner has verified the address. It has no effect when it is smaller
   * than `newOrganizationMessages`.
   */
  @IsWholeNumber(0, 100_000_000)
  readonly verifiedOrganizationMessages: number = 1000;

  /**
   * The largest number of mails that verify an address, per account and per mailbox in a day. For one network, the
   * number is ten times as large. 0 means no limit.
   */
  @IsWholeNumber(0, 1_000_000)
  readonly verificationMailsPerDay: number = 5;

  /** The largest number of contacts that an organization of a new account may store, until an operator changes it. */
  @IsWholeNumber(0, 100_000_000)
  readonly newOrganizationContacts: number = 10_000;

  /** The largest number of runs that an organization of a new account may store, until an operator changes it. */
  @IsWholeNumber(0, 100_000_000)
  readonly newOrganizationRuns: number = 100_000;

  /**
   * The largest amount of data that an organization of a new account may store, in megabytes, until an operator changes
   * it.
   */
  @IsWholeNumber(0, 100_000_000)
  readonly newOrganizationStoredMb: number = 1000;

  /** The largest size, in megabytes, of an uploaded file with contacts. */
  @IsWholeNumber(1, 10_000)
  readonly importMb: number = 500;

  /** The largest number of tool calls and webhooks per organization, process and minute. 0 means no limit. */
  @IsWholeNumber(0, 100_000_000)
  readonly rateLimitPerMinute: number = 60_000;

  /** The largest number of attempts to sign in per account and minute, in all processes together. 0 means no limit. */
  @IsWholeNumber(0, 1_000_000)
  readonly signInPerMinute: number = 10;

  /**
   * The largest number of accounts that one address creates in an hour, in all processes together. 0 means no limit.
   */
  @IsWholeNumber(0, 1_000_000)
  readonly signUpPerHour: number = 20;

  /**
   * The largest number of API keys that one organization creates in an hour, in all processes together. 0 means no
   * limit.
   */
  @IsWholeNumber(0, 1_000_000)
  readonly keysPerHour: number = 60;

  /**
   * The addresses of trusted proxies. The header X-Forwarded-For of a trusted proxy names the client. The same header
   * has no effect when another system sends it.
   */
  @IsString()
  @Length(0, 4096)
  readonly trustedProxies: string = '';

  /** The key that encrypts stored secrets. The default is a random key that only the owner of the database can read. */
  @IsOptional()
  @IsString()
  @Length(32, 1024)
  readonly secretKey?: string;

  /**
   * The next or the previous `secretKey` while the key is changed. It decrypts stored secrets but encrypts none. The
   * word `database` means the key that is used without `secretKey`.
   */
  @IsOptional()
  @Matches(/^(?:database|.{32,1024})$/s, {
    message: 'it must be the word database, or a text of 32 to 1024 characters',
  })
  readonly otherSecretKey?: string;

  /** The largest number of PostgreSQL connections for tenant transactions of this process. */
  @IsWholeNumber(2, 1000)
  readonly databasePoolSize: number = 10;

  /**
   * The number of runs of one organization that a worker process executes at the same time, and the largest number of
   * connections to the mail server. For messages of one organization, the number is three times as large. When several
   * organizations have runs or messages, the process handles 1.5 times these numbers.
   */
  @IsWholeNumber(1, 1000)
  readonly workerConcurrency: number = 10;

  /** The addresses that requests of workflows may reach besides ports 80 and 443 of public addresses. */
  @IsString()
  @Length(0, 4096)
  readonly outboundAllow: string = '';

  /**
   * The HTTP proxy through which requests of workflows go. It may contain a password. When absent, the requests
   * are sent directly.
   */
  @IsOptional()
  @IsString()
  @Length(1, 2048)
  readonly outboundProxy?: string;

  /** With `on`, workflows may have steps with JavaScript, which run in a sandbox. */
  @IsIn(['on', 'off'])
  readonly codeSteps: 'on' | 'off' = 'off';

  /** The largest body of a webhook, in bytes. A body of more than 1 MiB must be JSON. */
  @IsWholeNumber(1_048_576, 10_485_760)
  readonly maxPayloadBytes: number = 1_048_576;

  /** `development` and `test` enable checks that cost speed. `development` shows unexpected errors to callers. */
  @IsIn(['production', 'development', 'test'])
  readonly nodeEnv: 'production' | 'development' | 'test' = 'production';

  /**
   * The tuning of V8. With `on`, this process returns memory to the system after its start, and V8 keeps compiled code.
   * When absent, only `npm start` does this, because any other process may belong to another program.
   */
  @IsOptional()
  @IsIn(['on', 'off'])
  readonly tuneV8?: 'on' | 'off';

  constructor(values: Partial<Record<EnvKey, unknown>>) {
    Object.assign(this, values);
    this.host = (values.host as string) ?? (this.databaseUrl ? '0.0.0.0' : '127.0.0.1');
    this.dataDir = (values.dataDir as string) ?? defaultDataDir();
    this.signUp = (values.signUp as 'open' | 'closed') ?? (this.isTrial ? 'open' : 'closed');
  }

  /** True when the database is embedded, only this machine can reach the service, and no mail server is set. */
  get isTrial(): boolean {
    const isPrivate = this.isLoopback && this.publicUrl === undefined;
    return isPrivate && this.databaseUrl === undefined && this.smtpUrl === undefined;
  }

  /** True when the result of every tool is validated against its output class. */
  get checksResults(): boolean {
    return this.nodeEnv === 'development' || this.nodeEnv === 'test';
  }

  /** True when callers see the message of an unexpected error, and not only the id of its log line. */
  get showsBugs(): boolean {
    return this.nodeEnv === 'development';
  }

  get logsDebug(): boolean {
    return this.logLevel === 'debug' || this.logLevel === 'trace';
  }

  /** True when each request, tool call and run has a line in the log. */
  get logsWork(): boolean {
    return this.logLevel === 'info' || this.logsDebug;
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

  get outboundProxyServer(): OutboundProxy | undefined {
    return parseOutboundProxy(this.outboundProxy ?? '');
  }

  /** Returns the name servers as `ADDRESS[:PORT]`. An empty list means the name servers of the machine. */
  get dnsServerList(): readonly string[] {
    return parseDnsServers(this.dnsServers) ?? [];
  }

  /** Returns addresses and networks of trusted proxies. */
  get trustedProxyNetworks(): readonly string[] {
    return parseTrustedProxies(this.trustedProxies) ?? [];
  }

  /** Returns the address at which links and webhook URLs start, without a trailing slash. */
  get baseUrl(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    const reachable = host === '0.0.0.0' || host === '[::]' ? 'localhost' : host;
    return this.publicUrl ?? `http://${reachable}:${this.port}`;
  }

  /** True when only this machine can reach the service. Then a foreign Host header means DNS rebinding. */
  get isLoopback(): boolean {
    return this.host === 'localhost' || this.host === '::1' || this.host.startsWith('127.');
  }
}
