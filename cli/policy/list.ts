import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { pickPolicy } from './pick.ts';
import { readDescent } from '../../db/reads/policy/read-descent.ts';
import { readUpdateRows } from '../../db/reads/policy/read-update-rows.ts';
import { updateJson } from '../render/policy/update-json.ts';
import { renderVersions } from '../render/policy/list.ts';

/** `perpetua policy list`. */
export async function list(io: Io, { id, json }: { id: string | undefined; json?: boolean }): Promise<void> {
  const { research, learning, updates, descent } = await withDb(io, async (db) => {
    const picked = await pickPolicy(db, id);
    const updates = await readUpdateRows(db, { researchId: picked.research.id });
    return { ...picked, updates, descent: await readDescent(db, picked.research) };
  });
  if (json) return printJson(io, { workflowId: research.id, ...learning, descent, updates: updates.map(updateJson) });
  for (const line of renderVersions({ workflowId: research.id, learning, updates, descent })) printLine(io, line);
}
