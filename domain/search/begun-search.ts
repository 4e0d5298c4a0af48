import type { Knob } from '../knob/knob.ts';
import { choiceName, settingsIn } from '../method/axis.ts';
import { learns, makerOf, membersOf } from './proposer/makers.ts';
import { defaultStop, type PolicySettings, stopForKnobs } from './proposer/policy.ts';
import { withRerun } from './rerun.ts';
import type { Search } from './schema.ts';
import { updatePlanOf } from './update/table.ts';

/**
 * The search of a research with the defaults that version 0.2 did not have, to be stored with it. A research that
 * begins has today's defaults. If its task changes, it keeps those that it had `before`. A research that 0.2 began
 * stored none: it has no stop text, all tokens of its samples count, and one run of a candidate is enough.
 */
export function begunSearch(
  search: Search,
  { knobs, before = null }: { knobs: readonly Knob[]; before?: Search | null },
): Search {
  const rerun = before !== null && before.rerun === undefined ? search : withRerun(search);
  return { ...rerun, proposer: withStop(search, knobs, before), update: withTokens(search, before) };
}

function withStop({ proposer }: Search, knobs: readonly Knob[], before: Search | null): Search['proposer'] {
  if (!isPolicy(proposer)) return proposer;
  const { settings } = makerOf(proposer) as unknown as { settings: PolicySettings };
  if (before === null || !isPolicy(before.proposer))
    return withDefaults(proposer, { stop: defaultStop(settings, knobs) });
  const { stop = [] } = settingsIn(before.proposer) as Partial<PolicySettings>;
  return withDefaults(proposer, { stop: stopForKnobs(stop, knobs) });
}

function withTokens({ update }: Search, before: Search | null): Search['update'] {
  if (updatePlanOf(update) === null) return update;
  const kept = before !== null && updatePlanOf(before.update) !== null;
  return withDefaults(update, { tokens: kept ? (settingsIn(before.update)['tokens'] ?? 'all') : 'answer' });
}

const isPolicy = (choice: unknown): boolean => membersOf(choice) === null && learns(choice);

/** A choice with further settings; those that it has win. */
const withDefaults = <T>(choice: T, defaults: object): T =>
  ({ name: choiceName(choice), ...defaults, ...settingsIn(choice) }) as T;
