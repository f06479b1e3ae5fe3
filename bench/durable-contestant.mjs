// Runs one contestant of the contests about webhooks and runs: its processes, its database and its measurements.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, makeDatabase } from './databases.mjs';
import { runToEnd, start, treeCpuSeconds } from './processes.mjs';
import { percentiles } from './statistics.mjs';
import { CONTACTS, contactOf, messageOf, webhookOf } from './webhooks.mjs';

const CONNECTIONS = 16;
const LOOK_EVERY_MS = 25;
/** When this number of runs is unfinished, no more webhooks are sent until some of the runs have ended. */
const MOST_UNFINISHED = 2000;
const PATIENCE_MS = 60_000;

export class DurableContestant {
  /** The number of the next webhook. Each webhook has a different number. */
  #order = 1;

  constructor(given, place, client, processes) {
    Object.assign(this, given);
    this.place = place;
    this.client = client;
    this.processes = processes;
    this.url = processes[0].url;
  }

  /** Starts a contestant on a separate database. `mode` is `accept`, which only stores webhooks, or `run`. */
  static async start(name, given, mode, place) {
    const url = await makeDatabase(place.databaseUrl, `bench_${name.replaceAll('-', '_')}`);
    const client = await connect(url);
    const processes = [];
    try {
      if (given.tables) await fillTables(client, given.tables);
      const env = {
        DATABASE_URL: url,
        SIGN_UP: 'open',
        NEW_ORGANIZATION_MESSAGES: '100000000',
        NEW_ORGANIZATION_CONTACTS: '100000000',
        NEW_ORGANIZATION_RUNS: '100000000',
        NEW_ORGANIZATION_STORED_MB: '1000000',
        // Without REDIS_URL, the wake-ups of Switchboard go through PostgreSQL.
        ...(given.needsRedis && { REDIS_URL: place.redis.url }),
        LOG_LEVEL: 'warn',
        RATE_LIMIT_PER_MINUTE: '100000000',
      };
      const script = `contestants/durable/${given.script ?? name}.mjs`;
      const launch = async () => {
        for (const role of given.processes ?? [{}]) {
          processes.push(await start(script, [mode], { ...env, ...role }));
        }
      };
      await launch();
      const known = { name, databaseUrl: url, launch, ...given };
      return new DurableContestant(known, place, client, processes);
    } catch (error) {
      await end(client, processes);
      throw error;
    }
  }

  /** Starts new processes on the same database. The rows stay, and the statistics are up to date. */
  async restart() {
    await Promise.all(this.processes.splice(0).map((process) => process.stop()));
    await this.client.query('analyze');
    await this.launch();
    this.url = this.processes[0].url;
  }

  /** Throws unless a wrong signature is rejected. A contestant that checks no signatures would do less work. */
  async assertRefuses() {
    const { headers, body } = webhookOf(0);
    const forged = { ...headers, 'x-webhook-signature': '0'.repeat(64) };
    const { status } = await fetch(this.url, { method: 'POST', headers: forged, body });
    if (status !== 401) throw this.#wrong(`status ${status} for a wrong signature`);
  }

  /** Sends webhooks as fast as responses arrive. Each must be stored once. */
  async accept(amount) {
    await this.#clear();
    const { spent, result } = await this.#send({ amount, connections: CONNECTIONS });
    const stored = await this.#stored();
    if (stored !== amount) throw this.#wrong(`${stored} of ${amount} webhooks are stored`);
    const { seconds, p50, p99 } = result;
    return { perSecond: amount / seconds, p50, p99, ...spent() };
  }

  /** Sends webhooks as fast as responses arrive. Measures from the first request until the last run has succeeded. */
  async run(amount) {
    await this.#clear();
    const { first, spent, result } = await this.#send({ amount, connections: CONNECTIONS });
    await this.#waitFor(amount);
    const cpu = spent();
    await this.#assertMessages(first, amount);
    const ended = Math.max(...(await this.#ends()).values());
    return { perSecond: (amount * 1000) / (ended - result.began), ...cpu };
  }

  /** Sends webhooks at a fixed rate. Returns the milliseconds from each response until its run succeeded. */
  async pace(amount, perSecond) {
    await this.#clear();
    const { first, spent, result } = await this.#send({ amount, perSecond });
    await this.#waitFor(amount);
    const cpu = spent();
    await this.#assertMessages(first, amount);
    const ends = await this.#ends();
    const latencies = result.answers.map(([id, at]) => Math.max(0, ends.get(id) - at));
    return { perSecond, ...percentiles(latencies), ...cpu };
  }

  /** Sends webhooks for some seconds, as fast as their runs are executed. Returns the end time of each run. */
  async sustain(seconds) {
    const { first, spent, result } = await this.#send({
      script: 'load-runs.mjs',
      seconds,
      connections: CONNECTIONS,
      mostUnfinished: MOST_UNFINISHED,
      databaseUrl: this.databaseUrl,
    });
    const { began, amount } = result;
    this.#order = first + amount;
    // The rows of earlier measurements stay in the database.
    const all = this.#order - 1;
    await this.#waitFor(all);
    const cpu = spent(amount);
    await this.#assertMessages(1, all);
    return { began, ends: [...(await this.#ends()).values()], ...cpu };
  }

  async stop() {
    await end(this.client, this.processes);
  }

  /** Sends new webhooks. `spent` returns the processor time since the first of them, in microseconds per webhook. */
  async #send({ script = 'load-webhooks.mjs', amount, ...how }) {
    const first = this.#order;
    this.#order += amount ?? 0;
    const cpuOf = () => this.processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds(), 0);
    const before = [cpuOf(), treeCpuSeconds(this.place.postgresPid)];
    const result = await runToEnd(script, { url: this.url, first, amount, ...how });
    if (result.wrong) throw this.#wrong(`${result.wrong} webhooks were not accepted`);
    const spent = (count = amount) => ({
      cpuMicroseconds: ((cpuOf() - before[0]) * 1e6) / count,
      postgresMicroseconds: ((treeCpuSeconds(this.place.postgresPid) - before[1]) * 1e6) / count,
    });
    return { first, spent, result };
  }

  async #waitFor(amount) {
    const patience = Date.now() + PATIENCE_MS;
    for (;;) {
      const { done, failed } = (await this.client.query(this.done)).rows[0];
      if (Number(failed) > 0) throw this.#wrong(`${failed} runs failed`);
      if (Number(done) >= amount) return;
      if (Date.now() > patience) throw this.#wrong(`${done} of ${amount} runs succeeded`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Returns the end time of each run as the contestant recorded it. */
  async #ends() {
    const { rows } = await this.client.query(this.ends);
    return new Map(rows.map(({ id, at }) => [id, at.getTime()]));
  }

  /** Throws unless every run stored its message to the right contact exactly once. */
  async #assertMessages(first, amount) {
    const { rows } = await this.client.query(this.messages);
    const found = rows.map(({ recipient, subject, body }) => `${recipient} ${subject} ${body}`);
    const wanted = Array.from({ length: amount }, (_, index) => {
      const order = first + index;
      const { email, firstName } = contactOf(order % CONTACTS);
      const { subject, body } = messageOf(firstName, order);
      return `${email} ${subject} ${body}`;
    });
    const runs = new Set(rows.map((row) => row.run_id)).size;
    if (runs !== amount || found.sort().join('\n') !== wanted.sort().join('\n')) {
      throw this.#wrong(
        `${amount} runs stored ${found.length} messages, and some are missing or wrong`,
      );
    }
  }

  async #stored() {
    if (this.needsRedis) return await this.place.redis.client.llen('bull:accept:wait');
    return Number((await this.client.query(this.stored)).rows[0].count);
  }

  /** Deletes the rows of the last measurement, so that they do not slow down the next one. */
  async #clear() {
    await this.client.query(this.clear);
    if (this.needsRedis) await this.place.redis.client.del('bull:accept:wait');
  }

  #wrong(what) {
    return new Error(`${this.title}: ${what}.`);
  }
}

async function fillTables(client, tables) {
  await client.query(tables);
  for (let number = 0; number < CONTACTS; number += 1) {
    const { email, firstName } = contactOf(number);
    await client.query('insert into contacts values ($1, $2, $3)', [`${number}`, email, firstName]);
  }
}

async function end(client, processes) {
  await client.end();
  await Promise.all(processes.map((process) => process.stop()));
}
