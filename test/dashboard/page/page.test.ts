import { afterAll, beforeAll, describe } from 'vitest';
import { noChromium, useBrowser } from '../../support/browser.ts';
import { testDoors } from './criteria/doors.ts';
import { testEveryPage } from './criteria/every-page.ts';
import { testHostile } from './criteria/hostile.ts';
import { startShown, type Shown } from './support/shown.ts';

// One file for all that needs a browser on a seeded database: each of the two costs more than most tests.
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
  describe('is drawn for all', () => testEveryPage(browsing, shown));
  describe('takes a candidate for text', () => testHostile(browsing, shown));
  describe('has doors', () => testDoors(browsing, shown));
});
