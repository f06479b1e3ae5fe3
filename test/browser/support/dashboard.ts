import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from 'playwright-core';
import { createOrganization, type TestOrganization } from '../../support/organization.js';
import { startSwitchboard, type Switchboard } from '../../support/switchboard.js';
import { findChromium } from './chromium.js';

// This limit only ends tests that hang.
const TIMEOUT_MS = 30_000;

/** Holds a Switchboard, a browser, and an organization with its owner. */
export interface Dashboard {
  readonly switchboard: Switchboard;
  readonly organization: TestOrganization;
  /** Opens a page in a fresh profile, signed in as the owner unless `isSignedIn` is false. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  isSignedIn?: boolean;
  /** The profile of another open page, for a second tab. */
  context?: BrowserContext | undefined;
}

export interface OpenPage {
  readonly page: Page;
  /** The faults of the page so far: violations of the Content Security Policy, and errors in the console. */
  readonly faults: string[];
}

/** Starts a Switchboard with the built dashboard, and a browser. */
export async function startDashboard(env: Record<string, string> = {}): Promise<Dashboard> {
  const switchboard = await startSwitchboard({ env });
  let browser: Browser | undefined;
  try {
    const organization = await createOrganization(switchboard);
    browser = await launch();
    const { open, end } = opener(browser, switchboard, organization);
    const close = async (): Promise<void> => {
      await end();
      await switchboard.close();
    };
    return { switchboard, organization, open, close };
  } catch (error) {
    await browser?.close();
    await switchboard.close();
    throw error;
  }
}

function opener(browser: Browser, switchboard: Switchboard, organization: TestOrganization) {
  const open = async (path: string, options: OpenOptions = {}): Promise<OpenPage> => {
    const { isSignedIn = true, context: shared, ...rest } = options;
    const context = shared ?? (await newContext(browser, switchboard, rest));
    if (isSignedIn && !shared) await signIn(context, switchboard, organization);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const faults = watch(page);
    await page.goto(switchboard.url + path);
    return { page, faults };
  };
  return { open, end: () => browser.close() };
}

/**
 * Starts a Chromium. When it is closed, its temporary files are removed, because Chromium does not remove all of them.
 */
async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath)
    throw new Error('Chromium was not found. Install it, or set CHROMIUM_PATH to its program.');
  // The sandbox of Chromium does not run as root. These tests open pages of Switchboard only.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-chromium-'));
  const env = { ...process.env, TMPDIR: folder } as Record<string, string>;
  const browser = await chromium.launch({ executablePath, args, env });
  browser.once('disconnected', () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  );
  return browser;
}

async function newContext(
  browser: Browser,
  { url }: Switchboard,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...options,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  return context;
}

/** Gives a profile the session of the owner. */
async function signIn(
  context: BrowserContext,
  { url }: Switchboard,
  { cookie }: TestOrganization,
): Promise<void> {
  const [name = '', ...value] = cookie.split('=');
  await context.addCookies([{ name, value: value.join('='), url }]);
}

/**
 * Collects violations of the Content Security Policy, and errors in the console. The answer of a failed request is not
 * a fault of the page.
 */
function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(text)) faults.push(text);
    else if (message.type() === 'error' && !text.startsWith('Failed to load resource')) {
      faults.push(`console: ${text}`);
    }
  });
  return faults;
}
