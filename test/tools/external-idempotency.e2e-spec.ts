import { Injectable } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../src/errors/app-error.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

class CallOutInput {
  @IsString()
  number: string;

  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}

class CallOutOutput {
  @IsString()
  number: string;
}

/** An external tool whose calls wait until the test lets them continue. */
@Injectable()
class PhoneTools {
  readonly calls: { number: string; answer: (error?: Error) => void }[] = [];

  @Tool({
    name: 'call_out',
    title: 'Call',
    description: 'Calls a number.',
    output: CallOutOutput,
    external: true,
  })
  async callOut({ number }: CallOutInput): Promise<CallOutOutput> {
    await new Promise<void>((resolve, reject) => {
      this.calls.push({ number, answer: (error) => (error ? reject(error) : resolve()) });
    });
    return { number };
  }
}

let switchboard: Switchboard;
let acme: TestOrganization;
let phone: PhoneTools;
beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [PhoneTools] });
  acme = await createOrganization(switchboard);
  phone = switchboard.app.get(PhoneTools);
});
afterAll(() => switchboard.close());

const call = (number: string) => acme.call('call_out', { number, idempotency_key: number });
const callsOf = (number: string) => phone.calls.filter((made) => made.number === number);
const ringing = (number: string, times = 1) =>
  waitFor(() => (callsOf(number).length === times ? callsOf(number).at(-1) : undefined));

it('an external call with a key runs once, and a repetition returns the stored result', async () => {
  const first = call('1');
  (await ringing('1')).answer();
  expect((await first).value).toEqual({ number: '1' });
  expect((await call('1')).value).toEqual({ number: '1' });
  expect(callsOf('1')).toHaveLength(1);
});

it('an external call is refused while another call with the same key is running', async () => {
  const first = call('2');
  const { answer } = await ringing('2');
  expect((await call('2')).error).toMatchObject({ code: 'conflict' });
  answer();
  expect((await first).value).toEqual({ number: '2' });
  expect((await call('2')).value).toEqual({ number: '2' });
  expect(callsOf('2')).toHaveLength(1);
});

it('an external call can be repeated with its key after a failure', async () => {
  const first = call('3');
  (await ringing('3')).answer(new AppError('unavailable', 'Nobody answers.'));
  expect((await first).error).toMatchObject({ code: 'unavailable' });
  const second = call('3');
  (await ringing('3', 2)).answer();
  expect((await second).value).toEqual({ number: '3' });
});

it('an external call with a used key and other arguments is refused', async () => {
  const other = await acme.call('call_out', { number: 'other', idempotency_key: '1' });
  expect(other.error).toMatchObject({ code: 'idempotency_mismatch' });
});
