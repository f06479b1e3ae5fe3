import { AppError } from '../errors/app-error.js';

/** The largest number of bytes of arriving bodies that a process keeps in memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A body whose last byte has not arrived yet. */
export interface ArrivingBody {
  /** The network of the sender. */
  readonly network: string;
  /** Ends the reading of the body with an error. */
  readonly end: (error: AppError) => void;
}

interface Network {
  bytes: number;
  /** The bytes of each body, the oldest body first. */
  readonly bodies: Map<ArrivingBody, number>;
}

/**
 * Counts the bytes of bodies that are arriving. Without a limit, a stranger could fill the memory with thousands of
 * bodies whose last bytes never arrive.
 */
export class ArrivingBodies {
  private readonly networks = new Map<string, Network>();
  private total = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  /**
   * Records how many bytes of a body have arrived. Above the limit of all bodies, ends the oldest body of the network
   * with the most bytes. So a stranger loses its own bodies first, and bodies that arrive fast are not ended.
   */
  count(body: ArrivingBody, bytes: number): void {
    const network = this.networks.get(body.network) ?? { bytes: 0, bodies: new Map() };
    this.networks.set(body.network, network);
    const added = bytes - (network.bodies.get(body) ?? 0);
    network.bodies.set(body, bytes);
    network.bytes += added;
    this.total += added;
    while (this.total > this.mostBytes) this.endOldest();
  }

  /** Removes a body that has arrived or was ended. Has no effect on other bodies. */
  remove(body: ArrivingBody): void {
    const network = this.networks.get(body.network);
    const bytes = network?.bodies.get(body);
    if (!network || bytes === undefined) return;
    network.bodies.delete(body);
    network.bytes -= bytes;
    this.total -= bytes;
    if (network.bodies.size === 0) this.networks.delete(body.network);
  }

  private endOldest(): void {
    let largest: Network | undefined;
    for (const network of this.networks.values()) {
      if (!largest || network.bytes > largest.bytes) largest = network;
    }
    const [oldest] = largest!.bodies.keys();
    this.remove(oldest!);
    const message =
      'Too many bodies are arriving at this process. Send the body again, without pauses.';
    oldest!.end(new AppError('unavailable', message, { retryAfterSeconds: 2 }));
  }
}
