import { describe, expect, it } from 'vitest';
import { prettyLine } from './pretty-line.js';

const line = (fields: object): string =>
  JSON.stringify({ level: 40, time: '2026-01-02T03:04:05.678Z', ...fields });
const clock = new Date('2026-01-02T03:04:05.678Z').toLocaleTimeString('en-GB');

describe('prettyLine', () => {
  it('returns the time, the level, the context and the message', () => {
    expect(prettyLine(line({ context: 'Http', msg: 'It is late.' }), false)).toBe(
      `${clock}.678 WARN  Http It is late.\n`,
    );
  });

  it('shows each further field with its name, and keeps hostile text on one line', () => {
    const fields = { status: 200, route: '/api/mcp', client: 'a "b"\nc=d', none: null };
    expect(prettyLine(line(fields), false)).toBe(
      `${clock}.678 WARN  status=200 route=/api/mcp client="a \\"b\\"\\nc=d" none=null\n`,
    );
  });

  it('puts a stack trace on lines of its own', () => {
    const text = prettyLine(line({ msg: 'Failed', stack: 'Error: x\n    at f (a.ts:1:2)' }), false);
    expect(text.split('\n')).toEqual([
      `${clock}.678 WARN  Failed`,
      'Error: x',
      '    at f (a.ts:1:2)',
      '',
    ]);
  });

  it('uses colors only when they are wanted', () => {
    expect(prettyLine(line({}), false)).not.toContain('\u001b');
    expect(prettyLine(line({}), true)).toContain('\u001b[33mWARN');
  });
});
