import type { Command } from 'commander';
import { refused } from '../../../errors.ts';
import { printLine, printJson, type Io } from '../../../io.ts';
import { withDb } from '../../../context.ts';
import { pickTrial } from '../../../arguments/pick.ts';
import { readDiff } from '../../../../db/reads/diff/read-diff.ts';
import { unifiedDiff } from '../../../../db/reads/diff/unified-diff.ts';
import { paintDiff } from '../../../render/diff.ts';

export function registerDiff(program: Command, io: Io): void {
  program
    .command('diff <trial>')
    .description('What a trial, named <id>/<n>, changed against its parent, as a unified diff.')
    .option('--against-baseline', 'against the unmodified workspace instead')
    .option('--json', 'one JSON object')
    .action(async (ref: string, options: { againstBaseline?: boolean; json?: boolean }) => {
      const against = options.againstBaseline ? 'baseline' : 'parent';
      const { trial, read } = await withDb(io, async (db) => {
        const { trial, research } = await pickTrial(db, ref);
        return { trial, read: await readDiff(db, { trial, research, against }) };
      });
      const { candidateId, from, nothing, files } = read;
      if (candidateId === null)
        throw refused(`Expected a trial with a candidate; ${nothing}. See: npx perpetua show ${trial.id}`);
      const diff = unifiedDiff(files);
      if (options.json) return printJson(io, { trialId: trial.id, candidateId, parentId: from, diff });
      if (nothing !== null) return printLine(io, nothing);
      for (const line of paintDiff(diff, { colours: io.stdout.isTTY === true })) printLine(io, line);
    });
}
