import type { MigrationInterface, QueryRunner } from 'typeorm';

const WAKES = `select w.taken_over into taken_over from private.wake_runs(20) w;`;
const WAKES_SELDOM = `if coalesce((share ->> 'wake')::boolean, true) then
            ${WAKES}
          end if;`;

/**
 * A claim looks for runs whose wait is over, or whose worker has died, only if its share does not say `wake: false`:
 * that takes longer than the claim itself, and a busy worker claims hundreds of times a second.
 */
export class SeldomWakes1763700060000 implements MigrationInterface {
  readonly name = 'SeldomWakes1763700060000';

  async up(runner: QueryRunner): Promise<void> {
    await change(runner, WAKES, WAKES_SELDOM);
  }

  async down(runner: QueryRunner): Promise<void> {
    await change(runner, WAKES_SELDOM, WAKES);
  }
}

async function change(runner: QueryRunner, from: string, to: string): Promise<void> {
  const [found] = (await runner.query(
    `select pg_get_functiondef('gate.claim_runs(integer, text, integer, jsonb)'::regprocedure) as text`,
  )) as { text: string }[];
  const { text } = found!;
  if (!text.includes(from)) throw new Error('gate.claim_runs is not as this migration knows it.');
  await runner.query(text.replace(from, () => to));
}
