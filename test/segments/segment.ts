import type { TestOrganization } from '../support/organization.js';
import type { RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

export interface TestSegment {
  id: string;
  name: string;
  kind: string;
  filters: object[] | null;
  contacts: number;
  is_complete: boolean;
  evaluated_at: string | null;
}

let counter = 0;

/** Creates a segment, by default a static segment. Throws when the call is refused. */
export async function createSegment(
  organization: TestOrganization,
  given: object = {},
): Promise<TestSegment> {
  counter += 1;
  const { value, error } = await organization.call<{ segment: TestSegment }>('create_segment', {
    name: `Segment ${counter}`,
    ...given,
  });
  if (error) throw new Error(error.message);
  return value.segment;
}

export async function createContact(
  organization: TestOrganization,
  given: object = {},
): Promise<string> {
  counter += 1;
  const { value, error } = await organization.call<{ contact: { id: string } }>('create_contact', {
    email: `person${counter}@example.com`,
    ...given,
  });
  if (error) throw new Error(error.message);
  return value.contact.id;
}

/** Resolves when all contacts were compared with the segment. */
export async function evaluated(
  organization: TestOrganization,
  segmentId: string,
): Promise<TestSegment> {
  return await waitFor(async () => {
    const given = { segment_id: segmentId };
    const { value } = await organization.call<{ segment: TestSegment }>('get_segment', given);
    return value.segment.is_complete ? value.segment : undefined;
  });
}

/** Returns the ids of the contacts that a search finds, sorted. */
export async function found(organization: TestOrganization, filters: object[]): Promise<string[]> {
  const given = { filters, limit: 100 };
  const { value, error } = await organization.call<{ contacts: { id: string }[] }>(
    'search_contacts',
    given,
  );
  if (error) throw new Error(error.message);
  return value.contacts.map(({ id }) => id).toSorted();
}

/** Creates an active workflow that each event of the segment starts. Returns its id. */
export async function onSegment(
  organization: TestOrganization,
  event: 'segment.entered' | 'segment.left',
  segmentId?: string,
): Promise<string> {
  const { value, error } = await organization.call<{ workflow: { id: string } }>(
    'create_workflow',
    {
      name: `${event} ${segmentId}`,
      active: true,
      trigger: { type: 'event', event, ...(segmentId && { segment: segmentId }) },
      steps: [{ id: 'note', set: { name: '{{ trigger.payload.segment.name }}' } }],
    },
  );
  if (error) throw new Error(error.message);
  return value.workflow.id;
}

/** Returns the contacts of the runs of a workflow, sorted: one entry for each run. */
export async function startedFor(
  switchboard: RunningSwitchboard,
  workflowId: string,
): Promise<string[]> {
  const rows = await switchboard.ownerQuery<{ contact_id: string }>(
    'select contact_id from workflow_runs where workflow_id = $1 order by contact_id collate "C"',
    [workflowId],
  );
  return rows.map(({ contact_id: id }) => id);
}

/** Resolves when every written contact was compared with the segments, and no comparison of all contacts is due. */
export async function settled(
  switchboard: RunningSwitchboard,
  { id }: TestOrganization,
): Promise<void> {
  await waitFor(async () => {
    const [row] = await switchboard.ownerQuery<{ open: boolean }>(
      `select exists (select from segment_changes where organization_id = $1)
         or exists (select from segments where organization_id = $1 and sweep_at <= now()) as open`,
      [id],
    );
    return !row!.open;
  });
}

export const is = (segment: string) => ({ field: 'segment', operator: 'is', value: segment });
export const isNot = (segment: string) => ({
  field: 'segment',
  operator: 'is_not',
  value: segment,
});
export const tagged = (tag: string) => ({ field: 'tags', operator: 'contains', value: tag });
