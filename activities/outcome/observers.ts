import type { OutcomeObserver } from './observer.ts';
import { learn } from './observers/learn.ts';
import { observe } from './observers/observe.ts';
import { reward } from './observers/reward.ts';
import { rule } from './observers/rule.ts';
import { spend } from './observers/spend.ts';
import { tell } from './observers/tell.ts';
import { wantAgain } from './observers/want-again.ts';

/** Observers in the order in which they are called: the gate first, so that the others know its verdict. */
export const OBSERVERS: readonly OutcomeObserver[] = [rule, reward, learn, observe, wantAgain, spend, tell];
