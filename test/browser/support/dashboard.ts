import type { Provider } from '@nestjs/common';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from 'playwright-core';
import { createOrganization, type TestOrganization } from '../../support/organization.js';
import {
  type RunningSwitchboard,
  sharedSwitchboard,
  startSwitchboard,
} from '../../support/switchboard.js';
import { findChromium } from './chromium.js';

// This limit exists only to stop tests that hang.
const TIMEOUT_MS = 30_000;

/** Holds a Switchboard, a browser, and an organization with its owner. */
export interface Dashboard {
  readonly switchboard: RunningSwitchboard;
  readonly organization: TestOrganization;
  /** Opens a page in a fresh profile, signed in as the owner unless `isSignedIn` is false. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  isSignedIn?: boolean;
  /** The profile of a page that is already open. With it, the new page is a second tab of the same browser. */
  context?: BrowserContext | undefined;
}

export interface OpenPage {
  readonly page: Page;
  /** The faults of the page so far: violations of the Content Security Policy, and errors in the console. */
  readonly faults: string[];
}

/**
 * Starts a Switchboard with the built dashboard. A test file needs this function, and not {@link sharedDashboard}, when
 * it passes settings or tests the sign-in.
 */
export async function startDashboard(
  env: Record<string, string> = {},
  providers: Provider[] = [],
): Promise<Dashboard> {
  const switchboard = await startSwitchboard({ env, providers });
  try {
    return await openDashboard(switchboard, () => switchboard.close());
  } catch (error) {
    await switchboard.close();
    throw error;
  }
}

/**
 * Uses the Switchboard that the test files of this worker share. The comment of `sharedSwitchboard` says what the test
 * files must not do.
 */
export async function sharedDashboard(): Promise<Dashboard> {
  return await openDashboard(await sharedSwitchboard(), () => Promise.resolve());
}

async function openDashboard(
  switchboard: RunningSwitchboard,
  stop: () => Promise<void>,
): Promise<Dashboard> {
  const organization = await createOrganization(switchboard);
  const browser = await sharedBrowser();
  const contexts = new Set<BrowserContext>();
  const open = async (path: string, options: OpenOptions = {}): Promise<OpenPage> => {
    const { isSignedIn = true, context: given, ...rest } = options;
    const context = given ?? (await newContext(browser, switchboard, rest));
    contexts.add(context);
    if (isSignedIn && !given) await signIn(context, switchboard, organization);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const faults = watch(page);
    await page.goto(switchboard.url + path);
    return { page, faults };
  };
  const close = async (): Promise<void> => {
    for (const context of contexts) await context.close();
    await stop();
  };
  return { switchboard, organization, open, close };
}

let browser: Promise<Browser> | undefined;

/** Returns one browser for all test files of a worker. A start takes about a second of processor time. */
function sharedBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

/** Starts a Chromium, which ends with this process. Its temporary files are removed after all tests. */
async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath)
    throw new Error('Chromium was not found. Install it, or set CHROMIUM_PATH to its program.');
  // The sandbox of Chromium does not run as root. These tests open pages of Switchboard only.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  // Playwright and Chromium read TMPDIR, and remove none of their files when the worker ends.
  const { TMPDIR, TEST_SHARED_FOLDER } = process.env;
  process.env.TMPDIR = TEST_SHARED_FOLDER;
  try {
    return await chromium.launch({ executablePath, args });
  } finally {
    process.env.TMPDIR = TMPDIR;
  }
}

async function newContext(
  browser: Browser,
  { url }: RunningSwitchboard,
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
  { url }: RunningSwitchboard,
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
