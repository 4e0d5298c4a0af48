import { resolve } from 'node:path';
import { CliError, refused } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { configOf, withDb } from '../context.ts';
import { pickPolicy, pickUpdate } from './pick.ts';
import { holdVersion } from '../../db/learning/weights.ts';
import { openCheckpoints } from '../../infra/policy/checkpoints.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { writeExport } from './write-export.ts';

interface ExportOptions {
  id: string;
  version: string;
  out: string;
  json?: boolean;
}

/** `perpetua policy export`. */
export async function exportVersion(io: Io, { id, version, out, json }: ExportOptions): Promise<void> {
  const { workflowId, update } = await withDb(io, async (db) => {
    const { research } = await pickPolicy(db, id);
    const picked = await pickUpdate(db, research, version);
    // Holds the version: else its weights could be removed during the copy.
    if (picked !== null && picked.checkpoint !== null) await holdVersion(db, { researchId: research.id, k: picked.k });
    return { workflowId: research.id, update: picked };
  });
  if (update === null)
    throw refused('Expected a version that an update made; version 0 has no weights of its own to export.');
  const { k, checkpoint, stepKey } = update;
  if (checkpoint === null || stepKey === null)
    throw refused(
      `Expected a version of the policy of ${workflowId}; update ${k} made none (${update.state}). ` +
        `See: npx perpetua policy list ${workflowId}`,
    );
  const folder = openCheckpoints(configOf(io).home).folder(stepKey);
  const { files, base, algorithm } = await readCheckpoint(folder, { checkpoint, stepKey }).catch((error: unknown) => {
    throw new CliError('failed', error instanceof Error ? error.message : String(error), { cause: error });
  });
  const about = { research: workflowId, version: k, checkpoint, base, algorithm };
  const written = await writeExport(resolve(out), { folder, files, about });
  if (json) return printJson(io, { workflowId, ...about, out, files: written });
  printLine(io, `wrote ${written.join(', ')} to ${out}`);
  printLine(io, `version ${k} of ${workflowId}, for the base model whose files hash to ${base}`);
}
