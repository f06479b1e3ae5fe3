import { chown, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, makeRunnable } from './binaries.js';
import {
  createCluster,
  databaseFailure,
  ensureDatabase,
  isTransient,
  readPassword,
  removeLeftovers,
  urlOf,
} from './cluster.js';
import { DataDir } from './data-dir.js';
import { EmbeddedPostgresError, fileFailure } from './embedded-postgres-error.js';
import { ROLE } from './initdb.js';
import {
  type Home,
  type Postmaster,
  findPostmaster,
  startPostmaster,
  stopPostmaster,
} from './postmaster.js';
import { isRunning, OwnerFile } from './process-identity.js';
import { withStartLock } from './start-lock.js';
import { type SystemUser, choosePostgresUser, giveTree, openPathFor } from './system-user.js';

const POLL_MS = 20;
// The interval at which a process that did not start the server checks whether the server still runs.
const WATCH_MS = 1_000;
// The longest wait for a server that does not answer, and for a server that stops. The wait for a starting server has
// no limit.
const ANSWER_MS = 3_000;
const STOPPING_MS = 20_000;

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** The server settings that override the defaults. `fsync: 'off'` makes temporary databases start faster. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Is called once when the server has ended: its owner stopped it, or it crashed. It is not called after `stop()`. */
  readonly onLost?: () => void;
  /**
   * Is called each time a slow program of PostgreSQL has begun and this process only waits for that program. It is not
   * called for a server that runs already.
   */
  readonly onSpawn?: () => void;
}

/**
 * The server that this process uses. It may be shared with another live process, or taken over from a crashed one.
 */
export class EmbeddedPostgres {
  /** The URL of the database `switchboard`. It contains the password. */
  readonly url: string;
  #stopping: Promise<void> | null = null;

  private constructor(
    private readonly home: Home,
    private readonly postmaster: Postmaster,
    readonly firstStart: boolean,
    /** True when `stop()` stops the server; false when another live process owns it. */
    readonly isOwner: boolean,
    password: string,
  ) {
    this.url = urlOf(postmaster.port, password, ROLE);
    const { child } = postmaster;
    if (child) {
      child.once('exit', (code, signal) => {
        this.#reportLoss(`ended unexpectedly (${signal ?? `exit code ${code}`})`);
      });
    } else {
      this.#watch();
    }
  }

  /** Checks repeatedly whether a server that is not a child of this process still runs. Reports when it has ended. */
  #watch(): void {
    setTimeout(() => {
      void isRunning(this.postmaster.identity).then((isStillRunning) => {
        if (isStillRunning && !this.#stopping) this.#watch();
        else this.#reportLoss('was stopped by the process that ran it');
      });
    }, WATCH_MS).unref();
  }

  #reportLoss(how: string): void {
    if (this.#stopping) return;
    this.home.log(`The embedded PostgreSQL ${how}. Its log: ${this.home.dataDir.logFile}`);
    this.home.onLost();
  }

  get pid(): number {
    return this.postmaster.identity.pid;
  }

  /**
   * Starts or shares a server. Resolves when the database answers. Rejects with an `EmbeddedPostgresError`, whose
   * message is for people.
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const installed = await findBinaries();
    const dataDir = await DataDir.open(options.dataDir);
    const log = options.log ?? (() => undefined);
    const { settings = {}, onLost = () => undefined, onSpawn = () => undefined } = options;
    const home = { dataDir, installed, log, settings, onLost, onSpawn };
    try {
      return await withStartLock(dataDir.lockFile, log, () => EmbeddedPostgres.#startLocked(home));
    } catch (error: unknown) {
      throw error instanceof EmbeddedPostgresError ? error : fileFailure(dataDir.path, error);
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    if (!this.isOwner) return;
    await stopPostmaster(this.home, this.postmaster);
    await new OwnerFile(this.home.dataDir.ownerFile).release();
  }

  static async #startLocked(home: Home): Promise<EmbeddedPostgres> {
    const { dataDir, installed, log } = home;
    const owner = new OwnerFile(dataDir.ownerFile);
    const user = await choosePostgresUser(dataDir.cluster);
    const exists = await dataDir.hasCluster(installed.major);

    const running = exists ? await findAnswering(home) : null;
    if (running) {
      const living = await owner.findLiving();
      if (!living) await owner.claim();
      log(
        living
          ? `Sharing the embedded PostgreSQL that process ${living.pid} runs in ${dataDir.path}.`
          : `Taking over the embedded PostgreSQL left running in ${dataDir.path}.`,
      );
      const password = await readPassword(dataDir);
      return new EmbeddedPostgres(home, running, false, !living, password);
    }

    if (user) await openPathFor(user, dataDir.path);
    const binaries = await makeRunnable(installed, user, dataDir.path);
    await removeLeftovers(dataDir);
    if (!exists) {
      log(`Creating a new PostgreSQL ${installed.major} database in ${dataDir.path}.`);
      const isDurable = home.settings['fsync'] !== 'off';
      await createCluster(dataDir, binaries, user, isDurable, home.onSpawn);
    } else if (user) {
      await giveClusterTo(user, dataDir);
    }
    const password = await readPassword(dataDir);
    const postmaster = await startPostmaster({ ...home, binaries, user });
    try {
      await isAnswering(home, postmaster, password);
      await owner.claim();
    } catch (error: unknown) {
      // If the server were not stopped here, it would run without an owner after this process has ended.
      await stopPostmaster(home, postmaster);
      throw error;
    }
    log(`The embedded PostgreSQL listens on 127.0.0.1:${postmaster.port}.`);
    return new EmbeddedPostgres(home, postmaster, !exists, true, password);
  }
}

/** Waits for a server that is starting or stopping. Returns null when there is no running server. */
async function findAnswering(home: Home): Promise<Postmaster | null> {
  const { dataDir } = home;
  const startedAt = Date.now();
  let announced = false;
  for (;;) {
    const found = await findPostmaster(dataDir.cluster);
    if (!found) return null;
    if (found.status === 'ready' && found.port !== null) {
      const postmaster = { identity: found.identity, port: found.port };
      const password = await readPassword(dataDir);
      if (await isAnswering(home, postmaster, password)) return postmaster;
      continue;
    }
    if (found.status !== 'starting' && Date.now() - startedAt > STOPPING_MS) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${found.identity.pid}) is shutting down in ${dataDir.cluster} and ` +
          'does not finish. Stop that process, then start again.',
      );
    }
    if (!announced && Date.now() - startedAt > 1_000) {
      home.log(`Waiting for PostgreSQL (process ${found.identity.pid}), which is ${found.status}.`);
      announced = true;
    }
    await sleep(POLL_MS);
  }
}

/** Returns true when the server answers and has the database of Switchboard, and false when it is no longer ready. */
async function isAnswering(home: Home, postmaster: Postmaster, password: string): Promise<boolean> {
  const { dataDir } = home;
  const deadline = Date.now() + ANSWER_MS;
  for (;;) {
    try {
      await ensureDatabase(postmaster.port, password);
      return true;
    } catch (error: unknown) {
      const found = await findPostmaster(dataDir.cluster);
      const isSame = found?.identity.pid === postmaster.identity.pid;
      if (!isSame || found.status !== 'ready') {
        // The owner of a shared server may have stopped it. A server that this process started must be ready.
        if (!postmaster.child) return false;
      } else if (isTransient(error) && Date.now() < deadline) {
        await sleep(100);
        continue;
      }
      throw databaseFailure(dataDir.path, dataDir.passwordFile, error);
    }
  }
}

// The files of a backup that root restored belong to root. PostgreSQL opens only files that belong to the user that
// PostgreSQL runs as.
async function giveClusterTo(user: SystemUser, dataDir: DataDir): Promise<void> {
  const { uid } = await stat(dataDir.cluster);
  if (uid === user.uid) return;
  await giveTree(user, dataDir.cluster);
  await chown(dataDir.passwordFile, user.uid, user.gid).catch(() => undefined);
}
