import { afterAll, beforeAll, describe } from 'vitest';
import { noChromium, useBrowser } from '../../support/browser.ts';
import { testAttention } from './criteria/attention.ts';
import { testDoors } from './criteria/doors.ts';
import { testEveryPage } from './criteria/every-page.ts';
import { testFits } from './criteria/fits.ts';
import { testHostile } from './criteria/hostile.ts';
import { testPointer } from './criteria/pointer.ts';
import { testZone } from './criteria/zone.ts';
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
  describe('is drawn, and accessible', () => testEveryPage(browsing, shown));
  describe('fits the window', () => testFits(browsing, shown));
  describe('follows the pointer', () => testPointer(browsing, shown));
  describe('says what needs a person', () => testAttention(browsing, shown));
  describe('has one time zone', () => testZone(browsing, shown));
  describe('treats values of candidates as text', () => testHostile(browsing, shown));
  describe('is closed to others', () => testDoors(browsing, shown));
});
