// npm run sbom [-- FILE] Writes the list of packages of an installation without development packages, as CycloneDX JSON
// (default: sbom.cdx.json). It reads package-lock.json only, so it needs neither node_modules nor a network.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = process.argv[2] ?? 'sbom.cdx.json';
const isWindows = process.platform === 'win32';
const text = execFileSync(
  isWindows ? 'npm.cmd' : 'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'],
  { cwd: root, encoding: 'utf8', shell: isWindows, maxBuffer: 64 * 1024 * 1024 },
);
const sbom = JSON.parse(text);
const installed = installedPackages();
const isInstalled = ({ name, version }) => installed.has(`${name}@${version}`);
// `npm sbom --omit dev` would leave out packages that development packages also need, such as @nestjs/common.
const kept = sbom.components.filter(isInstalled);
const refs = new Set([
  sbom.metadata.component['bom-ref'],
  ...kept.map((component) => component['bom-ref']),
]);
sbom.components = kept.map((component) => ({
  ...component,
  properties: component.properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
}));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
// npm names the component after the folder of the checkout.
sbom.metadata.component.name = 'switchboard';
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${file}: ${sbom.components.length} packages`);

/** Returns `name@version` of every package in package-lock.json, except those that only development needs. */
function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entries = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  return new Set(
    entries.map(([path, { name, version }]) => {
      const own = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return `${name ?? own}@${version}`;
    }),
  );
}
