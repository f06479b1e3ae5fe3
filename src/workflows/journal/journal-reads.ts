import { arrayOfUnknownSize, prepared } from '../../database/driver/statement.js';
import { ENTRY_BYTES } from './journal-size.js';

/**
 * The remaining time of a wait by the database clock, or 0 when the event of the wait has come. Clocks of processes may
 * be wrong, but they measure durations well.
 */
const LEFT = `case when status = 'waiting' and exists (
    select from run_waits w where w.organization_id = $1 and w.run_id = $2 and w.step_id = s.step_id
      and w.state = 'delivered') then 0
  else extract(epoch from wake_at - clock_timestamp())::float8 * 1000 end`;
/** The members of an entry. JSON is read as text, so that its memory can be estimated before it is parsed. */
const MEMBERS = `step_id as "stepId", position, tool, status, attempts, input::text, output::text, error::text,
  progress::text, failed_attempts::text as "failedAttempts", wake_at as "wakeAt",
  ${LEFT} as "left"`;
const VALUES = ['input', 'output', 'error', 'progress', 'failed_attempts'];
const PLACE_BYTES = `${ENTRY_BYTES} + octet_length(step_id) + coalesce(octet_length(tool), 0)`;
/**
 * The number of bytes of the texts in a row. PostgreSQL must decompress the stored values to compute this number. The
 * sizes in the column `cut` are not used, because SQL of a tool can write any value there.
 */
const TEXT_BYTES = [
  PLACE_BYTES,
  ...VALUES.map((name) => `coalesce(octet_length(${name}::text), 0)`),
].join(' + ');
/** The number of bytes of the stored values in a row. PostgreSQL computes this number without reading large values. */
const STORED_BYTES = [
  PLACE_BYTES,
  ...VALUES.map((name) => `coalesce(pg_column_size(${name}), 0)`),
].join(' + ');
export const READ_SMALL = prepared(
  'run_journal_read_small',
  `select ${MEMBERS} from (
    select *, sum(bytes) over () as "allBytes" from (
      select *, ${TEXT_BYTES} as bytes from (
        select *, sum(${STORED_BYTES}) over () as "allStored" from run_steps
        where organization_id = $1 and run_id = $2) stored
      where "allStored" <= $3) sized) s
  where "allBytes" <= $3 order by position, step_id`,
);
/**
 * The entries after a place. `storedBefore` is the number of stored bytes of the entries between the place and this
 * entry.
 */
const STORED_AFTER = `select *, count(*) over ()::integer as "leftCount",
    sum(${STORED_BYTES}) over (order by position, step_id) - (${STORED_BYTES}) as "storedBefore"
  from run_steps where organization_id = $1 and run_id = $2 and (position, step_id) > ($3, $4)`;
// A part of the journal has texts of about $5 bytes. PostgreSQL decompresses only as many entries as have about $5 / 4
// bytes of stored values. Texts are often longer than stored values. So the part may have fewer entries than were
// decompressed. Without `offset 0`, PostgreSQL would decompress each value twice.
export const READ = prepared(
  'run_journal_read',
  `with counted as (
    select *, sum(bytes) over (order by position, step_id) - bytes as "bytesBefore" from (
      select *, ${TEXT_BYTES} as bytes from (${STORED_AFTER}) stored where "storedBefore" < greatest($5 / 4, 1) offset 0) sized
  )
  select ${MEMBERS}, "leftCount" from counted s where "bytesBefore" < $5 order by position, step_id`,
);
export const ESTIMATE = prepared(
  'run_journal_estimate',
  `select coalesce(sum(${STORED_BYTES}), 0)::float8 as bytes from run_steps where organization_id = $1 and run_id = $2`,
);
export const READ_STEPS = prepared(
  'run_journal_read_steps',
  `select ${MEMBERS} from run_steps s
  where organization_id = $1 and run_id = $2 and step_id = any (${arrayOfUnknownSize('$3::text[]')})
  order by position, step_id`,
);
