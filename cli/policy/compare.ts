import { refused } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { pickPolicy, pickUpdate } from './pick.ts';
import { readDrawn } from '../../db/reads/policy/read-samples.ts';
import { differenceOf, rewardStatisticsOf } from '../../view/policy/reward-statistics.ts';
import { renderComparison } from '../render/policy/compare.ts';

/** `perpetua policy compare`. */
export async function compare(
  io: Io,
  { id, versions, json }: { id: string; versions: string[]; json?: boolean },
): Promise<void> {
  const [a, b] = versions;
  if (a === undefined || b === undefined || versions.length > 2)
    throw refused(`Expected two versions to compare, got ${versions.length}.`);
  const found = await withDb(io, async (db) => {
    const { research } = await pickPolicy(db, id);
    const sideOf = async (text: string) => {
      const update = await pickUpdate(db, research, text);
      const version = update?.k ?? 0;
      const drawn = await readDrawn(db, { researchId: research.id, version });
      return { version, metrics: update?.metrics ?? {}, rewards: rewardStatisticsOf(drawn) };
    };
    return { workflowId: research.id, a: await sideOf(a), b: await sideOf(b) };
  });
  const compared = { ...found, difference: differenceOf(found.a.rewards, found.b.rewards) };
  if (json) return printJson(io, compared);
  for (const line of renderComparison(compared)) printLine(io, line);
}
