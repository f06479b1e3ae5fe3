import { Resolver } from 'node:dns/promises';

const ATTEMPT_MS = 2500;

export class HostResolver {
  /**
   * `servers` are the name servers to ask (`ADDRESS[:PORT]`). When absent, the name servers of the machine are asked.
   */
  constructor(private readonly servers?: readonly string[]) {}

  /**
   * Returns every IPv4 and IPv6 address of the name. Returns an empty list when the name is unknown or the look-up
   * fails. This method avoids `dns.lookup`, because a slow name server would block a thread that hashing and file
   * access need.
   */
  async resolve(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
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
