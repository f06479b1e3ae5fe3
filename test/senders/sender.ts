import { type NameServer, startNameServer } from '../outbound/support/name-server.js';
import type { TestOrganization } from '../support/organization.js';
import { startSwitchboard, type StartOptions, type Switchboard } from '../support/switchboard.js';

export interface TestKey {
  selector: string;
  state: 'next' | 'current' | 'previous';
  is_found: boolean;
  record_name: string;
  record_value: string;
  retired_at: string | null;
}

export interface TestDomain {
  id: string;
  domain: string;
  state: string;
  result: string | null;
  record_name: string;
  record_value: string;
  keys: TestKey[];
  checked_at: string | null;
}

/** A Switchboard that asks a name server whose TXT records the test chooses. */
export interface SenderSetup {
  readonly switchboard: Switchboard;
  readonly names: NameServer;
  /** The TXT records by lowercase name. Null means that the name server fails. */
  readonly records: Map<string, string[] | null>;
  /** Runs before each answer of the name server, while the look-up waits. */
  beforeAnswer: () => Promise<void>;
  close(): Promise<void>;
}

export async function startWithNames(options: StartOptions = {}): Promise<SenderSetup> {
  const records = new Map<string, string[] | null>();
  const names = await startNameServer(
    () => [],
    async (name) => {
      await setup.beforeAnswer();
      const found = records.get(name);
      return found === null ? undefined : (found ?? []);
    },
  );
  const env = { DNS_SERVERS: names.address, ...options.env };
  const switchboard = await startSwitchboard({ ...options, env });
  const close = async (): Promise<void> => {
    await switchboard.close();
    names.close();
  };
  const setup: SenderSetup = {
    switchboard,
    names,
    records,
    beforeAnswer: async () => undefined,
    close,
  };
  return setup;
}

export async function add(organization: TestOrganization, domain: string): Promise<TestDomain> {
  return await domainOf(organization, 'add_sender_domain', { domain });
}

export async function verify(organization: TestOrganization, id: string): Promise<TestDomain> {
  return await domainOf(organization, 'verify_sender_domain', { domain_id: id });
}

export async function rotate(organization: TestOrganization, id: string): Promise<TestDomain> {
  return await domainOf(organization, 'rotate_sender_key', { domain_id: id });
}

/** Publishes the TXT record that proves the ownership of the domain, and the TXT record of each of its keys. */
export function publish({ records }: SenderSetup, domain: TestDomain): void {
  const all = [domain, ...domain.keys];
  for (const { record_name: name, record_value: value } of all) {
    const others = records.get(name.toLowerCase()) ?? [];
    records.set(name.toLowerCase(), [...others, value]);
  }
}

/** Adds a domain, publishes its records and verifies it. */
export async function addVerified(
  setup: SenderSetup,
  organization: TestOrganization,
  domain: string,
): Promise<TestDomain> {
  const added = await add(organization, domain);
  publish(setup, added);
  return await verify(organization, added.id);
}

async function domainOf(
  organization: TestOrganization,
  tool: string,
  given: object,
): Promise<TestDomain> {
  const { value, error } = await organization.call<{ domain: TestDomain }>(tool, given);
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return value.domain;
}
