import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { MainActivities } from '../activities/index.ts';
import { writeFloorMemo } from './write-floor-memo.ts';
import { optionsOf } from './timeouts.ts';

/** Turns after which the workflow continues as new: about 1,300 events of history, an hour and a half. */
const TURNS = 100;

const MINUTE_MS = 60_000;

export interface InstallationInput {
  /** Pause between two turns, in ms; for tests. Default: a minute. */
  everyMs?: number;
  /** Turns after which it continues as new; for tests. */
  turns?: number;
}

/** Does what an installation needs once a minute, without an end. One of them runs, under a fixed id. */
export async function installation(input: InstallationInput = {}): Promise<void> {
  const { everyMs = MINUTE_MS, turns = TURNS } = input;
  writeFloorMemo();
  const { tend } = proxyActivities<MainActivities>({ ...optionsOf(1).tend, summary: 'messages' });
  for (let turn = 0; turn < turns && !workflowInfo().continueAsNewSuggested; turn += 1) {
    await tend();
    await sleep(everyMs);
  }
  await continueAsNew<typeof installation>(input);
}
