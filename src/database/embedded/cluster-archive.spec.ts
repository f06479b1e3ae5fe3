import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packCluster, unpackCluster } from './cluster-archive.js';

let folder: string;
let target: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-archive-'));
  target = join(folder, 'deep/target');
  mkdirSync(target, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function packed(): Buffer {
  const cluster = join(folder, 'cluster');
  mkdirSync(join(cluster, 'base/1'), { recursive: true });
  mkdirSync(join(cluster, 'pg_notify'));
  writeFileSync(join(cluster, 'PG_VERSION'), '18\n');
  writeFileSync(join(cluster, 'base/1/1259_fsm'), Buffer.alloc(100_000, 7));
  writeFileSync(join(cluster, 'base/1/2619'), Buffer.alloc(100_000, 7));
  writeFileSync(join(cluster, 'base/1/empty'), '');
  return packCluster(cluster, 'here');
}

describe('an archive of a cluster', () => {
  it('unpacks to the same files and empty folders, and only their owner may read them', () => {
    unpackCluster(packed(), 'here', target, null);
    const all = readdirSync(target, { recursive: true }).map(String).toSorted();
    const expected = readdirSync(join(folder, 'cluster'), { recursive: true }).map(String);
    expect(all).toEqual(expected.toSorted());
    expect(readFileSync(join(target, 'PG_VERSION'), 'utf8')).toBe('18\n');
    expect(readFileSync(join(target, 'base/1/2619'))).toEqual(Buffer.alloc(100_000, 7));
    expect(statSync(join(target, 'base/1/empty'))).toMatchObject({ size: 0 });
    expect(statSync(join(target, 'base/1/2619')).mode & 0o777).toBe(0o600);
    expect(statSync(join(target, 'pg_notify')).mode & 0o777).toBe(0o700);
  });

  it('stores equal files once', () => {
    expect(gunzipSync(packed()).length).toBeLessThan(101_000);
  });

  it('is refused when other programs made it, or when it is damaged', () => {
    const archive = packed();
    expect(() => unpackCluster(archive, 'there', target, null)).toThrow('other programs');
    expect(() => unpackCluster(archive.subarray(0, 50), 'here', target, null)).toThrow();
    const changed = Buffer.from(archive);
    changed[changed.length >> 1]! ^= 1;
    expect(() => unpackCluster(changed, 'here', target, null)).toThrow();
    expect(readdirSync(target)).toEqual([]);
  });

  it.each(['../outside', '/outside', 'base/../../outside', 'base//x', '.', 'base/..'])(
    'is refused when it has the path %s',
    (path) => {
      const header = Buffer.from(
        JSON.stringify({ origin: 'here', folders: ['base'], files: [[path, 0, 1]] }),
      );
      const length = Buffer.alloc(4);
      length.writeUInt32BE(header.length);
      const archive = gzipSync(Buffer.concat([length, header, Buffer.from('x')]));
      expect(() => unpackCluster(archive, 'here', target, null)).toThrow('a path that cannot be');
      expect(readdirSync(join(folder, 'deep'))).toEqual(['target']);
    },
  );
});
