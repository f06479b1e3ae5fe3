import { Injectable, UseGuards } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import { isHost, type SecretContent, type SecretKind } from './secret-content.js';
import { DeleteSecretInput, ListSecretsInput, SetSecretInput } from './secret.inputs.js';
import { DeletedSecret, SecretList, SecretResult, SecretView } from './secret.results.js';
import { SecretsService } from './secrets.service.js';

/**
 * Lists the required fields and the optional fields of each kind. Every kind also requires the secret and the hosts.
 */
const FIELDS: Readonly<Record<SecretKind, { needs: readonly Field[]; may: readonly Field[] }>> = {
  value: { needs: [], may: [] },
  header: { needs: ['header'], may: [] },
  basic: { needs: ['username'], may: [] },
  oauth2_client: { needs: ['token_url', 'client_id'], may: ['scope', 'client_auth', 'header'] },
};
const ALL_FIELDS = [
  'header',
  'username',
  'token_url',
  'client_id',
  'scope',
  'client_auth',
] as const;
type Field = (typeof ALL_FIELDS)[number];

/** Provides the tools by which owners set secrets. No tool returns the secret part. */
@Injectable()
export class SecretTools {
  constructor(private readonly secrets: SecretsService) {}

  @Tool({
    name: 'list_secrets',
    title: 'List secrets',
    description:
      'Returns the secrets of the organization in the order of their names, without their values.',
    output: SecretList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListSecretsInput, { organizationId }: ToolCall): Promise<SecretList> {
    const secrets = await this.secrets.list(organizationId);
    return { secrets: secrets.map((secret) => SecretView.of(secret)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'set_secret',
    title: 'Set a secret',
    description:
      'Creates a secret for http_request steps, or changes the secret with this name. Absent fields ' +
      'stay unchanged. Runs use the new secret from their next request on.',
    output: SecretResult,
    destructive: true,
    idempotent: true,
    secrets: ['secret'],
    surfaces: ['dashboard'],
  })
  async set(sent: SetSecretInput, { organizationId, actor }: ToolCall): Promise<SecretResult> {
    const input = { ...sent, secret: sent.secret && withoutLineEnd(sent.secret) };
    const contentFrom = (before?: SecretContent): SecretContent => contentOf(input, before);
    const saved = await this.secrets.set(organizationId, input.name, contentFrom, actor.id);
    return { secret: SecretView.of(saved) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'delete_secret',
    title: 'Delete a secret',
    description: 'Deletes a secret. Steps that use it fail from then on.',
    output: DeletedSecret,
    destructive: true,
    surfaces: ['dashboard'],
  })
  async delete({ name }: DeleteSecretInput, { organizationId }: ToolCall): Promise<DeletedSecret> {
    if (await this.secrets.delete(organizationId, name)) return { deleted: name };
    throw new AppError(
      'not_found',
      `There is no secret "${name}". List secrets with list_secrets.`,
    );
  }
}

/** Removes the line end that copying from a terminal or a file adds. No key ends with a line end. */
function withoutLineEnd(secret: string): string {
  const text = secret.replace(/\r?\n$/, '');
  if (text !== '') return text;
  throw AppError.invalidField('secret', 'must have characters other than a line end');
}

/**
 * Returns the new content: the given fields, and the stored values of all other fields. If the kind changes, the stored
 * values of fields that belong only to the earlier kind are dropped.
 */
function contentOf(input: SetSecretInput, before: SecretContent | undefined): SecretContent {
  const kind = input.kind ?? before?.kind ?? 'value';
  const kept = before?.kind === kind ? before : undefined;
  const hosts = input.hosts?.map((host) => host.toLowerCase()) ?? before?.hosts;
  if (!hosts) throw missing('hosts');
  const { may } = FIELDS[kind];
  const fields = Object.fromEntries(
    ALL_FIELDS.map((field) => [field, input[field] ?? kept?.[field]] as const).filter(
      ([field, value]) => value !== undefined && !(value === '' && may.includes(field)),
    ),
  ) as Pick<SecretContent, Field>;
  const content = { kind, hosts, ...fields };
  assertFields(content, input.secret);
  return { ...content, secret: input.secret ?? keptSecret(before, content) };
}

function assertFields(content: Omit<SecretContent, 'secret'>, secret: string | undefined): void {
  const { needs, may } = FIELDS[content.kind];
  const wrong = content.hosts.findIndex((host) => !isHost(host));
  if (wrong >= 0) {
    const message = 'must be a host such as api.example.com, without https://, port and path';
    throw AppError.invalidField(`hosts[${wrong}]`, message);
  }
  for (const field of ALL_FIELDS) {
    // HTTP Basic may have an empty user name.
    const isGiven = content[field] !== undefined && (content[field] !== '' || field === 'username');
    if (needs.includes(field) && !isGiven) {
      throw AppError.invalidField(field, `is required for the kind ${content.kind}`);
    }
    if (isGiven && !needs.includes(field) && !may.includes(field)) {
      throw AppError.invalidField(field, `does not belong to the kind ${content.kind}`);
    }
  }
  if (content.kind !== 'value' && secret !== undefined && /[^\t -~]/.test(secret)) {
    throw AppError.invalidField('secret', 'must have printable ASCII characters only');
  }
}

/**
 * Returns the stored secret for a change without a new secret. Throws `invalid_arguments` when no secret is stored,
 * when the kind or the URL for tokens changes, and when a host is added: these fields decide who receives the secret.
 */
function keptSecret(
  before: SecretContent | undefined,
  content: Omit<SecretContent, 'secret'>,
): string {
  if (!before) throw missing('secret');
  const isSame =
    before.kind === content.kind &&
    before.token_url === content.token_url &&
    content.hosts.every((host) => before.hosts.includes(host));
  if (isSame) return before.secret;
  throw AppError.invalidField('secret', 'is required to change who receives it');
}

function missing(field: string): AppError {
  return AppError.invalidField(field, 'is required, because no secret with this name exists yet');
}
