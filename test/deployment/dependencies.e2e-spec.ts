import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeSlow } from '../support/thorough.js';

interface LockedPackage {
  name?: string;
  version: string;
  license?: string;
  dev?: boolean;
  integrity?: string;
  link?: boolean;
}

interface Advisory {
  package: string;
  /** The first affected version. When absent, all versions below `before` are affected. */
  from?: string;
  /** The first version that is not affected. */
  before: string;
  id: string;
}

interface Policy {
  licenses: {
    allowed: string[];
    /** The licences that are allowed in packages that are not part of an installation. */
    allowedForDevelopment: string[];
    /**
     * The licences of packages whose package.json names no licence that npm knows. A person read these licences in the
     * packages themselves.
     */
    reviewed: Record<string, string>;
  };
  advisories: { reviewed: string; known: Advisory[] };
}

const ROOT = resolve(import.meta.dirname, '../..');
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const policy = readJson('.ci/dependencies.json') as Policy;
/**
 * The folders with packages. The first one has the packages of an installation. The others have packages for
 * development.
 */
const FOLDERS = ['', 'checks', 'test/browser'];
const packages = FOLDERS.flatMap((folder) => {
  const lock = readJson(join(folder, 'package-lock.json')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, locked]) => ({
      ...locked,
      dev: locked.dev || folder !== '',
      path: join(folder, path),
      name: locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    }));
});

/** Returns the faults of the licences of packages. */
function licenceFaults(all: readonly (LockedPackage & { name: string })[]): string[] {
  const { allowed, allowedForDevelopment, reviewed } = policy.licenses;
  return all.flatMap(({ name, version, license, dev }) => {
    const found = reviewed[`${name}@${version}`] ?? license;
    const accepted = [...allowed, ...(dev ? allowedForDevelopment : [])];
    if (found !== undefined && accepted.includes(found)) return [];
    return [`${name}@${version} has the licence ${found ?? '(unknown)'}`];
  });
}

function advisoryFaults(all: readonly { name: string; version: string }[]): string[] {
  return all.flatMap(({ name, version }) =>
    policy.advisories.known
      .filter((advisory) => advisory.package === name)
      .filter(({ from = '0.0.0', before }) => !isLess(version, from) && isLess(version, before))
      .map(({ id }) => `${name}@${version} is affected by ${id}`),
  );
}

/** Compares versions of three numbers. A prerelease counts as its release. */
function isLess(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.split(/[-+]/)[0]!.split('.').map(Number));
  const index = a!.findIndex((number, position) => number !== b![position]);
  return index >= 0 && a![index]! < b![index]!;
}

describe('the packages of all lock files', () => {
  it('have licences that .ci/dependencies.json allows', () => {
    expect(packages.length).toBeGreaterThan(200);
    expect(licenceFaults(packages)).toEqual([]);
  });

  it('would be reported if a licence were unknown, or were allowed for development only', () => {
    const one = { name: 'one', version: '1.0.0' };
    expect(licenceFaults([one])).toEqual(['one@1.0.0 has the licence (unknown)']);
    expect(licenceFaults([{ ...one, license: 'GPL-3.0' }])).toHaveLength(1);
    expect(licenceFaults([{ ...one, license: 'MPL-2.0' }])).toHaveLength(1);
    expect(licenceFaults([{ ...one, license: 'MPL-2.0', dev: true }])).toEqual([]);
  });

  it('have the version and the licence of the installed package, if the package is installed', () => {
    const faults = packages.flatMap(({ path, name, version, license }) => {
      const file = join(ROOT, path, 'package.json');
      // Packages of other platforms are not installed.
      if (!existsSync(file)) return [];
      const installed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      const isSame = installed.version === version && (license ?? '') === (installed.license ?? '');
      return isSame
        ? []
        : [
            `${name}: ${version} ${license}, installed: ${String(installed.version)} ${JSON.stringify(installed.license)}`,
          ];
    });
    expect(faults).toEqual([]);
  });

  it('include every package with a reviewed licence in .ci/dependencies.json', () => {
    const known = packages.map(({ name, version }) => `${name}@${version}`);
    const unused = Object.keys(policy.licenses.reviewed).filter((name) => !known.includes(name));
    expect(unused).toEqual([]);
  });

  it('have no version with a known vulnerability', () => {
    expect(policy.advisories.reviewed).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(advisoryFaults(packages)).toEqual([]);
  });

  it('would be reported if a version had a known vulnerability', () => {
    const affected = (name: string, version: string) => advisoryFaults([{ name, version }]).length;
    expect(affected('passport', '0.5.3')).toBe(1);
    expect(affected('passport', '0.6.0')).toBe(0);
    expect(affected('body-parser', '2.2.0')).toBe(1);
    expect(affected('body-parser', '2.1.9')).toBe(0);
    expect(affected('multer', '1.4.5-lts.1')).toBe(3);
    for (const advisory of policy.advisories.known) {
      expect(advisory.id).toMatch(/^GHSA(?:-[0-9a-z]{4}){3}$/);
      expect(isLess(advisory.from ?? '0.0.0', advisory.before)).toBe(true);
    }
  });

  it('are all pinned by a hash', () => {
    const missing = packages.filter(
      ({ integrity, link }) => !link && !integrity?.startsWith('sha512-'),
    );
    expect(missing.map(({ path }) => path)).toEqual([]);
  });
});

describeSlow('npm run sbom', () => {
  it('lists every package of an installation with its version, licence and hash', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-sbom-'));
    const file = join(folder, 'sbom.json');
    execFileSync(process.execPath, ['scripts/sbom.mjs', file], { cwd: ROOT, stdio: 'pipe' });
    const sbom = JSON.parse(readFileSync(file, 'utf8')) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; version: string; hashes: { alg: string }[] }[];
    };
    await rm(folder, { recursive: true });
    expect(sbom.bomFormat).toBe('CycloneDX');
    expect(sbom.metadata.component.name).toBe('switchboard');
    const listed = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
    const missing = packages
      .filter(({ dev }) => !dev)
      .map(({ name, version }) => `${name}@${version}`)
      .filter((name) => !listed.has(name));
    expect(missing).toEqual([]);
    const development = packages.filter(({ dev }) => dev).map(({ name }) => name);
    expect(development).toContain('vitest');
    expect(sbom.components.map(({ name }) => name)).not.toContain('vitest');
    for (const { hashes } of sbom.components) expect(hashes[0]!.alg).toBe('SHA-512');
  });
});
