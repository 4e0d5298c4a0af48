import type { OutcomeObserver } from './observer.ts';
import { rule } from './observers/rule.ts';
import { spend } from './observers/spend.ts';
import { tell } from './observers/tell.ts';
import { wantAgain } from './observers/want-again.ts';

/** Who hears of an outcome, in this order: the gate rules first, and the others know its verdict. */
export const OBSERVERS: readonly OutcomeObserver[] = [rule, wantAgain, spend, tell];
