import type { Target } from '../../domain/attack/attack.ts';
import { type Planned, planOf } from '../../domain/attack/plan.ts';
import { chosenOf } from '../../domain/attack/report.ts';
import { ATTACKS } from '../../domain/attack/table.ts';
import { mutableTexts } from '../../tasks/folder/mutable-texts.ts';
import { refused } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Located } from '../task/locate-task.ts';
import { targetOf } from './target.ts';

/** The candidates of each attack on a task; refuses a name that no attack has. */
export async function planFor(
  io: Io,
  { loaded, folder }: Located,
  { only = [], heavy = false }: { only?: readonly string[] | undefined; heavy?: boolean | undefined },
): Promise<{ plan: Planned[]; target: Target }> {
  const { chosen, unknown } = chosenOf(ATTACKS, only);
  if (unknown.length > 0)
    throw refused(
      `Expected --only to be one of ${ATTACKS.map(({ name }) => name).join(', ')}; came ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`,
    );
  const files = mutableTexts(loaded.workspace, loaded.mutablePaths).texts;
  const target = await targetOf(io, { loaded, folder });
  return { plan: planOf(chosen, { target, files, heavy }), target };
}
