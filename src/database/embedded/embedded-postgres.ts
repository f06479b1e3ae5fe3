import { chown, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries, makeRunnable } from './binaries.js';
import {
  ROLE,
  createCluster,
  databaseFailure,
  ensureDatabase,
  isPassing,
  readPassword,
  removeLeftovers,
  urlOf,
} from './cluster.js';
import { DataDir } from './data-dir.js';
import { EmbeddedPostgresError, fileFailure } from './embedded-postgres-error.js';
import { type Postmaster, findPostmaster, startPostmaster, stopPostmaster } from './postmaster.js';
import { OwnerFile } from './process-identity.js';
import { withStartLock } from './start-lock.js';
import { type SystemUser, choosePostgresUser, giveTree, openPathFor } from './system-user.js';

export { EmbeddedPostgresError } from './embedded-postgres-error.js';
export { EmbeddedPostgresUnsupported } from './embedded-postgres-error.js';

const POLL_MS = 20;
// A server that does not answer gets this long, one that is shutting down as long as its owner's
// stop() may take, and one that is starting up as long as it lives.
const ANSWER_MS = 3_000;
const STOPPING_MS = 20_000;

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** Server settings, over our own; `fsync: 'off'` makes throw-away databases start faster. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface Home {
  readonly dataDir: DataDir;
  readonly installed: Binaries;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/**
 * Starts, or attaches to, the private PostgreSQL whose data lives in `dataDir`. A server whose owner
 * lives is shared, and `stop()` leaves it running; a server left behind by a crash is taken over.
 */
export class EmbeddedPostgres {
  /** Address of the database `switchboard`, with its password. */
  readonly url: string;
  #stopping: Promise<void> | null = null;

  private constructor(
    private readonly home: Home,
    private readonly postmaster: Postmaster,
    /** Whether this start made the database cluster. */
    readonly firstStart: boolean,
    /** Whether `stop()` stops the server; false where another living process owns it. */
    readonly isOwner: boolean,
    password: string,
  ) {
    this.url = urlOf(postmaster.port, password, ROLE);
    postmaster.child?.once('exit', (code, signal) => {
      if (this.#stopping) return;
      home.log(
        `The embedded PostgreSQL ended unexpectedly (${signal ?? `exit code ${code}`}). ` +
          `Its log: ${home.dataDir.logFile}`,
      );
    });
  }

  /** Process id of the server. */
  get pid(): number {
    return this.postmaster.identity.pid;
  }

  /** Returns once the database answers; throws an `EmbeddedPostgresError` written for a person. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const installed = await findBinaries();
    const dataDir = await DataDir.open(options.dataDir);
    const log = options.log ?? (() => undefined);
    const home = { dataDir, installed, log, settings: options.settings ?? {} };
    try {
      return await withStartLock(dataDir.lockFile, log, () => EmbeddedPostgres.#startLocked(home));
    } catch (error: unknown) {
      throw error instanceof EmbeddedPostgresError ? error : fileFailure(dataDir.path, error);
    }
  }

  /** Stops the server if this process owns it; calling it twice is harmless. */
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
      log(`Making a new PostgreSQL ${installed.major} database in ${dataDir.path}.`);
      await createCluster(dataDir, binaries, user, home.settings['fsync'] !== 'off');
    } else if (user) {
      await giveClusterTo(user, dataDir);
    }
    const password = await readPassword(dataDir);
    const postmaster = await startPostmaster({ ...home, binaries, user });
    try {
      await answer(home, postmaster, password);
      await owner.claim();
    } catch (error: unknown) {
      // Nobody would own it: the process ends with this error.
      await stopPostmaster(home, postmaster);
      throw error;
    }
    log(`The embedded PostgreSQL listens on 127.0.0.1:${postmaster.port}.`);
    return new EmbeddedPostgres(home, postmaster, !exists, true, password);
  }
}

/** Waits for a server that is starting or stopping; null when there is none to attach to. */
async function findAnswering(home: Home): Promise<Postmaster | null> {
  const { dataDir } = home;
  const begun = Date.now();
  let announced = false;
  for (;;) {
    const found = await findPostmaster(dataDir.cluster);
    if (!found) return null;
    if (found.status === 'ready' && found.port !== null) {
      const postmaster = { identity: found.identity, port: found.port };
      const password = await readPassword(dataDir);
      if (await answer(home, postmaster, password)) return postmaster;
      continue;
    }
    if (found.status !== 'starting' && Date.now() - begun > STOPPING_MS) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${found.identity.pid}) is shutting down in ${dataDir.cluster} and ` +
          'does not finish. Stop that process, then start again.',
      );
    }
    if (!announced && Date.now() - begun > 1_000) {
      home.log(`Waiting for PostgreSQL (process ${found.identity.pid}), which is ${found.status}.`);
      announced = true;
    }
    await sleep(POLL_MS);
  }
}

/** Makes sure that the server answers and has our database; false when it is no longer ready. */
async function answer(home: Home, postmaster: Postmaster, password: string): Promise<boolean> {
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
        // A server we attach to may have been stopped by its owner; one we started may not.
        if (!postmaster.child) return false;
      } else if (isPassing(error) && Date.now() < deadline) {
        await sleep(100);
        continue;
      }
      throw databaseFailure(dataDir.path, dataDir.passwordFile, error);
    }
  }
}

// A backup restored by root belongs to root, and PostgreSQL opens only what belongs to its own user.
async function giveClusterTo(user: SystemUser, dataDir: DataDir): Promise<void> {
  const { uid } = await stat(dataDir.cluster);
  if (uid === user.uid) return;
  await giveTree(user, dataDir.cluster);
  await chown(dataDir.passwordFile, user.uid, user.gid).catch(() => undefined);
}
