import type { Command } from 'commander';
import { refused } from '../../errors.ts';
import { say, sayJson, type Io } from '../../io.ts';

export function registerDiff(program: Command, io: Io): void {
  program
    .command('diff <trial>')
    .description('What a trial, named <id>/<n>, changed against its parent, as a unified diff.')
    .option('--against-baseline', 'against the unmodified workspace instead')
    .option('--json', 'one JSON object')
    .action(async (ref: string, options: { againstBaseline?: boolean; json?: boolean }) => {
      const [{ withDb }, { pickTrial }, { readCandidateFiles }, { unifiedDiff, paintDiff }, { styleFor }] =
        await Promise.all([
          import('../../context.ts'),
          import('../../arguments/pick.ts'),
          import('../../../db/reads/read-files.ts'),
          import('../../render/diff.ts'),
          import('../../render/text/style.ts'),
        ]);
      const { trial, baseline, from, files, parent } = await withDb(io, async (db) => {
        const { trial, research } = await pickTrial(db, ref);
        if (!trial.candidateId)
          throw refused(
            `Expected a trial with a candidate; ${trial.id} has none${trial.failure ? ` (${trial.failure}: ${trial.failureMessage ?? ''})` : ' yet'}. See: npx perpetua show ${trial.id}`,
          );
        const from = options.againstBaseline ? research.baselineCandidate : (trial.parentId ?? trial.candidateId);
        const files = await readCandidateFiles(db, { candidateId: trial.candidateId });
        return {
          trial,
          baseline: research.baselineCandidate,
          from,
          files,
          parent: await readCandidateFiles(db, { candidateId: from }),
        };
      });
      if (!files || !parent) throw new Error(`Expected the stored files of ${trial.id} and its parent, found none.`);
      const diff = unifiedDiff(parent, files);
      if (options.json) return sayJson(io, { trialId: trial.id, candidateId: trial.candidateId, parentId: from, diff });
      const style = styleFor(io.stdout.isTTY === true);
      if (diff === '')
        say(
          io,
          trial.candidateId === baseline
            ? `${trial.id} runs the unmodified workspace: there is nothing that it changed`
            : `${trial.id} is the same as ${from === trial.candidateId ? 'its candidate: it runs a known one again' : 'its parent'}`,
        );
      else for (const line of paintDiff(diff, style)) say(io, line);
    });
}
