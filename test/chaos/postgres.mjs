import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';

/** Runs a PostgreSQL server with durable settings that a test can crash and start again. It runs on Linux only. */
export class Postgres {
  #embedded;
  #pool;
  #child;
  #command;
  #user;

  async start(dataDir) {
    this.#embedded = await EmbeddedPostgres.start({
      dataDir,
      settings: { max_connections: '200' },
    });
    // After each crash the same program starts again with the same settings and port.
    const { pid } = this.#embedded;
    this.#command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const idOf = (name) => Number(new RegExp(`^${name}:\\t(\\d+)`, 'm').exec(status)[1]);
    this.#user = { uid: idOf('Uid'), gid: idOf('Gid') };
    this.#pool = new pg.Pool({ connectionString: this.url, max: 4, application_name: 'referee' });
    this.#pool.on('error', () => undefined);
    return this;
  }

  get url() {
    return this.#embedded.url;
  }

  /** Runs the statement as the owner. Retries for 30 s while the server does not accept connections. */
  async query(sql, values = []) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.#pool.query(sql, values)).rows;
      } catch (error) {
        const isAway = error.severity !== 'ERROR';
        if (!isAway || attempt === 150) throw error;
        await sleep(200);
      }
    }
  }

  /** Stops like `pg_ctl stop -m immediate`, without a checkpoint, so the next start must recover from the WAL. */
  async crash(downMs) {
    if (this.#child) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGQUIT');
      await exited;
    } else {
      process.kill(this.#embedded.pid, 'SIGQUIT');
      while (isAlive(this.#embedded.pid)) await sleep(20);
    }
    await sleep(downMs);
    this.#spawn();
  }

  async stop() {
    await this.#pool.end();
    if (this.#child && this.#child.exitCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGINT');
      await exited;
    }
    await this.#embedded.stop();
  }

  #spawn() {
    const [program, ...args] = this.#command;
    this.#child = spawn(program, args, {
      ...(process.getuid() === 0 ? this.#user : {}),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: 'ignore',
    });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
