import { expect, test } from 'vitest';
import type { Browsing } from '../../../support/browser.ts';
import { endTrial } from '../../../../bench/dashboard/end-trial.ts';
import type { Shown } from '../support/shown.ts';
import { openView } from '../support/view.ts';
import { untilCurrent } from './live.ts';

const MINUTES = 10;
const hide = (hidden: boolean): string => `
  Object.defineProperty(document, 'hidden', { get: () => ${hidden}, configurable: true });
  Object.defineProperty(document, 'visibilityState', {
    get: () => '${hidden ? 'hidden' : 'visible'}',
    configurable: true,
  });
  document.dispatchEvent(new Event('visibilitychange'));`;

export function testHidden(browsing: Browsing, shown: () => Shown): void {
  // The last two pages poll by themselves while they are visible.
  test.each(['r/demo', 'r/demo/trials', 'r/demo/trials/308', 'fleet'])(
    'a tab with #/%s that is hidden for ten minutes makes at most one request a minute, and is current after',
    async (place) => {
      const view = await openView(browsing, shown());
      await view.page.clock.install();
      await view.goTo(place);
      await view.page.evaluate(hide(true));
      await view.settled();
      view.requestPaths.length = 0;
      await view.page.clock.runFor(MINUTES * 60_000);
      await view.settled();
      expect(view.requestPaths.length).toBeLessThanOrEqual(MINUTES);
      if (place !== 'r/demo') return;
      await endTrial(shown().db, 'demo');
      await view.page.evaluate(hide(false));
      await untilCurrent(view.page, shown());
    },
  );
}
