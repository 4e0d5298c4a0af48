import { DIES } from './attacks/answers.ts';
import {
  type AttackStandard,
  endingOf,
  judgeAttack,
  type AttackJudgement,
  type AttackTrial,
  worst,
} from './judge-attack.ts';
import type { Planned } from './plan-attacks.ts';

/** A row of the table. */
export interface AttackRow extends AttackJudgement {
  attack: string;
  tries: string;
  expected: readonly string[];
  /** How its trials ended; empty where it does not apply. */
  seen: string[];
  trials: string[];
}

/** A trial, and the attack that was tried in it. */
export type Tried = AttackTrial & { attack: string };

/** The table of all attacks, in the order of the plan. */
export function reportAttacks(
  plan: readonly Planned[],
  { tried, ...bench }: Omit<AttackStandard, 'isAsked'> & { tried: readonly Tried[] },
): AttackRow[] {
  const isAsked = askedIn(tried.filter(({ attack }) => attack === DIES.name));
  return plan.map((planned) => {
    const { name, tries, expected } = planned.attack;
    const row = { attack: name, tries, expected };
    if (!planned.fits) return { ...row, seen: [], trials: [], verdict: 'not applicable', why: planned.why };
    const own = tried.filter(({ attack }) => attack === name);
    const judged = own.map((seen) => ({ seen, ...judgeAttack(planned.attack, seen, { ...bench, isAsked }) }));
    const known = judged.filter(({ verdict }) => verdict !== 'unknown');
    // A trial that a machine lost was run again.
    const counted = known.length >= planned.candidates.length ? known : judged;
    const seen = counted.map((one) => endingOf(one.seen));
    return { ...row, seen, trials: counted.map((one) => one.seen.trialId), ...worst(counted) };
  });
}

/** A program that dies and is scored was never asked. */
function askedIn(tried: readonly AttackTrial[]): boolean | null {
  const [ended] = tried.filter(({ status }) => status === 'completed' || status === 'crashed');
  return ended ? ended.status === 'crashed' : null;
}

/** With what it needs to be judged, where some of the attacks are asked for by name; those that nobody knows. */
export function chooseAttacks<A extends { name: string; where: string }>(
  attacks: readonly A[],
  names: readonly string[],
): { chosen: A[]; unknown: string[] } {
  const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
  if (names.length === 0) return { chosen: [...attacks], unknown };
  const named = attacks.filter(({ name }) => names.includes(name));
  const needsProbe = named.some(({ where }) => where === DIES.where);
  return { chosen: attacks.filter((one) => named.includes(one) || (needsProbe && one.name === DIES.name)), unknown };
}
