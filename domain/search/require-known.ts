import { abortOf } from '../abort/table.ts';
import type { Task } from '../task/task.ts';
import { contextOf } from './context/table.ts';
import { noveltyOf } from './novelty.ts';
import { parentRuleOf } from './parent/table.ts';
import { AUTO, proposerOf } from './proposer/table.ts';
import { rewardIn } from './reward/table.ts';
import { specialistsOf } from './specialists.ts';
import { UnknownMethod } from './unknown-method.ts';
import { updateOf } from './update/table.ts';

/** Looks up every axis of stored settings; throws UnknownMethod for the first value that this build does not know. */
export function requireKnown({ search }: Pick<Task, 'search'>): void {
  if (search.proposer !== AUTO) proposerOf(search.proposer);
  parentRuleOf(search.parent);
  contextOf(search.context);
  specialistsOf(search.specialists);
  noveltyOf(search.novelty);
  updateOf(search.update);
  if (search.abort !== undefined) abortOf(search.abort);
  rewardIn(search);
}

/** Throws UnknownMethod for a key that this build does not know; `known` are those of the stored thing. */
export function requireKnownKeys(what: string, stored: object, known: readonly string[]): void {
  const unknown = Object.keys(stored).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new UnknownMethod(what, unknown, known);
}
