import { PROPOSAL_KINDS } from '../../../../domain/trial.ts';
import type { Axis } from '../../../../view/page/series/axis.ts';
import { outcomeIndex } from '../../../../view/page/series/outcomes.ts';
import { endedColumns, type EndedTrials } from '../../../../view/page/series/ended-trials.ts';
import type { Tx } from '../../../connect.ts';
import { readTogether } from '../../../read-together.ts';
import { findNumbersOf } from '../../../research/raw-best.ts';
import type { ResearchView } from '../../read-research.ts';
import { readAbsorbed } from '../blocks/read-absorbed.ts';
import { countClasses, type TrialBlock, type TrialClass, type TrialColumnsReader } from '../blocks/trial-columns.ts';
import type { TrialCostsReader } from '../blocks/trial-costs.ts';
import { BLOCK } from '../blocks/snapshot.ts';

export interface EndedReaders {
  readColumns: TrialColumnsReader;
  readCosts: TrialCostsReader;
}

interface Input {
  research: Pick<ResearchView, 'id' | 'taskHash' | 'lastN' | 'createdAt' | 'gate'>;
  axis: Axis;
}

/** Every ended trial of a research, with its spend in the unit of the axis. */
export async function readEnded(
  db: Tx,
  { research, axis }: Input,
  { readColumns, readCosts }: EndedReaders,
): Promise<EndedTrials> {
  const { columns, costs, absorbed, discarded } = await readTogether(db, {
    columns: () => readColumns(db, research),
    costs: async () => (axis === 'tokens' || axis === 'usd' ? await readCosts(db, research) : null),
    absorbed: () => readAbsorbed(db, research.id),
    discarded: () =>
      findNumbersOf(db, { researchId: research.id, candidateIds: research.gate.discardedByPerson ?? [] }),
  });
  const { blocks, classes } = columns;
  const facts = classes.map(factsOf);
  const count = countClasses(columns).reduce((sum, trials, index) => sum + (facts[index]?.hasEnded ? trials : 0), 0);
  const ended = endedColumns(count);
  let next = 0;
  blocks.forEach((block, number) => {
    if (block === null) return;
    const part = partOf(block, { number, facts });
    ended.n.set(part.n, next);
    ended.at.set(part.at, next);
    ended.value.set(part.value, next);
    ended.outcome.set(part.outcome, next);
    ended.proposes.set(part.proposes, next);
    const spent = axis === 'slotSeconds' ? block.seconds : costs?.[number]?.[axis === 'usd' ? 'usd' : 'tokens'];
    if (spent) part.n.forEach((n, index) => (ended.spent[next + index] = spent[(n - 1) % BLOCK] || 0));
    next += part.n.length;
  });
  markAbsorbed(ended, absorbed);
  for (const n of discarded) {
    const index = indexOf(ended.n, n);
    if (index >= 0) ended.proposes[index] = 0;
  }
  return ended;
}

interface ClassFacts {
  hasEnded: boolean;
  outcome: number;
  proposes: number;
}

const factsOf = (found: TrialClass): ClassFacts => ({
  hasEnded: found.status !== null,
  outcome: outcomeOf(found),
  proposes: PROPOSAL_KINDS.includes(found.kind) && !found.isReused ? 1 : 0,
});

type Part = Omit<EndedTrials, 'spent'>;

/** Ended trials of blocks, which do not change: a changed block is another object. */
const parts = new WeakMap<TrialBlock, Part>();

/** The ended trials of a block. */
function partOf(block: TrialBlock, { number, facts }: { number: number; facts: readonly ClassFacts[] }): Part {
  const known = parts.get(block);
  if (known) return known;
  const part = endedColumns(block.ended);
  let next = 0;
  block.classes.forEach((found, index) => {
    const { hasEnded = false, outcome = 0, proposes = 0 } = facts[found] ?? {};
    if (!hasEnded) return;
    part.n[next] = number * BLOCK + index + 1;
    part.at[next] = Math.round((block.ends[index] ?? 0) * 1000) / 1000;
    part.value[next] = block.values[index] ?? Number.NaN;
    part.outcome[next] = outcome;
    part.proposes[next] = proposes;
    next += 1;
  });
  parts.set(block, part);
  return part;
}

/** Outcome with the gate's verdict. */
function outcomeOf({ status, verdict }: TrialClass): number {
  if (status === 'cached') return outcomeIndex('cached');
  if (status === 'aborted') return outcomeIndex('stopped-early');
  if (status !== 'completed') return outcomeIndex('failed');
  return outcomeIndex(verdict === null || verdict === 'none' ? 'scored' : verdict);
}

/** Marks discarded trials whose edit is in the lead. */
function markAbsorbed({ n, outcome }: EndedTrials, absorbed: ReadonlySet<number>): void {
  const [from, to] = [outcomeIndex('discard'), outcomeIndex('absorbed')];
  for (const one of absorbed) {
    const index = indexOf(n, one);
    if (index >= 0 && outcome[index] === from) outcome[index] = to;
  }
}

/** Index of one of the ascending numbers; −1 if it is not among them. */
function indexOf(numbers: Int32Array, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted ? low : -1;
}
