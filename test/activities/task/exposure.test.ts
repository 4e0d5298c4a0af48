import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { exposureOf } from '../../../activities/task/sandbox-of.ts';
import { TASK } from '../../cli/support/lineage.ts';

test('a pool whose protections cannot be found out says nothing of them, and that is logged', async () => {
  const logged: [string, unknown][] = [];
  const note = (message: string, fields?: unknown): void => void logged.push([message, fields]);
  const silent = (): void => undefined;
  const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: note, error: silent };
  const pools = { protections: () => Promise.reject(new Error('no such pool')) };
  const found = await new MockActivityEnvironment(undefined, { logger }).run(() =>
    exposureOf({ pools }, TASK, 'preferred'),
  );
  expect(found).toEqual({ exposure: null, alert: null });
  expect(logged).toMatchObject([
    ['what its runs could do is not known', { task: 'toy', error: 'Error: no such pool' }],
  ]);
});
