import { resolve } from 'node:path';
import { CliError, refused } from '../errors.ts';
import { say, sayJson, type Io } from '../io.ts';

interface Asked {
  id: string;
  version: string;
  out: string;
  json?: boolean;
}

/** `perpetua policy export`. */
export async function exportVersion(io: Io, { id, version, out, json }: Asked): Promise<void> {
  const [
    { configOf, withDb },
    { pickPolicy, pickUpdate },
    { holdVersion },
    { openCheckpoints },
    { readCheckpoint },
    { writeExport },
  ] = await Promise.all([
    import('../context.ts'),
    import('./pick.ts'),
    import('../../db/learning/weights.ts'),
    import('../../infra/policy/checkpoints.ts'),
    import('./read-checkpoint.ts'),
    import('./write-export.ts'),
  ]);
  const { workflowId, update } = await withDb(io, async (db) => {
    const { research } = await pickPolicy(db, id);
    const picked = await pickUpdate(db, research, version);
    // Else it may go while it is copied.
    if (picked !== null && picked.checkpoint !== null) await holdVersion(db, { researchId: research.id, k: picked.k });
    return { workflowId: research.id, update: picked };
  });
  if (update === null) throw refused('Version 0 is the model as it came: it has no weights of its own to export.');
  const { k, checkpoint, stepKey } = update;
  if (checkpoint === null || stepKey === null)
    throw refused(
      `Expected a version of the policy of ${workflowId}, update ${k} made none (${update.state}). See: npx perpetua policy list ${workflowId}`,
    );
  const folder = openCheckpoints((await configOf(io)).home).folder(stepKey);
  const { files, base, algorithm } = await readCheckpoint(folder, { checkpoint, stepKey }).catch((error: unknown) => {
    throw new CliError('failed', error instanceof Error ? error.message : String(error), { cause: error });
  });
  const about = { research: workflowId, version: k, checkpoint, base, algorithm };
  const written = await writeExport(resolve(out), { folder, files, about });
  if (json) return sayJson(io, { workflowId, ...about, out, files: written });
  say(io, `wrote ${written.join(', ')} to ${out}`);
  say(io, `version ${k} of ${workflowId}, for the base model whose files hash to ${base}`);
}
