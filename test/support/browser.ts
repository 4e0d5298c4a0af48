import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { launchChromium } from '../../bench/dashboard/chromium.ts';

export { noChromium } from '../../bench/dashboard/chromium.ts';

/** A page in a profile of its own, and its faults. */
export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Console errors, uncaught errors, refusals of the content security policy, dialogs, requests to other origins. */
  faults: string[];
  /** Ignores faults with these words, which the test itself causes. */
  forgive: (words: RegExp) => void;
}

export interface Browsing {
  /** Opens a page that may request only this origin. */
  open: (origin: string, options?: BrowserContextOptions) => Promise<Watched>;
}

/**
 * One Chromium for a test file, started by the first test that opens a page. A test with a fault on one of its pages
 * fails.
 */
export function useBrowser(): Browsing {
  let launched: Promise<Browser> | undefined;
  let opened: Watched[] = [];
  afterEach(async () => {
    const watched = opened;
    opened = [];
    await Promise.all(watched.map(({ context }) => context.close()));
    expect(watched.flatMap(({ faults }) => faults)).toEqual([]);
  });
  afterAll(async () => (await launched)?.close());
  return {
    open: async (origin, options) => {
      launched ??= launchChromium();
      const context = await (await launched).newContext({ viewport: { width: 1440, height: 900 }, ...options });
      const watched = await watch(context, new URL(origin).origin);
      opened.push(watched);
      return watched;
    },
  };
}

async function watch(context: BrowserContext, origin: string): Promise<Watched> {
  const [faults, forgiven]: [string[], RegExp[]] = [[], []];
  const note = (fault: string): void => void (forgiven.some((words) => words.test(fault)) || faults.push(fault));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:', 'about:'].includes(url.protocol)) note(`request to ${url.href}`);
  });
  context.on('weberror', (error) => note(`not caught: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('dialog', (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await context.addInitScript(TELL_REFUSED);
  const forgive = (words: RegExp): void => {
    forgiven.push(words);
    const kept = faults.filter((fault) => !words.test(fault));
    faults.splice(0, faults.length, ...kept);
  };
  return { page: await context.newPage(), context, faults, forgive };
}

/** Writes refusals to the console, where some do not appear. */
const TELL_REFUSED = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('refused by the content security policy: ' + event.violatedDirective + ' ' + event.blockedURI));`;
