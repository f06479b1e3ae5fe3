import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

abstract class PartOfImport extends OrganizationRow {
  @PrimaryColumn('text')
  importId: string;
}

/** Stores whole rows of an uploaded file. */
@Entity('import_chunks')
export class ImportChunk extends PartOfImport {
  @PrimaryColumn('integer')
  position: number;

  @Column('integer')
  firstRow: number;

  @Column('bytea')
  bytes: Buffer;
}

/** Stores the hash of an identifier in a row of the file, so that later rows with the same identifier are found. */
@Entity('import_keys')
export class ImportKey extends PartOfImport {
  @PrimaryColumn('integer')
  generation: number;

  @PrimaryColumn('uuid')
  key: string;

  @Column('integer')
  row: number;
}

/** Stores a row that was not imported. */
@Entity('import_faults')
export class ImportFault extends PartOfImport {
  @PrimaryColumn('integer')
  generation: number;

  @PrimaryColumn('integer')
  row: number;

  /** The texts of the cells, as a JSON list. */
  @Column('text')
  cells: string;

  @Column('text')
  reasons: string;
}
