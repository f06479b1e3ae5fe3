import { describe, expect, it } from 'vitest';
import { FaultList } from '../../errors/fault-list.js';
import { parseSteps } from './steps/step-kinds.js';

const faultsOf = (respond: unknown): string[] => {
  const faults = new FaultList();
  parseSteps([{ id: 'a', respond }], faults);
  return faults.first.map(({ path, message }) => `${path.replace('steps[0].', '')} ${message}`);
};

describe('a respond step', () => {
  it.each([
    {},
    { status: 204 },
    { status: 302, headers: { Location: 'https://example.com/thanks' } },
    { status: '{{ trigger.payload.status }}', body: 'text' },
    { type: 'xml', body: '<Response/>' },
    { body: null },
    { headers: { 'X-Run': '{{ run.id }}', 'retry-after': '5', 'Cache-Control': 'max-age=5' } },
  ])('may be %j', (respond) => {
    expect(faultsOf(respond)).toEqual([]);
  });

  it.each<[unknown, string]>([
    ['ok', 'respond must be an object'],
    [{ code: 200 }, 'respond.code is not known'],
    [{ status: 199 }, 'respond.status must be a whole number from 200 to 599'],
    [{ status: 600 }, 'respond.status must be a whole number from 200 to 599'],
    [{ status: '200' }, 'respond.status must be a whole number from 200 to 599'],
    [{ status: 204, body: {} }, 'respond.body must be absent'],
    [{ status: 304, body: '' }, 'respond.body must be absent'],
    [{ type: 'html' }, 'respond.type must be one of json, text, xml'],
    [{ type: 'text', body: { a: 1 } }, 'respond.body must be text'],
    [{ body: 'x'.repeat(256 * 1024 + 1) }, 'respond.body must be at most 262144 bytes'],
    [{ headers: [] }, 'respond.headers must be an object'],
    [{ headers: { 'x-a': 7 } }, 'respond.headers.x-a must be text'],
    [{ headers: { 'x-a': '1', 'X-A': '2' } }, 'respond.headers must have each header once'],
    [{ headers: { 'x-a': 'a\r\nset-cookie: b' } }, 'respond.headers.x-a must have only ASCII'],
    [{ headers: { 'x-a': 'ü' } }, 'respond.headers.x-a must have only ASCII'],
    [{ headers: { 'x-a': 'a'.repeat(1025) } }, 'respond.headers.x-a must have at most 1024'],
    [{ headers: { location: 'https://example.com' } }, 'respond.headers.location needs a status'],
    [
      { status: 302, headers: { location: 'javascript:alert(1)' } },
      'respond.headers.location must be an address',
    ],
    [{ status: 302, headers: { location: '//evil.test' } }, 'respond.headers.location must be an'],
  ])('must not be %j', (respond, fault) => {
    expect(faultsOf(respond)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    'set-cookie',
    'content-type',
    'content-length',
    'transfer-encoding',
    'content-security-policy',
    'access-control-allow-origin',
    'x-content-type-options',
    'x-frame-options',
    'x-accel-redirect',
    'x-sendfile',
    'X-Accel-Redirect',
    'x-a\r\nb',
    '__proto__',
  ])('must not have the header %s', (name) => {
    const headers = JSON.parse(`{${JSON.stringify(name)}: "a"}`) as object;
    expect(faultsOf({ headers })).toEqual([
      expect.stringContaining('is not a header that an answer may have'),
    ]);
  });
});
