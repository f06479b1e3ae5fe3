import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryChannel, Handover } from '../../src/channels/channel-contract.js';
import { Channel } from '../../src/channels/channel.decorator.js';
import { createContact } from '../messaging/support.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';

/** A channel of a module. Every contact has an address for this channel. */
@Channel({ name: 'pager', title: 'Pager', address: 'pager', subject: 'optional' })
@Injectable()
class PagerChannel implements DeliveryChannel {
  addressOf(): string {
    return '1';
  }
  isAddress(): boolean {
    return true;
  }
  checkContent(): [] {
    return [];
  }
  handOver(): Promise<Handover> {
    return Promise.resolve({ outcome: 'sent' });
  }
}

describe('a channel of a module', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard({ SMTP_URL: 'smtp://127.0.0.1:9' }, [PagerChannel]);
  });
  afterAll(() => dashboard.close());

  it('can be chosen to send a message, and to filter messages', async () => {
    const { id } = await createContact(dashboard.organization);
    const { page, faults } = await dashboard.open(`/messages/new?contact=${id}`);
    await page.getByLabel('Channel').selectOption('Pager');
    await page.getByLabel('Subject').waitFor();
    await page.getByLabel('Text').fill('Call me.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(/\/messages\/msg_/);
    await page.getByRole('definition').filter({ hasText: 'Pager' }).waitFor();
    await page.getByRole('link', { name: 'All messages' }).click();
    await page.getByRole('row', { name: /^Call me\. .*Pager/ }).waitFor();
    await page.getByLabel('Channel').selectOption('Pager');
    await page.waitForURL('**/messages?channel=pager');
    await page.getByRole('row', { name: /^Call me\./ }).waitFor();
    await page.getByLabel('Channel').selectOption('E-mail');
    await page.getByRole('heading', { name: 'No message matches' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('is ready without a provider, like e-mail with a mail server', async () => {
    const { page, faults } = await dashboard.open('/settings/channels');
    await page.getByRole('row', { name: 'Pager pager Ready' }).waitFor();
    await page.getByRole('row', { name: 'E-mail email Ready' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('can have quiet hours and caps', async () => {
    const { page, faults } = await dashboard.open('/settings/sending');
    await page.getByLabel('Hold messages in quiet hours').check();
    await page.getByLabel('Pager').check();
    await page.getByRole('button', { name: 'Add a cap' }).click();
    await page.getByLabel('Channel', { exact: true }).selectOption('Pager');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rules were saved.').waitFor();
    await page.reload();
    expect(await page.getByLabel('Pager').isChecked()).toBe(true);
    expect(await page.getByLabel('Channel', { exact: true }).inputValue()).toBe('pager');
    expect(faults).toEqual([]);
  });
});
