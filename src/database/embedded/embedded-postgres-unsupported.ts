import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** This platform, or this installation, has no PostgreSQL binaries; the message shows the way around. */
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
