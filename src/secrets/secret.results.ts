import { Choice, ListOf, Nested, Text, TextList, Timestamp } from '../tools/schema/fields.js';
import { CLIENT_AUTH, type ClientAuth, SECRET_KINDS, type SecretKind } from './secret-content.js';
import type { StoredSecret } from './secrets.service.js';

/** A secret without its secret part. */
export class SecretView {
  @Text()
  name: string;

  @Choice(SECRET_KINDS)
  kind: SecretKind;

  @TextList()
  hosts: string[];

  @Text({ nullable: true })
  header: string | null;

  @Text({ nullable: true })
  username: string | null;

  @Text({ nullable: true })
  token_url: string | null;

  @Text({ nullable: true })
  client_id: string | null;

  @Text({ nullable: true })
  scope: string | null;

  @Choice(CLIENT_AUTH, { nullable: true })
  client_auth: ClientAuth | null;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  @Text('Id of the person who last set the secret.', { nullable: true })
  updated_by: string | null;

  static of({ name, content, createdAt, updatedAt, updatedBy }: StoredSecret): SecretView {
    return {
      name,
      kind: content.kind,
      hosts: [...content.hosts],
      header: content.header ?? null,
      username: content.username ?? null,
      token_url: content.token_url ?? null,
      client_id: content.client_id ?? null,
      scope: content.scope ?? null,
      client_auth: content.client_auth ?? null,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
      updated_by: updatedBy,
    };
  }
}

export class SecretResult {
  @Nested(() => SecretView)
  secret: SecretView;
}

export class SecretList {
  @ListOf(() => SecretView)
  secrets: SecretView[];
}

export class DeletedSecret {
  @Text('Name of the secret.')
  deleted: string;
}
