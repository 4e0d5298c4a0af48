import type { Command } from 'commander';
import { dismissAttention } from '../../../db/attention/dismiss-attention.ts';
import { readAttention } from '../../../db/reads/attention/read-attention.ts';
import { readResearches } from '../../../db/reads/read-research.ts';
import { isCheck } from '../../../domain/research/check-id.ts';
import type { NeedsYou } from '../../../view/attention/entry.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { printJson, printLine, printNote, type Io } from '../../io.ts';
import { renderAttention } from '../../render/lists/attention.ts';

interface Options {
  dismiss?: string;
  json?: boolean;
}

export function registerAttention(program: Command, io: Io): void {
  program
    .command('attention')
    .description('What needs you: each entry with its key, its beginning, its researches, and the commands that help.')
    .option('--dismiss <key>', 'put an entry away for everybody, until its cause changes or it happens again')
    .option('--json', 'one JSON object')
    .action(({ dismiss, json = false }: Options) =>
      dismiss === undefined ? list(io, json) : putAway(io, { key: dismiss, json }),
    );
}

async function list(io: Io, json: boolean): Promise<void> {
  const now = new Date();
  const found = await withDb(io, async (db): Promise<NeedsYou> => {
    const { sound, damaged } = await readResearches(db);
    for (const { message } of damaged) printNote(io, `! ${message}`);
    return readAttention(db, { researches: sound.filter(({ id }) => !isCheck(id)), now });
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
  printNote(io, 'It comes back if its cause changes, or if it ends and happens again.');
}
