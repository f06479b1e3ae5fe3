import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENV_NAMES } from './env-names.js';
import { EnvError, loadEnv } from './load-env.js';

const messageFor = (source: Record<string, string>): string => {
  try {
    loadEnv(source);
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError);
    return (error as Error).message;
  }
  throw new Error('The environment was accepted.');
};

describe(loadEnv, () => {
  it('accepts an empty environment', () => {
    const env = loadEnv({});
    expect(env).toMatchObject({ port: 3000, host: '127.0.0.1', role: 'all', logLevel: 'info' });
    expect(env.isLoopback).toBe(true);
    expect(Object.isFrozen(env)).toBe(true);
  });

  it('listens on every interface when DATABASE_URL is set', () => {
    expect(loadEnv({ DATABASE_URL: 'postgres://u:p@db/switchboard' }).host).toBe('0.0.0.0');
  });

  it('opens sign-up by default only for an installation that strangers cannot reach', () => {
    expect(loadEnv({}).signUp).toBe('open');
    const reachable = [
      { DATABASE_URL: 'postgres://u:p@db/switchboard' },
      { DATABASE_URL: 'postgres://u:p@db/switchboard', HOST: '127.0.0.1' },
      { SMTP_URL: 'smtp://mail.example.com' },
      { PUBLIC_URL: 'https://switchboard.example.com' },
      { HOST: '0.0.0.0' },
    ];
    for (const settings of reachable) {
      expect(loadEnv(settings).signUp).toBe('closed');
      expect(loadEnv({ ...settings, SIGN_UP: 'open' }).signUp).toBe('open');
    }
  });

  it('treats an empty variable as absent', () => {
    expect(loadEnv({ PORT: '', DATABASE_URL: ' ' }).port).toBe(3000);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '0x50'],
    ['PORT', '-1'],
    ['NODE_ENV', 'staging'],
    ['ROLE', 'boss'],
    ['HOST', 'a b'],
    ['DATABASE_URL', 'mysql://secretvalue@db/x'],
    ['REDIS_URL', 'secretvalue'],
    ['PUBLIC_URL', 'ftp://secretvalue'],
    ['SMTP_URL', 'http://secretvalue'],
    ['MAIL_FROM', 'secretvalue'],
    ['LOG_LEVEL', 'loud'],
    ['SIGN_UP', 'maybe'],
    ['SECRET_KEY', 'secretvalue'],
    ['WORKER_CONCURRENCY', '0'],
    ['OUTBOUND_ALLOW', '10.0.0.0/8,secretvalue'],
    ['OUTBOUND_PROXY', 'socks5://ada:secretvalue@proxy'],
    ['TUNE_V8', 'true'],
  ])('reports a wrong %s without its value', (name, value) => {
    const message = messageFor({ [name]: value });
    expect(message).toContain(name);
    if (value.includes('secretvalue')) expect(message).not.toContain('secretvalue');
  });

  it('reports one fault for each wrong setting', () => {
    expect(messageFor({ PORT: 'abc' })).toContain(
      '\n  PORT: it must be a whole number from 0 to 65535\n',
    );
    expect(messageFor({ PORT: 'abc', HOST: 'a b' }).match(/^  [A-Z_]+: [^;\n]+$/gm)).toHaveLength(
      2,
    );
  });

  it('reports all faults in one error', () => {
    expect(messageFor({ PORT: 'x', ROLE: 'y' })).toMatch(/PORT[^]*ROLE/);
  });

  it('accepts .env.example, which lists every setting', () => {
    const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    const entries = [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(() => loadEnv(Object.fromEntries(entries) as Record<string, string>)).not.toThrow();
    expect(entries.map(([name]) => name).sort()).toEqual(Object.values(ENV_NAMES).sort());
  });
});
