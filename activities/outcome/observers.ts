import type { OutcomeObserver } from './observer.ts';
import { markUpdateDue } from './observers/mark-update-due.ts';
import { keepTree } from './observers/keep-tree.ts';
import { storeObservation } from './observers/store-observation.ts';
import { creditArm } from './observers/credit-arm.ts';
import { rewardOutcome } from './observers/reward-outcome.ts';
import { applyGate } from './observers/apply-gate.ts';
import { countSpend } from './observers/count-spend.ts';
import { recordEvents } from './observers/record-events.ts';
import { retryInjected } from './observers/retry-injected.ts';

/** Observers in the order in which they are called: the gate first, so that the others know its verdict. */
export const OBSERVERS: readonly OutcomeObserver[] = [
  applyGate,
  rewardOutcome,
  markUpdateDue,
  storeObservation,
  keepTree,
  creditArm,
  retryInjected,
  countSpend,
  recordEvents,
];
