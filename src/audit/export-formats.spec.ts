import { describe, expect, it } from 'vitest';
import type { AuditEntryView } from './audit.results.js';
import { toCsv, toJsonLines } from './export-formats.js';

const ENTRY: AuditEntryView = {
  id: '7',
  at: '2026-01-02T03:04:05.678Z',
  caller_kind: 'key',
  caller_id: 'key_1',
  action: 'create_contact',
  subject: null,
  outcome: 'ok',
  arguments_digest: null,
  duration_ms: 3,
  address: '192.0.2.1',
  request_id: 'req_1',
  client: 'curl/8',
  unlogged: 0,
};

describe(toCsv, () => {
  it('writes one line for each entry, and the names of the columns if they are requested', () => {
    expect(toCsv([ENTRY], true)).toBe(
      'id,at,caller_kind,caller_id,action,subject,outcome,arguments_digest,duration_ms,address,request_id,client,unlogged\r\n' +
        '7,2026-01-02T03:04:05.678Z,key,key_1,create_contact,,ok,,3,192.0.2.1,req_1,curl/8,0\r\n',
    );
    expect(toCsv([], false)).toBe('');
  });

  it.each([
    ['=HYPERLINK("https://attacker.example")', `"'=HYPERLINK(""https://attacker.example"")"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(1)', `"'@SUM(1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['a, "b"', `"a, ""b"""`],
    ['a\nb', '"a\nb"'],
    ['a=1', 'a=1'],
  ])('writes the cell %j so that no spreadsheet runs it as a formula', (client, expected) => {
    const [line] = toCsv([{ ...ENTRY, client }], false).split(',0\r\n');
    expect(line!.slice(line!.indexOf('req_1,') + 6)).toBe(expected);
  });
});

describe(toJsonLines, () => {
  it('writes one object in each line, even if the texts of the object contain line breaks', () => {
    const text = toJsonLines([ENTRY, { ...ENTRY, client: 'a\nb' }]);
    expect(text.split('\n')).toHaveLength(3);
    expect(JSON.parse(text.split('\n')[1]!)).toEqual({ ...ENTRY, client: 'a\nb' });
  });
});
