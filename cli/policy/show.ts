import { say, sayJson, type Io } from '../io.ts';

/** `perpetua policy show`. */
export async function show(
  io: Io,
  { id, version, json }: { id: string; version: string; json?: boolean },
): Promise<void> {
  const [{ withDb }, { pickPolicy, pickUpdate }, { readBatch, readDrawn }] = await Promise.all([
    import('../context.ts'),
    import('./pick.ts'),
    import('../../db/reads/policy/read-samples.ts'),
  ]);
  const found = await withDb(io, async (db) => {
    const { research, learning } = await pickPolicy(db, id);
    const update = await pickUpdate(db, research, version);
    const drawn = { researchId: research.id, version: update?.k ?? 0 };
    return {
      ...{ workflowId: research.id, learning, update },
      learntFrom: update ? await readBatch(db, { trialIds: update.batch }) : [],
      proposed: await readDrawn(db, drawn),
    };
  });
  const { workflowId, learning, update, learntFrom, proposed } = found;
  if (json) {
    const { updateJson } = await import('../render/policy/update-json.ts');
    const made = update && updateJson(update);
    const inForce = learning.version === (update?.k ?? 0);
    return sayJson(io, { workflowId, version: update ? made?.version : 0, inForce, made, learntFrom, proposed });
  }
  const { renderVersion } = await import('../render/policy/show.ts');
  for (const line of renderVersion(found)) say(io, line);
}
