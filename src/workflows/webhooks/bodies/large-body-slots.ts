import { AppError } from '../../../errors/app-error.js';

/**
 * The largest number of large bodies in memory. Each body takes up to 10 MiB, and another 10 MiB while its parts are
 * joined and stored.
 */
const MOST = 6;
const MOST_PER_ORGANIZATION = 3;

/** A body that has not arrived completely, so its signature cannot be verified yet. */
export interface ArrivingBody {
  /** The network of the sender. */
  readonly network: string;
  /** Ends the reading of the body, because another body gets its slot. */
  readonly end: (error: AppError) => void;
}

export interface Slot {
  /** Records that the whole body has arrived. From then on, the body keeps its slot until the release. */
  readonly noteArrival: () => void;
  readonly release: () => void;
}

interface Taken {
  readonly organizationId: string;
  arriving: ArrivingBody | undefined;
}

/**
 * Limits the large bodies that a process has in memory, from their first MiB until their run is stored or they are
 * refused. When no slot is free, a new body can get the slot of a body that still arrives. The network of that body must
 * have at least two more arriving bodies than the network of the new body. So a stranger in one network cannot occupy
 * the slots that others need. The oldest arriving body of a network is never ended. So a stranger who sends many large
 * bodies cannot end the only body of another network.
 */
export class LargeBodySlots {
  private readonly taken = new Set<Taken>();

  /** Takes a slot. Throws `unavailable` when none is free. */
  take(organizationId: string, arriving?: ArrivingBody): Slot {
    this.makeRoom(organizationId, arriving?.network);
    const slot: Taken = { organizationId, arriving };
    this.taken.add(slot);
    return {
      noteArrival: () => (slot.arriving = undefined),
      release: () => void this.taken.delete(slot),
    };
  }

  private makeRoom(organizationId: string, network: string | undefined): void {
    const all = [...this.taken];
    const own = all.filter((slot) => slot.organizationId === organizationId);
    const isOrganizationFull = own.length >= MOST_PER_ORGANIZATION;
    if (!isOrganizationFull && all.length < MOST) return;
    const slot = findSlotToEnd(isOrganizationFull ? own : all, network);
    if (!slot) throw noSlot();
    this.taken.delete(slot);
    slot.arriving!.end(noSlot());
  }
}

/**
 * Returns the slot of the newest arriving body of the network with the most arriving bodies. Returns undefined unless
 * this network has at least two more arriving bodies than `network`.
 */
function findSlotToEnd(slots: readonly Taken[], network: string | undefined): Taken | undefined {
  const byNetwork = new Map<string, Taken[]>();
  for (const slot of slots) {
    if (!slot.arriving) continue;
    const others = byNetwork.get(slot.arriving.network);
    if (others) others.push(slot);
    else byNetwork.set(slot.arriving.network, [slot]);
  }
  const [most = []] = [...byNetwork.values()].toSorted((a, b) => b.length - a.length);
  const own = network === undefined ? 0 : (byNetwork.get(network)?.length ?? 0);
  return most.length >= own + 2 ? most.at(-1) : undefined;
}

function noSlot(): AppError {
  const message = 'Too many large bodies are received at this moment. Send the body again later.';
  return new AppError('unavailable', message, { retryAfterSeconds: 2 });
}
