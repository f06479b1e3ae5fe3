import { Resolver } from 'node:dns/promises';

const TRY_MS = 2500;

/** Asks DNS for the addresses of a name. */
export class HostResolver {
  /** `servers` as `ADDRESS[:PORT]`; absent: those of the machine. */
  constructor(private readonly servers?: readonly string[]) {}

  /**
   * Every address of the name, of both families; empty when it has none or nobody knows. Not by `dns.lookup`, which
   * would occupy a thread that hashing and files need for as long as a name server of a stranger likes.
   */
  async resolve(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
    if (this.servers) resolver.setServers(this.servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      signal.throwIfAborted();
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}
