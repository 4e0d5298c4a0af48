import { printLine, printJson, type Io } from '../io.ts';
import { withDb } from '../context.ts';
import { pickPolicy, pickUpdate } from './pick.ts';
import { startOf } from '../../view/policy/descent.ts';
import { readDescent } from '../../db/reads/policy/read-descent.ts';
import { readEvaluatedVersions } from '../../db/reads/policy/read-evaluated-versions.ts';
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
    const { id: researchId, taskHash } = research;
    const drawn = { researchId, version: update?.k ?? 0 };
    const start = startOf(await readDescent(db, research));
    const evaluated = await readEvaluatedVersions(db, { researchId, taskHash, start });
    return {
      workflowId: researchId,
      learning,
      update,
      learntFrom: update ? await readBatch(db, { trialIds: update.batch }) : [],
      proposed: await readDrawn(db, drawn),
      evaluations: evaluated.filter(({ version: k }) => k === drawn.version),
    };
  });
  const { workflowId, learning, update, learntFrom, proposed, evaluations } = found;
  if (json) {
    const made = update && updateJson(update);
    const inForce = learning.version === (update?.k ?? 0);
    const own = made === null ? 0 : made.version;
    return printJson(io, { workflowId, version: own, inForce, made, learntFrom, proposed, evaluations });
  }
  for (const line of renderVersion(found)) printLine(io, line);
}
