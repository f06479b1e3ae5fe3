import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, createSegment } from './segment.js';

it.each(['add_to_segment', 'remove_from_segment'])(
  '%s answers not_found when another transaction deletes the segment meanwhile',
  async (tool) => {
    const { ownerQuery, ...switchboard } = await sharedSwitchboard();
    const acme = await createOrganization(switchboard);
    const contact = await createContact(acme);
    const { id } = await createSegment(acme);
    await ownerQuery('begin');
    try {
      await ownerQuery('delete from segments where id = $1', [id]);
      const call = acme.call(tool, { segment_id: id, contact_ids: [contact] });
      await waitFor(async () => {
        const blocked = await ownerQuery(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and wait_event in ('transactionid', 'tuple')`,
        );
        return blocked.length > 0;
      });
      await ownerQuery('commit');
      expect((await call).error?.code).toBe('not_found');
    } catch (error) {
      await ownerQuery('rollback');
      throw error;
    }
  },
);
