/** Reports that the embedded PostgreSQL could not be started. Its message tells a person what to change. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/**
 * Returns an error for a failed file operation under `path`. The message names the directory and says what to do next.
 */
export function fileFailure(path: string, error: unknown): Error {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new EmbeddedPostgresError(
        `The data directory ${path} is not writable for this process` +
          `${process.getuid ? ` (uid ${process.getuid()})` : ''}. ` +
          'Give it to the user that runs Switchboard, or set DATA_DIR to another directory.',
        { cause: error },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(path, error);
    case 'ENOTDIR':
    case 'EEXIST':
      return new EmbeddedPostgresError(
        `The data directory ${path} cannot be created, because a part of that path is a file. ` +
          'Set DATA_DIR to another directory.',
        { cause: error },
      );
    default:
      return error instanceof Error ? error : new EmbeddedPostgresError(String(error));
  }
}

export function diskFull(path: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The disk that holds ${path} is full. Free some space (a new database needs about 100 MB), ` +
      'or set DATA_DIR to a directory on another disk.',
    { cause },
  );
}

/** Returns the error for a PostgreSQL program that failed, with the last lines of its output after the message. */
export function programFailure(
  path: string,
  message: string,
  output: string,
  cause: unknown,
): EmbeddedPostgresError {
  if (/No space left on device|Disk quota exceeded/i.test(output)) return diskFull(path, cause);
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const last = lines.slice(-15).map((line) => `  ${line}`);
  return new EmbeddedPostgresError([message, ...last].join('\n'), { cause });
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Reports that there are no PostgreSQL programs for this platform. Its message shows the alternatives. */
export class EmbeddedPostgresUnsupported extends EmbeddedPostgresError {
  override readonly name = 'EmbeddedPostgresUnsupported';

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `${reason}\n` +
        'Set DATABASE_URL to a PostgreSQL of your own instead. With Docker:\n' +
        '  docker compose up -d postgres\n' +
        '  DATABASE_URL=postgres://switchboard:switchboard@127.0.0.1:5432/switchboard npm start',
      options,
    );
  }
}
