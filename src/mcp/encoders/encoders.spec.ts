import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANY_CODE_POINT } from '../../../test/support/code-points.js';
import { IS_THOROUGH } from '../../../test/support/thorough.js';
import { type Era, LEGACY_VERSIONS } from '../era.js';
import { SERVER_INFO } from '../server-info.js';
import { encoderOf } from './encoder-of.js';

const ERAS: Era[] = [
  { name: 'plain' },
  ...LEGACY_VERSIONS.map((version): Era => ({ name: 'legacy', version })),
  { name: 'modern' },
];

describe(encoderOf.name, () => {
  it.each(ERAS.map((era) => [era]))('adds members to _meta in eras that have _meta: %j', (era) => {
    const meta = { 'switchboard/deprecated': 'old is now new' };
    const encoder = encoderOf(era);
    const hasMeta = era.name !== 'plain';
    for (const write of ['toolResult', 'toolFailure'] as const) {
      const [bare, noted] = [encoder[write]('{"a":1}'), encoder[write]('{"a":1}', meta)];
      if (!hasMeta) expect(noted).toBe(bare);
      else {
        const { _meta, ...rest } = JSON.parse(bare) as { _meta?: object };
        expect(JSON.parse(noted)).toEqual({ ...rest, _meta: { ..._meta, ...meta } });
      }
    }
  });

  it('returns the same encoder for an era, so that lists can be cached', () => {
    expect(encoderOf({ name: 'plain' })).toBe(encoderOf({ name: 'plain' }));
    expect(encoderOf({ name: 'modern' })).toBe(encoderOf({ name: 'modern' }));
    expect(new Set(ERAS.map((era) => encoderOf(era))).size).toBe(ERAS.length);
  });

  it('encodes every result without a change, as text and as structured content', () => {
    const result = fc.dictionary(fc.string({ unit: ANY_CODE_POINT }), fc.jsonValue());
    const property = fc.property(result, fc.constantFrom(...ERAS), (result, era) => {
      const json = JSON.stringify(result);
      const encoded = JSON.parse(encoderOf(era).toolResult(json)) as {
        content: [{ text: string }];
        structuredContent?: object;
      };
      expect(encoded.content[0].text).toBe(json);
      if (encoded.structuredContent)
        expect(JSON.stringify(encoded.structuredContent)).toBe(JSON.stringify(JSON.parse(json)));
    });
    fc.assert(property, { numRuns: IS_THOROUGH ? 1000 : 25 });
  });
});

it('uses the version of package.json as the server version', () => {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(SERVER_INFO.version).toBe(version);
});
