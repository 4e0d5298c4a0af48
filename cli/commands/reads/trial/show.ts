import type { Command } from 'commander';
import { plural } from '../../../../domain/text/plural.ts';
import { printNote, printLine, printJson, type Io } from '../../../io.ts';
import { forProposer } from '../../../render/show/for-proposer.ts';
import { renderShow, type TrialReport } from '../../../render/show.ts';
import { withDb } from '../../../context.ts';
import { pickTrial } from '../../../arguments/pick.ts';
import { readPoints } from '../../../../db/reads/read-trial.ts';
import { readTrialWithCalls } from '../../../../db/reads/trial/read-trial-details.ts';
import { showJson } from '../../../render/show/show-json.ts';
import { readCandidateFiles } from '../../../../db/reads/read-files.ts';
import { readArtefacts } from '../../../../db/reads/trial/read-artefacts.ts';
import { trialFolder } from '../../../render/show/trial-folder.ts';
import { writeWorkspace } from '../../../task/write-workspace.ts';

interface Options {
  json?: boolean;
  prompt?: boolean;
  answer?: boolean;
  log?: boolean;
  out?: string;
  forProposer?: boolean;
}

export function registerShow(program: Command, io: Io): void {
  program
    .command('show <trial> [n]')
    .description(
      'One trial, named <id>/<n>, <id> <n>, or <n> with one research: proposal, verdict, failure, curve, log.',
    )
    .option('--prompt', 'the prompts that were sent')
    .option('--answer', 'the answers of the model')
    .option('--log', 'the whole stored tail of the output, not its last lines')
    .option(
      '-o, --out <dir>',
      'write all of it into an empty or new folder: its files, artefacts, log, curve, prompts and answers',
    )
    .option('--json', 'one JSON object, prompts and answers whole')
    .option('--for-proposer', 'with --json: without what the evaluator keeps from proposers, as agents read it')
    .action(async (trial: string, n: string | undefined, options: Options) => {
      const ref = n === undefined ? trial : `${trial}/${n}`;
      const found = await withDb(io, async (db) => {
        const picked = await pickTrial(db, ref);
        return {
          ...(await readTrialWithCalls(db, picked)),
          points: await readPoints(db, { trialId: picked.trial.id }),
        };
      });
      if (options.out !== undefined) await writeOut(io, options.out, found);
      if (options.json) {
        return printJson(io, showJson(options.forProposer ? forProposer(found) : found));
      }
      const width = io.stdout.columns ?? 100;
      for (const line of renderShow(found, { width, ...options })) printLine(io, line);
    });
}

/** Writes the trial's folder, and prints a note about artefacts whose contents are gone. */
async function writeOut(io: Io, out: string, shown: TrialReport): Promise<void> {
  const { trial, runs } = shown;
  const { files, artefacts } = await withDb(io, async (db) => ({
    files: trial.candidateId === null ? undefined : await readCandidateFiles(db, { candidateId: trial.candidateId }),
    artefacts: runs[0] ? await readArtefacts(db, { jobId: trial.id, placement: runs[0].placement }) : [],
  }));
  const written = await writeWorkspace(out, trialFolder({ shown, files: files ?? null, artefacts }));
  printNote(io, `wrote ${plural(written.length, 'file')} of ${trial.id} to ${out}`);
  const gone = artefacts.filter(({ content }) => content === null).map(({ path }) => path);
  if (gone.length > 0)
    printNote(io, `note: ${out} lacks the contents of ${gone.join(', ')}, which perpetua clean has removed`);
}
