import { Choice, Flag, ListOf, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import { ALIAS_KINDS, type AliasKind, type ContactAlias } from './contact-alias.entity.js';

export class ContactAliasView {
  @Choice(ALIAS_KINDS)
  kind: AliasKind;

  @Text('Lowercase e-mail address, phone number in E.164, or external id.')
  value: string;

  @Timestamp()
  created_at: string;

  static of({ kind, value, createdAt }: ContactAlias): ContactAliasView {
    return { kind, value, created_at: createdAt.toISOString() };
  }
}

export class ContactAliasList {
  @ListOf(() => ContactAliasView)
  aliases: ContactAliasView[];
}

export class ContactAliasResult {
  @Nested(() => ContactAliasView)
  alias: ContactAliasView;
}

export class RemovedContactAlias {
  @Flag()
  removed: boolean;
}
