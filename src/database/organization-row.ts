import { PrimaryColumn } from 'typeorm';

/** Each row of an organization has this as the first column of its primary key. */
export abstract class OrganizationRow {
  @PrimaryColumn('text')
  organizationId: string;
}

export abstract class OrganizationRowWithId extends OrganizationRow {
  @PrimaryColumn('text')
  id: string;
}
