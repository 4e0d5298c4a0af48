import { PROPOSAL_KINDS } from '../../../../domain/trial.ts';
import type { Axis } from '../../../../view/page/series/axis.ts';
import { outcomeIndex } from '../../../../view/page/series/outcomes.ts';
import { endedColumns, type EndedTrials } from '../../../../view/page/series/ended-trials.ts';
import type { Tx } from '../../../connect.ts';
import { findNumbersOf } from '../../../research/raw-best.ts';
import type { ResearchView } from '../../read-research.ts';
import { readAbsorbed } from '../blocks/read-absorbed.ts';
import { countClasses, type TrialClass, type TrialColumnsReader } from '../blocks/trial-columns.ts';
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
  const columns = await readColumns(db, research);
  const costs = axis === 'tokens' || axis === 'usd' ? await readCosts(db, research) : null;
  const absorbed = await readAbsorbed(db, research.id);
  const discarded = await findNumbersOf(db, {
    researchId: research.id,
    candidateIds: research.gate.discardedByPerson ?? [],
  });
  const { blocks, classes } = columns;
  const hasEnded = classes.map(({ status }) => status !== null);
  const outcomes = classes.map(outcomeOf);
  const proposes = classes.map(({ kind, isReused }) => PROPOSAL_KINDS.includes(kind) && !isReused);
  const count = countClasses(columns).reduce((sum, trials, index) => sum + (hasEnded[index] ? trials : 0), 0);
  const ended = endedColumns(count);
  let next = 0;
  blocks.forEach((block, number) => {
    if (block === null) return;
    const spent = costs === null || axis !== 'usd' ? costs?.[number]?.tokens : costs[number]?.usd;
    for (let index = 0; index < BLOCK; index += 1) {
      const found = block.classes[index] ?? -1;
      if (found < 0 || !hasEnded[found]) continue;
      const n = number * BLOCK + index + 1;
      ended.n[next] = n;
      ended.at[next] = Math.round((block.ends[index] ?? 0) * 1000) / 1000;
      ended.value[next] = block.values[index] ?? Number.NaN;
      ended.outcome[next] = outcomes[found] ?? 0;
      ended.proposes[next] = proposes[found] && !discarded.has(n) ? 1 : 0;
      ended.spent[next] = (axis === 'slotSeconds' ? block.seconds[index] : spent?.[index]) || 0;
      next += 1;
    }
  });
  markAbsorbed(ended, absorbed);
  return ended;
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
  if (absorbed.size === 0) return;
  n.forEach((one, index) => {
    if (outcome[index] === from && absorbed.has(one)) outcome[index] = to;
  });
}
