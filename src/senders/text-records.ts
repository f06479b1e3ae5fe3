import { Resolver } from 'node:dns/promises';

const ATTEMPT_MS = 2500;
const ATTEMPTS = 2;
const MOST_MS = 10_000;
/** The largest number of records of a name that are read. More records are ignored. */
const MOST_RECORDS = 100;
/**
 * The codes which mean that the name has no TXT record. After any other code, it is unknown whether the name has a TXT
 * record.
 */
const NO_RECORD = ['ENOTFOUND', 'ENODATA'];

/** Looks up TXT records. */
export class TextRecords {
  /**
   * `servers` are the name servers to ask (`ADDRESS[:PORT]`). When absent, the name servers of the machine are asked.
   */
  constructor(private readonly servers: readonly string[]) {}

  /**
   * Returns the texts of the TXT records of a name. Returns an empty list when there are none, and undefined when no
   * name server answered within 10 seconds. Never rejects.
   */
  async find(name: string, signal?: AbortSignal): Promise<string[] | undefined> {
    const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    const cancel = (): void => resolver.cancel();
    const timer = setTimeout(cancel, MOST_MS);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      if (signal?.aborted) return undefined;
      const records = await resolver.resolveTxt(name);
      // A long text comes in parts of 255 bytes.
      return records.slice(0, MOST_RECORDS).map((parts) => parts.join(''));
    } catch (error) {
      return NO_RECORD.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }
}
