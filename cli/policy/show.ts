import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { pickPolicy, pickUpdate } from './pick.ts';
import { readBatch, readDrawn } from '../../db/reads/policy/read-samples.ts';
import { updateJson } from '../render/policy/update-json.ts';
import { renderVersion } from '../render/policy/show.ts';

/** `perpetua policy show`. */
export async function show(
  io: Io,
  { id, version, json }: { id: string; version: string; json?: boolean },
): Promise<void> {
  const found = await withDb(io, async (db) => {
    const { research, learning } = await pickPolicy(db, id);
    const update = await pickUpdate(db, research, version);
    const drawn = { researchId: research.id, version: update?.k ?? 0 };
    return {
      workflowId: research.id,
      learning,
      update,
      learntFrom: update ? await readBatch(db, { trialIds: update.batch }) : [],
      proposed: await readDrawn(db, drawn),
    };
  });
  const { workflowId, learning, update, learntFrom, proposed } = found;
  if (json) {
    const made = update && updateJson(update);
    const inForce = learning.version === (update?.k ?? 0);
    return printJson(io, { workflowId, version: update ? made?.version : 0, inForce, made, learntFrom, proposed });
  }
  for (const line of renderVersion(found)) printLine(io, line);
}
