import { expect, test, vi } from 'vitest';
import { refuseWhereFull } from '../../../../workflows/research/messages/people-signals.ts';

const info = vi.hoisted(() => ({ historyLength: 500, historySize: 35 * 2 ** 20 }));
vi.mock(import('@temporalio/workflow'), async (load) => ({ ...(await load()), workflowInfo: () => info as never }));

const letter = (megabytes: number) => ({ files: { 'knobs.env': 'x'.repeat(megabytes * 2 ** 20) } });

test('letters that would bring the history near its end are refused with a word on what to do', () => {
  expect(() => refuseWhereFull([letter(4)])).not.toThrow();
  expect(() => refuseWhereFull([letter(4), letter(2)])).toThrow(
    'too much came at once (2 of these are left out); send it again, a part at a time',
  );
});
