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
  /** Endings of the attack's trials; empty if the attack does not apply. */
  seen: string[];
  trials: string[];
}

/** A trial with the attack that was tried in it. */
export type Tried = AttackTrial & { attack: string };

/** The table of all attacks, in the order of the plan. */
export function reportAttacks(
  plan: readonly Planned[],
  { tried, ...standard }: Omit<AttackStandard, 'isAsked'> & { tried: readonly Tried[] },
): AttackRow[] {
  const isAsked = askedIn(tried.filter(({ attack }) => attack === DIES.name));
  return plan.map((planned) => {
    const { name, tries, expected } = planned.attack;
    const row = { attack: name, tries, expected };
    if (!planned.fits) return { ...row, seen: [], trials: [], verdict: 'not applicable', why: planned.why };
    const judged = tried
      .filter(({ attack }) => attack === name)
      .map((trial) => ({ trial, ...judgeAttack(planned.attack, trial, { ...standard, isAsked }) }));
    const known = judged.filter(({ verdict }) => verdict !== 'unknown');
    // A trial that a machine lost was repeated, so unknown judgements count only if a candidate has no other.
    const counted = known.length >= planned.candidates.length ? known : judged;
    const seen = counted.map(({ trial }) => endingOf(trial));
    return { ...row, seen, trials: counted.map(({ trial }) => trial.trialId), ...worst(counted) };
  });
}

/** True if the program that fails instead of answering crashed, false if it was scored, so never asked; else null. */
function askedIn(tried: readonly AttackTrial[]): boolean | null {
  const [ended] = tried.filter(({ status }) => status === 'completed' || status === 'crashed');
  return ended ? ended.status === 'crashed' : null;
}

/**
 * Chooses attacks by name, all without names. Attacks on answers come with the probe that they are judged by. `unknown`
 * lists the names that no attack has.
 */
export function chooseAttacks<A extends { name: string; where: string }>(
  attacks: readonly A[],
  names: readonly string[],
): { chosen: A[]; unknown: string[] } {
  const unknown = names.filter((name) => !attacks.some((attack) => attack.name === name));
  if (names.length === 0) return { chosen: [...attacks], unknown };
  const named = attacks.filter(({ name }) => names.includes(name));
  const needsProbe = named.some(({ where }) => where === DIES.where);
  const chosen = attacks.filter((attack) => named.includes(attack) || (needsProbe && attack.name === DIES.name));
  return { chosen, unknown };
}
