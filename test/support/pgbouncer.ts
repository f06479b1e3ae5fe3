import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { choosePostgresUser, type SystemUser } from '../../src/database/embedded/system-user.js';
import { findPgBouncer } from './find-program.js';
import { freePort } from './global-setup.js';
import { waitFor } from './wait-for.js';

/** The configuration that operators copy. */
const PAGE = resolve(import.meta.dirname, '../../docs/configuration.md');

export interface PgBouncerOptions {
  /** The address of the PostgreSQL server, with any user and database. */
  server: string;
  /** Users of the file `userlist.txt`, with their passwords. */
  users: Record<string, string>;
  /** Replaces settings of the documented configuration, or adds them. */
  settings?: Record<string, string>;
  /** Lines of the section `[users]`. */
  userLines?: readonly string[];
}

/** A PgBouncer process on loopback with the documented configuration, in front of the test server. */
export class PgBouncer {
  private child?: ChildProcess;
  private output = '';

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly user: SystemUser | null,
  ) {}

  static async start(options: PgBouncerOptions): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
    // PgBouncer refuses to run as root, as PostgreSQL does.
    const user = await choosePostgresUser(folder);
    const bouncer = new PgBouncer(await freePort(), folder, user);
    await bouncer.write('userlist.txt', Object.entries(options.users).map(quotePair).join('\n'));
    await bouncer.write('pgbouncer.ini', await bouncer.configuration(options));
    if (user) await chown(folder, user.uid, user.gid);
    await bouncer.run();
    return bouncer;
  }

  /** Returns the URL with the address of PgBouncer. */
  urlOf(url: string): string {
    return Object.assign(new URL(url), { port: String(this.port) }).href;
  }

  /** Ends the process and all connections immediately, and starts it again. */
  async restart(): Promise<void> {
    await this.kill();
    await this.run();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    this.output = '';
    const child = spawn(findPgBouncer()!, ['pgbouncer.ini'], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(this.user && { uid: this.user.uid, gid: this.user.gid }),
    });
    this.child = child;
    child.stderr.on('data', (data: Buffer) => (this.output += data.toString()));
    await waitFor(() => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${this.output}`);
      return this.output.includes('process up');
    });
  }

  private async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Returns the documented pgbouncer.ini with the addresses of the test. */
  private async configuration(options: PgBouncerOptions): Promise<string> {
    const [, documented] = /```ini\n([\s\S]+?)```/.exec(await readFile(PAGE, 'utf8'))!;
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: String(this.port),
      auth_file: join(this.folder, 'userlist.txt'),
      unix_socket_dir: '',
      ...options.settings,
    };
    const { port, hostname } = new URL(options.server);
    let text = documented!.replace(/^switchboard = .*$/m, `* = host=${hostname} port=${port}`);
    for (const [name, value] of Object.entries(settings)) {
      const line = new RegExp(`^${name} = .*$`, 'm');
      text = line.test(text)
        ? text.replace(line, () => `${name} = ${value}`)
        : `${text}${name} = ${value}\n`;
    }
    return [text, ...(options.userLines ? ['[users]', ...options.userLines] : []), ''].join('\n');
  }

  private async write(name: string, text: string): Promise<void> {
    const file = join(this.folder, name);
    await writeFile(file, text, { mode: 0o600 });
    if (this.user) await chown(file, this.user.uid, this.user.gid);
  }
}

function quotePair([user, password]: [string, string]): string {
  return `"${user}" "${password}"`;
}

/** Returns the documented SQL that lets PgBouncer look up passwords, with this password. */
export async function lookUpSql(password: string): Promise<string> {
  const [, documented] = /```sql\n(create role pgbouncer[\s\S]+?)```/.exec(
    await readFile(PAGE, 'utf8'),
  )!;
  return documented!.replace("'choose-a-password'", `'${password}'`);
}
