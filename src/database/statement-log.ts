import { Logger } from '@nestjs/common';
import type { Statement } from './driver/statement.js';

const SHOWN_TEXT = 300;

/** Logs one line for each round trip to the database, at level debug. A line has no bound values. */
export class StatementLog {
  private readonly logger = new Logger('Statement');

  constructor(private readonly isOn: boolean) {}

  /** Logs the line when `done` settles. Statements without an organization are statements of the gate. */
  add(statements: readonly Statement[], done: Promise<unknown>, organization?: string): void {
    if (!this.isOn) return;
    const beganAt = performance.now();
    const write = (outcome: 'ok' | 'failed'): void => {
      const ms = Math.round((performance.now() - beganAt) * 10) / 10;
      this.logger.debug({ statements: statements.map(nameOf), outcome, ms, organization });
    };
    done.then(
      () => write('ok'),
      () => write('failed'),
    );
  }
}

/** Returns the name of a prepared statement, or else the text of the statement in one line. */
function nameOf({ name, text }: Statement): string {
  return name ?? text.replaceAll(/\s+/g, ' ').slice(0, SHOWN_TEXT);
}
