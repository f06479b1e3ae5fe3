import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { SecretBox } from '../database/secret-box.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import type { SecretContent } from './secret-content.js';
import type { SecretRow } from './secret.entity.js';
import { SecretsRepository } from './secrets.repository.js';

const MOST_SECRETS = 200;

/** A secret with the facts about it. */
export interface StoredSecret {
  readonly name: string;
  readonly content: SecretContent;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string | null;
}

/** Stores the secrets of organizations, encrypted. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly secrets: SecretsRepository,
    private readonly tenants: TenantDatabase,
    private readonly box: SecretBox,
  ) {}

  /**
   * Returns all secrets in the order of their names. With `names`, returns only the secrets with these names, if they
   * exist.
   */
  async list(organizationId: string, names?: readonly string[]): Promise<StoredSecret[]> {
    return await this.tenants.transaction(
      organizationId,
      async () => (await this.secrets.list(organizationId, names)).map((row) => this.opened(row)),
      { readOnly: true },
    );
  }

  /** Returns the names of all secrets. Returning the names decrypts nothing. */
  async names(organizationId: string): Promise<string[]> {
    return await this.tenants.transaction(
      organizationId,
      async () => (await this.secrets.list(organizationId)).map(({ name }) => name),
      { readOnly: true },
    );
  }

  /**
   * Creates or replaces a secret. `contentFrom` gets the stored content. No other call changes it meanwhile. Runs use
   * the new secret from their next request on.
   */
  async set(
    organizationId: string,
    name: string,
    contentFrom: (before: SecretContent | undefined) => SecretContent,
    updatedBy: string | null,
  ): Promise<StoredSecret> {
    return await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      const rows = await this.secrets.list(organizationId);
      const before = rows.find((row) => row.name === name);
      const stored = before && this.opened(before);
      const content = contentFrom(stored?.content);
      // A repeated call changes nothing.
      if (stored && isDeepStrictEqual(stored.content, content)) return stored;
      if (!before && rows.length >= MOST_SECRETS) {
        throw new AppError(
          'conflict',
          `An organization has at most ${MOST_SECRETS} secrets. Delete one first.`,
        );
      }
      const sealed = this.box.seal(JSON.stringify(content), sealContext(organizationId, name));
      return this.opened(await this.secrets.save(organizationId, { name, sealed, updatedBy }));
    });
  }

  /** Deletes a secret. Returns false when there is no such secret. */
  async delete(organizationId: string, name: string): Promise<boolean> {
    return await this.tenants.transaction(organizationId, () =>
      this.secrets.delete(organizationId, name),
    );
  }

  private opened({ organizationId, name, sealed, ...rest }: SecretRow): StoredSecret {
    const content = JSON.parse(
      this.box.open(sealed, sealContext(organizationId, name)),
    ) as SecretContent;
    return { ...rest, name, content };
  }
}

function sealContext(organizationId: string, name: string): string {
  return `secret ${organizationId} ${name}`;
}
