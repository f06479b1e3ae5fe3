import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARKER = 'demo-organization';

/** Returns true when the data folder has the marker. Then a start on this folder creates no demo organization. */
export function hasDemoMarker(dataDir: string): boolean {
  return existsSync(join(dataDir, MARKER));
}

/**
 * Keeps later starts on this data folder from creating a demo organization. The marker file contains `reason`, for
 * people.
 */
export async function writeDemoMarker(dataDir: string, reason: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, MARKER), `${reason}\n`);
}
