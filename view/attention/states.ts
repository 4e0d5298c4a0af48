import { oneLine } from '../../domain/text/sanitize.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { describeVersion } from '../policy/learning.ts';
import { raiseCommand, spentLimits } from '../rows/raise-budget.ts';
import { describeWait } from '../wait.ts';
import type { CalmState } from './entry.ts';
import type { AttentionFacts } from './facts.ts';
import { waitForPerson } from './waits.ts';

type Rule = (facts: AttentionFacts) => CalmState[];

const state = (
  { id }: Pick<AttentionFacts, 'id'>,
  { at = null, commands = [], ...rest }: Pick<CalmState, 'title' | 'why'> & Partial<CalmState>,
): CalmState => ({ researches: [id], at, commands, ...rest });

const paused: Rule = (facts) => {
  if (facts.phase !== 'paused') return [];
  const commands = [`npx perpetua resume ${shellWord(facts.id)}`];
  return [state(facts, { title: 'The research is paused', why: facts.reason, at: facts.since.phase, commands })];
};

/** A wait that ends by itself. The rules of deeds report the other waits, an endpoint, and a spent budget. */
const waiting: Rule = (facts) => {
  const { phase, reason, wait, endpointDown } = facts;
  if (phase !== 'waiting' || waitForPerson(facts) !== null) return [];
  if (wait === null && (endpointDown !== null || raiseCommand(facts) !== null)) return [];
  const why = wait === null ? reason : describeWait(wait);
  const at = facts.since.phase;
  return [state(facts, { title: 'The research waits', why: why === null ? null : oneLine(why), at })];
};

/** A spent budget that ends the research, as its owner chose. */
const ending: Rule = (facts) => {
  const raise = raiseCommand(facts);
  if (raise === null || facts.budget.whenSpent === 'wait') return [];
  return [
    state(facts, {
      title: `The budget is spent: ${spentLimits(facts.budget).join(', ')}`,
      why: 'it ends when the trials under way have ended',
      at: facts.since.spent,
      commands: [raise],
    }),
  ];
};

const pinned: Rule = (facts) => {
  if (!facts.learning?.pinned) return [];
  const why = `a person pinned it to ${describeVersion(facts.learning.version)}, so it learns nothing`;
  const commands = [`npx perpetua policy pin ${shellWord(facts.id)} --off`];
  return [state(facts, { title: 'The policy is pinned', why, commands })];
};

/** Fired gates, without the one that halted learning. */
const gates: Rule = (facts) =>
  facts.gatesFired
    .filter(({ words }) => words !== facts.learning?.halted)
    .slice(0, 3)
    .map(({ k, at, words, then }) =>
      state(facts, {
        title: `A limit of the policy was crossed at update ${k}`,
        why: then === 'tell' ? `${oneLine(words)}; no setting was changed` : oneLine(words),
        at,
        commands: [`npx perpetua policy show ${shellWord(facts.id)} ${k}`],
      }),
    );

const untrusted: Rule = (facts) => {
  if (facts.untrustedBest === null) return [];
  const why = 'its run had no sandbox or no evaluator, so the candidate could have forged the score';
  const commands = [`npx perpetua diff ${shellWord(facts.untrustedBest)}`];
  return [state(facts, { title: 'The best score is untrusted', why, commands })];
};

/** Rules for conditions of an open research that a person chose, or that end by themselves. */
export const STATES: readonly Rule[] = [paused, waiting, ending, pinned, gates, untrusted];
