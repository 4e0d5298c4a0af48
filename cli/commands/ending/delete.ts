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
      'Delete an ended research for good: its rows, its files, ' +
        'and those of its candidates, artefacts and checkpoints that no other research uses.',
    )
    .option('--yes', 'delete without confirmation')
    .option('--json', 'one JSON object')
    .action((id: string, options: { yes?: boolean; json?: boolean }) => remove(io, id, options));
}

async function remove(io: Io, id: string, { yes = false, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const config = configOf(io);
  const { deleted, histories, installation } = await withDb(io, async (db) => {
    const { trials, phase } = await requireEnded(io, db, id);
    if (!yes) await confirm(io, { id, trials });
    const histories = await requireNoOpenWorkflow(io, id);
    const deleted = await deleteResearch(db, { id, phase });
    if (!deleted) throw refused(`The research ${id} is gone: another command deleted it meanwhile.`);
    return { deleted, histories, installation: (await findInstallation(db)).id };
  });
  const machine = { compute: await openCompute(io), installation, host: await readLocalHostName(config.home) };
  const files = await removeFiles(deleted, config, machine);
  const forgotten = histories && (await deleteClosedWorkflows(io, id));
  const otherHosts = [...new Set(deleted.runs.map(({ host }) => host))].filter((host) => host !== machine.host);
  if (json) {
    const { trials, blobs } = deleted;
    return printJson(io, { workflowId: id, trials, blobs, ...files, histories: forgotten });
  }
  for (const line of describe(id, deleted, { files, forgotten })) printLine(io, line);
  if (otherHosts.length > 0)
    printNote(io, 'to remove what its runs left on hosts of the fleet: npx perpetua fleet clean');
}

/** Refuses a research that has not ended. */
async function requireEnded(io: Io, db: Db, id: string): Promise<{ trials: number; phase: Phase }> {
  const { phase, lastN: trials } = await pickResearch(db, id);
  if (hasEnded(phase)) return { trials, phase };
  // If its workflow was terminated in Temporal, the row still has the last phase.
  if ((await requireNoOpenWorkflow(io, id)) === true) return { trials, phase };
  throw refused(
    `${id} is ${phase}, and only a research that has ended can be deleted. ` +
      `Stop it: npx perpetua stop ${id} (at once: --now). When npx perpetua status ${id} says stopped, delete it.`,
  );
}

async function confirm(io: Io, { id, trials }: { id: string; trials: number }): Promise<void> {
  const warning = `This deletes the research ${id} with its ${plural(trials, 'trial')}, for good.`;
  if (!io.ask) throw refused(`${warning} Not a terminal. Pass --yes to confirm.`);
  const typed = await io.ask(`${warning} Type its id to confirm: `);
  const answer = typed.trim();
  if (answer !== id) throw refused(`Expected ${id}, got ${JSON.stringify(answer)}. Nothing was deleted.`);
}

/** Refuses a research with an open workflow. True: Temporal has none; null: Temporal is unreachable. */
async function requireNoOpenWorkflow(io: Io, id: string): Promise<true | null> {
  const found = await withTemporal(io, ({ client }) => findHistories(client, id)).catch(() => null);
  if (found === null) return null;
  if (found.open.length === 0) return true;
  throw refused(
    `${id} still has ${plural(found.open.length, 'open workflow')} in Temporal ` +
      `(${found.open.slice(0, 3).join(', ')}). ` +
      `Stop it: npx perpetua stop ${id} --now. When it has stopped, delete it.`,
  );
}

async function deleteClosedWorkflows(io: Io, id: string): Promise<number | null> {
  try {
    return await withTemporal(io, async ({ client }) =>
      deleteHistories(client, (await findHistories(client, id)).closed),
    );
  } catch (error) {
    printNote(io, `Temporal keeps the closed workflows of ${id} until its retention ends: ${String(error)}`);
    return null;
  }
}

function describe(id: string, deleted: Deleted, removed: { files: RemovedFiles; forgotten: number | null }): string[] {
  const { files, bytes } = deleted.blobs;
  const { checkpoints, runs, failed } = removed.files;
  const more: string[] = [];
  if (checkpoints > 0) more.push(plural(checkpoints, 'checkpoint'));
  if (runs > 0) more.push(`${runs} run director${runs === 1 ? 'y' : 'ies'}`);
  if (removed.forgotten) more.push(`${plural(removed.forgotten, 'workflow')} in Temporal`);
  const lines = [
    `deleted ${id}: ${plural(deleted.trials, 'trial')}, ` +
      `and ${plural(files, 'file content')} that nothing else used (${(bytes / 1e6).toFixed(1)} MB)`,
  ];
  if (more.length > 0) lines.push(`also deleted ${more.join(', ')}`);
  for (const { name, reason } of failed)
    lines.push(`could not remove the run directory of ${name}: ${reason}. To try again: npx perpetua clean`);
  return lines;
}
