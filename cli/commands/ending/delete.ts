import type { Command } from 'commander';
import type { Db } from '../../../db/connect.ts';
import { deleteResearch, type Deleted } from '../../../db/research/delete-research.ts';
import type { Phase } from '../../../domain/research/phase.ts';
import { plural } from '../../../domain/text/plural.ts';
import { hasEnded } from '../../../view/phase.ts';
import { removeFiles, type RemovedFiles } from '../../deletion/remove-files.ts';
import { refused } from '../../errors.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { configOf, withDb, withTemporal } from '../../context.ts';
import { openCompute } from '../../check/protections.ts';
import { readLocalHostName } from '../../read-local-host-name.ts';
import { findInstallation } from '../../../db/research/research.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { findHistories, deleteHistories } from '../../deletion/histories.ts';

export function registerDelete(program: Command, io: Io): void {
  program
    .command('delete <id>')
    .description(
      'Remove a research that has ended, for good: its rows and files, and what nothing else uses of its candidates, artefacts and checkpoints.',
    )
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON object')
    .action((id: string, options: { yes?: boolean; json?: boolean }) => remove(io, id, options));
}

async function remove(io: Io, id: string, { yes = false, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const config = configOf(io);
  const { deleted, histories, installation } = await withDb(io, async (db) => {
    const { trials, phase } = await requireEnded(io, db, id);
    if (!yes) await confirm(io, { id, trials });
    const known = await askTemporal(io, id);
    const deleted = await deleteResearch(db, { id, phase });
    if (!deleted) throw refused(`The research ${id} is gone: another command deleted it meanwhile.`);
    return { deleted, histories: known, installation: (await findInstallation(db)).id };
  });
  const place = { compute: await openCompute(io), installation, host: await readLocalHostName(config.home) };
  const files = await removeFiles(deleted, config, place);
  const forgotten = histories && (await forgetAll(io, id));
  const elsewhere = [...new Set(deleted.runs.map(({ host }) => host))].filter((host) => host !== place.host);
  if (json) {
    const { trials, blobs } = deleted;
    return printJson(io, { workflowId: id, trials, blobs, ...files, histories: forgotten });
  }
  for (const line of describe(id, deleted, { files, forgotten })) printLine(io, line);
  if (elsewhere.length > 0)
    printNote(io, 'what its runs left on hosts of the fleet goes with: npx perpetua fleet clean');
}

/** Refuses one that goes on. */
async function requireEnded(io: Io, db: Db, id: string): Promise<{ trials: number; phase: Phase }> {
  const { phase, lastN: trials } = await pickResearch(db, id);
  if (hasEnded(phase)) return { trials, phase };
  // Ended by force, in Temporal: its row stays as it was.
  if ((await askTemporal(io, id)) === true) return { trials, phase };
  throw refused(
    `${id} is ${phase}, and only a research that has ended can be deleted. ` +
      `Stop it: npx perpetua stop ${id} (at once: --now). When npx perpetua status ${id} says stopped, delete it.`,
  );
}

async function confirm(io: Io, { id, trials }: { id: string; trials: number }): Promise<void> {
  const what = `This deletes the research ${id} with its ${plural(trials, 'trial')}, for good.`;
  if (!io.ask) throw refused(`${what} Nobody can be asked here: to do it, add --yes.`);
  const typed = await io.ask(`${what} Type its id to go on: `);
  if (typed.trim() !== id) throw refused(`Expected ${id}, came ${JSON.stringify(typed.trim())}. Nothing was deleted.`);
}

/** True where Temporal has no open workflow of it, null where it cannot be asked; refuses where there is one. */
async function askTemporal(io: Io, id: string): Promise<true | null> {
  const found = await withTemporal(io, ({ client }) => findHistories(client, id)).catch(() => null);
  if (found === null) return null;
  if (found.open.length === 0) return true;
  throw refused(
    `${id} still has ${plural(found.open.length, 'open workflow')} in Temporal (${found.open.slice(0, 3).join(', ')}). ` +
      `Stop it: npx perpetua stop ${id} --now. When it has stopped, delete it.`,
  );
}

async function forgetAll(io: Io, id: string): Promise<number | null> {
  try {
    return await withTemporal(io, async ({ client }) =>
      deleteHistories(client, (await findHistories(client, id)).closed),
    );
  } catch (error) {
    printNote(io, `Temporal keeps the closed workflows of ${id} as long as its namespace says: ${String(error)}`);
    return null;
  }
}

function describe(id: string, deleted: Deleted, of: { files: RemovedFiles; forgotten: number | null }): string[] {
  const { files, bytes } = deleted.blobs;
  const { checkpoints, runs, failed } = of.files;
  const more = [
    ...(checkpoints > 0 ? [plural(checkpoints, 'checkpoint')] : []),
    ...(runs > 0 ? [`${runs} run director${runs === 1 ? 'y' : 'ies'}`] : []),
    ...(of.forgotten ? [`${plural(of.forgotten, 'workflow')} in Temporal`] : []),
  ];
  return [
    `deleted ${id}: ${plural(deleted.trials, 'trial')}, and ${plural(files, 'content')} that nothing else had (${(bytes / 1e6).toFixed(1)} MB)`,
    ...(more.length > 0 ? [`with it went ${more.join(', ')}`] : []),
    ...failed.map(
      ({ name, reason }) => `could not remove the run directory of ${name}: ${reason}. npx perpetua clean tries again`,
    ),
  ];
}
