import { afterAll, beforeAll, describe } from 'vitest';
import { noChromium, useBrowser } from '../../support/browser.ts';
import { testHidden } from './criteria/hidden.ts';
import { testLive } from './criteria/live.ts';
import { startShown, type Shown } from './support/shown.ts';

// One file for all tests with a browser on a seeded database: starting these two costs more than most tests.
describe.skipIf(noChromium !== undefined)(`the page in a browser ${noChromium ?? ''}`, () => {
  const browsing = useBrowser();
  let started: Shown | undefined;
  beforeAll(async () => {
    started = await startShown();
  });
  afterAll(() => started?.stop());
  const shown = (): Shown => {
    if (!started) throw new Error('expected a dashboard that was started');
    return started;
  };
  describe('rests while it is hidden', () => testHidden(browsing, shown));
  describe('is live', () => testLive(browsing, shown));
});
