import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideEra, isModernVersion, LEGACY_VERSIONS } from './era.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' };
const claiming = (version: unknown) => ({
  ...list,
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': version } },
});
const plain = { name: 'plain' };
const modern = { name: 'modern' };
const unsupported = (requested: string) => ({ name: 'unsupported', requested });

describe(decideEra.name, () => {
  it.each<[string, object, string | undefined, object]>([
    ['a request without a version', list, undefined, plain],
    ['initialize without a version', initialize, undefined, plain],
    ['a batch without a version', [list, 5], undefined, plain],
    ['an empty batch', [], undefined, plain],
    ['_meta without a version', { ...list, params: { _meta: {} } }, undefined, plain],
    ['_meta that is not an object', { ...list, params: { _meta: [1] } }, undefined, plain],
    ['positional parameters', { ...list, params: [{ _meta: {} }] }, undefined, plain],
    ...LEGACY_VERSIONS.map(
      (version) =>
        [`version ${version}`, list, version, { name: 'legacy', version }] satisfies [
          string,
          object,
          string,
          object,
        ],
    ),
    ['a batch of 2025-06-18', [list], '2025-06-18', { name: 'legacy', version: '2025-06-18' }],
    ['an old unknown version', list, '1999-01-01', unsupported('1999-01-01')],
    ['a version that is not a date', list, 'latest', unsupported('latest')],
    ['an empty version', list, '', unsupported('')],
    ['a batch of an unknown version', [list], '1999-01-01', unsupported('1999-01-01')],
    [
      'initialize with an unknown version',
      initialize,
      'x',
      { name: 'legacy', version: '2025-11-25' },
    ],
    ['initialize in a batch of an unknown version', [initialize], 'x', unsupported('x')],
    ['the modern header', list, '2026-07-28', modern],
    ['a later header', list, '2027-01-01', modern],
    ['initialize with the modern header', initialize, '2026-07-28', modern],
    ['a version in _meta without a header', claiming('2026-07-28'), undefined, modern],
    [
      'a version in _meta that differs from the header',
      claiming('2026-07-28'),
      '2025-06-18',
      modern,
    ],
    ['a legacy version in _meta', claiming('2025-06-18'), '2025-06-18', modern],
    ['a version in _meta that is not a string', claiming(5), undefined, modern],
    ['null as the version in _meta', claiming(null), undefined, modern],
    ['a batch with the modern header', [list], '2026-07-28', { name: 'modern-batch' }],
    ['an empty batch with the modern header', [], '2026-07-28', { name: 'modern-batch' }],
    [
      'a batch with one version in _meta',
      [list, claiming('2026-07-28')],
      '2025-11-25',
      { name: 'modern-batch' },
    ],
  ])('decides %s', (_case, message, version, expected) => {
    expect(decideEra(message, version)).toEqual(expected);
  });

  it('never decides an older era for a message that names a modern version', () => {
    const header = fc.option(fc.constantFrom(...LEGACY_VERSIONS), { nil: undefined });
    const property = fc.property(
      fc.jsonValue(),
      header,
      fc.array(fc.jsonValue()),
      (claim, version, others) => {
        expect(decideEra(claiming(claim), version).name).toBe('modern');
        expect(decideEra([...others, claiming(claim)], version).name).toBe('modern-batch');
      },
    );
    fc.assert(property);
  });

  it('decides an era for every message, and never plain JSON-RPC for a request with the header', () => {
    const message = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    const property = fc.property(
      message,
      fc.option(fc.string(), { nil: undefined }),
      (message, version) => {
        const { name } = decideEra(message, version);
        if (version !== undefined) expect(name).not.toBe('plain');
      },
    );
    fc.assert(property);
  });
});

describe(isModernVersion.name, () => {
  it.each([
    ['2026-07-28', true],
    ['2026-07-29', true],
    ['2026-07-27', false],
    ['2025-11-25', false],
    ['2026-07-28 ', false],
    ['9999', false],
    ['draft', false],
    [undefined, false],
  ])('returns for %s: %s', (version, expected) => {
    expect(isModernVersion(version)).toBe(expected);
  });
});
