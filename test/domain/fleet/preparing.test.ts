import { expect, test } from 'vitest';
import { type JobWait, PREPARING, preparing } from '../../../domain/fleet/preparing.ts';

const isPreparing = (wait: JobWait): boolean => PREPARING.some((words) => wait.startsWith(words));

test('a wait for the preparation of a host is told from one for room by how its words begin', () => {
  expect(isPreparing(preparing('Python', 'box'))).toBe(true);
  expect(isPreparing(`${preparing('setup', 'box')}: fetching`)).toBe(true);
  expect(isPreparing('room on its host: disk: 0 MiB free')).toBe(false);
  // @ts-expect-error No job waits for anything else: such words might begin like a preparation's.
  expect(isPreparing('its turn')).toBe(false);
});
