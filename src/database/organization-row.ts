import { PrimaryColumn } from 'typeorm';

/** Adds the organization, which is the first column of the primary key of each row. */
export abstract class OrganizationRow {
  @PrimaryColumn('text')
  organizationId: string;
}

export abstract class OrganizationRowWithId extends OrganizationRow {
  @PrimaryColumn('text')
  id: string;
}
