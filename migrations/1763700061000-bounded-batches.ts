import type { MigrationInterface, QueryRunner } from 'typeorm';

const FUNCTIONS = [
  'gate.claim_messages(integer, text, integer)',
  'gate.purge(text, text, integer, integer, integer)',
  'gate.purge_idempotency_keys(integer, integer)',
];

/**
 * Batches that are no larger than was asked for, whatever the plan. A sub-select with a limit that skips locked rows may
 * be carried out once for each row that is joined with it, and each time finds others; a materialized one is carried out
 * once.
 */
export class BoundedBatches1763700061000 implements MigrationInterface {
  readonly name = 'BoundedBatches1763700061000';

  async up(runner: QueryRunner): Promise<void> {
    await rewrite(runner, (text) =>
      text
        .replace(
          /(update public\.messages m set [^(]*?)from \((\s*select[^]*?)\) due/g,
          'with due as materialized ($2) $1from due',
        )
        .replace(
          /(delete from public\.\w+ \w )using \((\s*select[^]*?)\) old/g,
          'with old as materialized ($2) $1using old',
        ),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewrite(runner, (text) =>
      text
        .replace(
          /with due as materialized \((\s*select[^]*?)\) (update public\.messages m set [^(]*?)from due/g,
          '$2from ($1) due',
        )
        .replace(
          /with old as materialized \((\s*select[^]*?)\) (delete from public\.\w+ \w )using old/g,
          '$2using ($1) old',
        ),
    );
  }
}

async function rewrite(runner: QueryRunner, change: (text: string) => string): Promise<void> {
  for (const name of FUNCTIONS) {
    const [found] = (await runner.query(`select pg_get_functiondef($1::regprocedure) as text`, [
      name,
    ])) as { text: string }[];
    const changed = change(found!.text);
    if (changed === found!.text) throw new Error(`${name} is not as this migration knows it.`);
    await runner.query(changed);
  }
}
