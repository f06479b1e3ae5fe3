import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';

type EntityClass<E> = new () => E;
type ColumnMetadata = EntityMetadata['columns'][number];

/** By what is done and the properties that are given. */
const textsOf = new WeakMap<EntityMetadata, Map<string, string>>();

/**
 * As `findOneBy` of TypeORM for plain values, which are no `null`. That one puts the statement together anew each time,
 * and takes several times as long for it as the database for the answer: this is for what every call and every run does.
 */
export async function findOne<E extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<E>,
  where: Partial<E>,
): Promise<E | null> {
  const metadata = manager.connection.getMetadata(entity);
  const given = Object.keys(where);
  const text = textOf(metadata, `find ${given.join(' ')}`, () => {
    const conditions = columnsOf(metadata, given).map(
      ({ databaseName }, index) => `${quoted(databaseName)} = $${index + 1}`,
    );
    return `select ${listOf(metadata.columns)} from ${quoted(metadata.tableName)} where ${conditions.join(' and ')}`;
  });
  const [row] = await manager.query<ObjectLiteral[]>(text, Object.values(where));
  return row ? assign(manager, new entity(), metadata.columns, row) : null;
}

function textOf(metadata: EntityMetadata, key: string, make: () => string): string {
  const texts = textsOf.get(metadata) ?? new Map<string, string>();
  textsOf.set(metadata, texts);
  const text = texts.get(key) ?? make();
  texts.set(key, text);
  return text;
}

function columnsOf(metadata: EntityMetadata, properties: readonly string[]): ColumnMetadata[] {
  return properties.map((property) => {
    const column = metadata.findColumnWithPropertyName(property);
    if (!column) throw new Error(`${metadata.name} has no column for ${property}.`);
    return column;
  });
}

function assign<E extends ObjectLiteral>(
  manager: EntityManager,
  entity: E,
  columns: readonly ColumnMetadata[],
  row: ObjectLiteral,
): E {
  const { driver } = manager.connection;
  const properties: ObjectLiteral = entity;
  for (const column of columns) {
    properties[column.propertyName] = driver.prepareHydratedValue(row[column.databaseName], column);
  }
  return entity;
}

function listOf(columns: readonly ColumnMetadata[]): string {
  return columns.map(({ databaseName }) => quoted(databaseName)).join(', ');
}

/** A name from the definition of an entity, never from outside. */
function quoted(name: string): string {
  return `"${name}"`;
}
