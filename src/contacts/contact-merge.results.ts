import {
  Choice,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Timestamp,
} from '../tools/schema/fields.js';
import { ALIAS_KINDS, type AliasKind } from './contact-alias.entity.js';
import type { MergedValue } from './contact-merge.js';
import { UNDO_DAYS } from './contact-merge-retention.js';
import type { Merge, MovedRows } from './contact-merges.repository.js';
import type { MergeOutcome, UnmergeOutcome } from './contact-merges.service.js';
import { ContactView } from './contact.results.js';

class MovedRowsView {
  @Integer()
  messages: number;

  @Integer()
  runs: number;

  @Integer('Waits of runs for an event of the contact.')
  waits: number;

  @Integer('Emitted events.')
  events: number;

  @Integer('Aliases that the merged contact had.')
  aliases: number;

  static of({ messages, runs, waits, events, aliases }: MovedRows): MovedRowsView {
    return { messages, runs, waits, events, aliases };
  }
}

class MergedValueView implements MergedValue {
  @Text('For example first_name, properties.plan or consent.email.')
  field: string;

  @Text('The value that the contact has after the merge, as text or JSON.')
  value: string;

  @Choice(['survivor', 'merged'], 'The contact that had this value.')
  from: 'survivor' | 'merged';

  @Text('The value of the other contact, if it had one.', { nullable: true })
  other: string | null;
}

class MergeAliasView {
  @Choice(ALIAS_KINDS)
  kind: AliasKind;

  @Text()
  value: string;
}

export class MergeContactsResult {
  @Nested(() => ContactView, 'The contact after the merge.')
  contact: ContactView;

  @Text('This id means the contact from now on.')
  merged_id: string;

  @Nested(() => MovedRowsView)
  moved: MovedRowsView;

  @ListOf(() => MergedValueView, 'The fields in which the merged contact differs.')
  values: MergedValueView[];

  @ListOf(() => MergeAliasView, 'Identifiers of the merged contact that are aliases now.')
  aliases: MergeAliasView[];

  static of({ contact, mergedId, moved, values, aliases }: MergeOutcome): MergeContactsResult {
    return {
      contact: ContactView.of(contact),
      merged_id: mergedId,
      moved: MovedRowsView.of(moved),
      values,
      aliases,
    };
  }
}

export class UnmergeContactsResult {
  @Nested(() => ContactView, 'The restored contact.')
  contact: ContactView;

  @Nested(() => ContactView, 'The survivor of the merge.')
  survivor: ContactView;

  @Nested(() => MovedRowsView, 'Rows that the restored contact got back.')
  moved: MovedRowsView;

  @TextList('Identifiers that the contact did not get back, because another contact has them now.')
  missing: string[];

  static of({ contact, survivor, moved, missing }: UnmergeOutcome): UnmergeContactsResult {
    return {
      contact: ContactView.of(contact),
      survivor: ContactView.of(survivor),
      moved: MovedRowsView.of(moved),
      missing,
    };
  }
}

class ContactMergeView {
  @Text()
  merged_id: string;

  @Text('A name, or else an identifier, of the merged contact.')
  name: string;

  @Timestamp()
  merged_at: string;

  @Timestamp('RFC 3339, UTC. Until this time, unmerge_contacts can undo the merge.')
  undo_until: string;

  static of({ mergedId, mergedAt, undo }: Merge): ContactMergeView {
    const { firstName, lastName, email, phone, externalId } = undo!.merged;
    const name = [firstName, lastName].filter((part) => part !== null).join(' ');
    const until = new Date(mergedAt.getTime() + UNDO_DAYS * 24 * 60 * 60 * 1000);
    return {
      merged_id: mergedId,
      name: name || (email ?? phone ?? externalId ?? mergedId),
      merged_at: mergedAt.toISOString(),
      undo_until: until.toISOString(),
    };
  }
}

export class ContactMergeList {
  @ListOf(() => ContactMergeView)
  merges: ContactMergeView[];

  static of(merges: readonly Merge[]): ContactMergeList {
    return { merges: merges.map((merge) => ContactMergeView.of(merge)) };
  }
}
