import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { pickPolicy } from './pick.ts';
import { readDescent } from '../../db/reads/policy/read-descent.ts';
import { readEvaluatedVersions } from '../../db/reads/policy/read-evaluated-versions.ts';
import { readUpdateRows } from '../../db/reads/policy/read-update-rows.ts';
import { updateJson } from '../render/policy/update-json.ts';
import { startOf } from '../../view/policy/descent.ts';
import { renderVersions } from '../render/policy/list.ts';

/** `perpetua policy list`. */
export async function list(io: Io, { id, json }: { id: string | undefined; json?: boolean }): Promise<void> {
  const { research, learning, updates, descent, evaluations } = await withDb(io, async (db) => {
    const picked = await pickPolicy(db, id);
    const updates = await readUpdateRows(db, { researchId: picked.research.id });
    const descent = await readDescent(db, picked.research);
    const { id: researchId, taskHash } = picked.research;
    const evaluations = await readEvaluatedVersions(db, { researchId, taskHash, start: startOf(descent) });
    return { ...picked, updates, descent, evaluations };
  });
  const { id: workflowId } = research;
  if (json) return printJson(io, { workflowId, ...learning, descent, evaluations, updates: updates.map(updateJson) });
  for (const line of renderVersions({ workflowId, learning, updates, descent, evaluations })) printLine(io, line);
}
