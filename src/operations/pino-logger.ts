import type { LoggerService } from '@nestjs/common';
import pino, { type Logger, type LoggerOptions } from 'pino';
import type { Env } from '../config/env.js';
import { prettyLine } from './pretty-line.js';

// The contexts of Nest whose lines are logged at level debug. At each start, these contexts write about fifty lines
// about modules and routes.
const BOOT_CONTEXTS = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Writes text to standard output as `prettyLine` formats it. */
const PRETTY_OUTPUT = {
  write: (line: string) =>
    void process.stdout.write(prettyLine(line, process.stdout.hasColors?.())),
};

/**
 * Writes the log lines of Nest as JSON, one object per line, or as text for people. A message that is an object keeps
 * its fields.
 */
export class PinoLogger implements LoggerService {
  private readonly pino: Logger;

  constructor({ logLevel, logFormat }: Pick<Env, 'logLevel' | 'logFormat'>) {
    const format = logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json');
    const options: LoggerOptions = {
      level: logLevel,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      // No code logs these fields on purpose. The list protects the secrets of an object that is logged as a whole.
      redact: {
        paths: ['api_key', 'password', 'secret', 'authorization', 'cookie'].flatMap((name) => [
          name,
          `*.${name}`,
        ]),
        censor: '[redacted]',
      },
    };
    this.pino = format === 'pretty' ? pino(options, PRETTY_OUTPUT) : pino(options);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(BOOT_CONTEXTS.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  private write(
    level: 'info' | 'warn' | 'error' | 'fatal' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    if (!this.pino.isLevelEnabled(level)) return;
    // Nest passes the context as the last argument, and a stack, if any, before it.
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const fields = typeof message === 'object' && message !== null ? message : {};
    const text = typeof message === 'string' ? message : undefined;
    this.pino[level]({ context, ...fields, ...(stack !== undefined && { stack }) }, text);
  }
}
