import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Browsing, Watched } from '../../../support/browser.ts';
import type { Shown } from './shown.ts';

/** A tab of the dashboard. */
export interface View extends Watched {
  page: Page;
  /** Goes to a place, such as `r/demo/trials`, and waits until it is drawn. */
  goTo: (place: string) => Promise<void>;
  /** Waits until all requests are answered and drawn. */
  settled: () => Promise<void>;
  /** Paths of requests since the tab was opened, below the secret path. */
  requestPaths: string[];
}

const STREAM = 'api/v1/stream';
/** True if a part of the page still says that it reads. */
const READS_AFTER_A_FRAME = `new Promise((tell) => requestAnimationFrame(() => setTimeout(() =>
  tell([...document.querySelectorAll('.empty')].some((element) => /^Reading /.test(element.textContent))))))`;

/** Texts in the place of parts that could not be drawn. */
const UNDRAWN =
  /There is no such|failed to answer|does not answer|the dashboard answered|failed to draw|Expected|^Reading /;

/** Texts of parts of the page that could not be drawn; empty if all parts are drawn. */
export const undrawn = async ({ page }: Pick<View, 'page'>): Promise<string[]> =>
  (await page.locator('.empty').allInnerTexts()).filter((text) => UNDRAWN.test(text));

/** Address and secret of a dashboard. */
export type Site = Pick<Shown, 'origin' | 'secret' | 'base'>;

/** Opens a tab of a browser that has the cookie. */
export async function openView(browsing: Browsing, shown: Site, options?: BrowserContextOptions): Promise<View> {
  const watched = await browsing.open(shown.origin, options);
  await letIn(watched, shown);
  return followed(watched, shown);
}

/** Gives a browser the cookie. */
export const letIn = ({ context }: Watched, { secret }: Pick<Shown, 'secret'>): Promise<void> =>
  context.addCookies([
    {
      name: 'perpetua',
      value: secret.token,
      domain: '127.0.0.1',
      path: `/${secret.path}/`,
      httpOnly: true,
      sameSite: 'Strict' as const,
    },
  ]);

export function followed(watched: Watched, { base }: Pick<Shown, 'base'>): View {
  const { page } = watched;
  const requestPaths: string[] = [];
  const pending = new Set<string>();
  page.on('request', (request) => {
    const path = request.url().startsWith(base) ? request.url().slice(base.length) : request.url();
    requestPaths.push(path);
    if (path !== STREAM) pending.add(request.url());
  });
  page.on('requestfinished', (request) => void pending.delete(request.url()));
  page.on('requestfailed', (request) => void pending.delete(request.url()));

  const settled = async (): Promise<void> => {
    // For two frames, no request is pending and no part of the page says that it reads.
    for (let quiet = 0; quiet < 2; quiet += 1) {
      const reads = await page.evaluate(READS_AFTER_A_FRAME);
      if (pending.size > 0 || reads) quiet = -1;
    }
  };
  const goTo = async (place: string): Promise<void> => {
    if (page.url().startsWith(base)) await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
    else await page.goto(`${base}#/${place}`);
    await page.locator('main h1, main .empty').first().waitFor();
    await settled();
  };
  return { ...watched, goTo, settled, requestPaths };
}
