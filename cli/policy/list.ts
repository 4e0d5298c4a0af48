import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { pickPolicy } from './pick.ts';
import { readUpdateRows } from '../../db/reads/policy/read-update-rows.ts';
import { updateJson } from '../render/policy/update-json.ts';
import { renderVersions } from '../render/policy/list.ts';

/** `perpetua policy list`. */
export async function list(io: Io, { id, json }: { id: string | undefined; json?: boolean }): Promise<void> {
  const { research, learning, updates } = await withDb(io, async (db) => {
    const picked = await pickPolicy(db, id);
    return { ...picked, updates: await readUpdateRows(db, { researchId: picked.research.id }) };
  });
  if (json) return printJson(io, { workflowId: research.id, ...learning, updates: updates.map(updateJson) });
  for (const line of renderVersions({ workflowId: research.id, learning, updates })) printLine(io, line);
}
