import type { Command } from 'commander';
import { dismissAttention } from '../../../db/attention/dismiss-attention.ts';
import { restoreAttention } from '../../../db/attention/restore-attention.ts';
import { readConditions, splitDismissed } from '../../../db/reads/attention/read-attention.ts';
import { readResearches } from '../../../db/reads/read-research.ts';
import { isCheck } from '../../../domain/research/check-id.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { printJson, printLine, printNote, type Io } from '../../io.ts';
import { renderAttention, type ListedAttention } from '../../render/lists/attention.ts';

interface Options {
  dismiss?: string;
  restore?: string;
  json?: boolean;
}

export function registerAttention(program: Command, io: Io): void {
  program
    .command('attention')
    .description('What needs you: each entry with its key, its beginning, its researches, and the commands that help.')
    .option('--dismiss <key>', 'put an entry away for everybody, until its cause changes or it happens again')
    .option('--restore <key>', 'show an entry again that was put away for everybody')
    .option('--json', 'one JSON object')
    .action(({ dismiss, restore, json = false }: Options) => {
      if (dismiss !== undefined && restore !== undefined)
        throw refused('Expected one of --dismiss and --restore, got both.');
      if (dismiss !== undefined) return putAway(io, { key: dismiss, json });
      if (restore !== undefined) return showAgain(io, { key: restore, json });
      return list(io, json);
    });
}

async function list(io: Io, json: boolean): Promise<void> {
  const now = new Date();
  const found = await withDb(io, async (db): Promise<ListedAttention> => {
    const { sound, damaged } = await readResearches(db);
    for (const { message } of damaged) printNote(io, `! ${message}`);
    const researches = sound.filter(({ id }) => !isCheck(id));
    const { attention, states } = await readConditions(db, { researches, now });
    const { shown, dismissed } = await splitDismissed(db, attention);
    return { attention: shown, states, dismissed };
  });
  if (json) return printJson(io, found);
  for (const line of renderAttention(found, now)) printLine(io, line);
}

async function putAway(io: Io, { key, json }: { key: string; json: boolean }): Promise<void> {
  const result = await withDb(io, (db) => dismissAttention(db, { key, now: new Date() }));
  if ('known' in result) {
    const keys = result.known.length === 0 ? 'nothing needs you now' : `the keys are ${result.known.join(', ')}`;
    throw refused(`Expected --dismiss to name a present entry; got ${JSON.stringify(key)}, and ${keys}.`);
  }
  if (json) return printJson(io, result);
  printLine(io, `put away for everybody: ${result.dismissed.title}`);
  printNote(io, 'It comes back if its cause changes, or if it ends and happens again. To undo this, use --restore.');
}

async function showAgain(io: Io, { key, json }: { key: string; json: boolean }): Promise<void> {
  const result = await withDb(io, (db) => restoreAttention(db, { key, now: new Date() }));
  if ('known' in result) {
    const keys = result.known.length === 0 ? 'none is put away now' : `the keys are ${result.known.join(', ')}`;
    throw refused(`Expected --restore to name an entry that was put away; got ${JSON.stringify(key)}, and ${keys}.`);
  }
  if (json) return printJson(io, result);
  printLine(io, `shown again: ${result.restored.title}`);
}
