import type { Command } from 'commander';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { CliError, refused } from '../../errors.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { withDb, configOf } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { readBest } from '../../../db/reads/read-best.ts';
import { renderBest } from '../../render/best.ts';
import { writeWorkspace } from '../../task/write-workspace.ts';
import { makeCertificate } from '../../certificate/make.ts';
import { scoreHeldOut } from '../../held-out/score-held-out.ts';
import { renderCertificate } from '../../render/certificate.ts';
import { renderHeldOut } from '../../held-out/render-held-out.ts';

interface Options {
  lead?: boolean;
  certificate?: boolean;
  heldOut?: boolean;
  out?: string;
  json?: boolean;
}

export function registerBest(program: Command, io: Io): void {
  program
    .command('best [id]')
    .description('The best confirmed candidate; before the first keep that is the unmodified workspace.')
    .option('--lead', 'the lead instead: the candidate that the search goes on from, no claim yet')
    .option('-o, --out <dir>', 'write its whole workspace into an empty or new folder')
    .option(
      '--certificate',
      'the best run of any kind instead, with its artefacts scored again; ' +
        'with --out also a certificate that anyone can repeat',
    )
    .option(
      '--held-out',
      'its score on data that no search sees (evaluator.heldOut), made once and stored; it decides nothing',
    )
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: Options) => {
      if (options.heldOut) return reportHeldOut(io, id, options);
      if (options.certificate) return certify(io, id, options);
      const { best, research } = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        return { research, best: await readBest(db, { research, of: options.lead ? 'lead' : 'best' }) };
      });
      if (!best)
        throw new CliError(
          'failed',
          `${research.id} has no best yet: its baseline is not measured. See: npx perpetua status ${research.id}`,
        );
      const { workspace, status, ...rest } = best;
      let written: string[] | undefined;
      if (options.out !== undefined) {
        written = await writeWorkspace(options.out, workspace);
      }
      if (options.lead && best.claimed) printNote(io, `note: the lead of ${research.id} is its best`);
      if (options.json)
        return printJson(io, {
          workflowId: research.id,
          ...rest,
          baseline: status.baseline,
          lead: status.lead,
          metric: status.metric,
          out: options.out ?? null,
          files: workspace.map((file) => file.path),
        });
      for (const line of renderBest(best)) printLine(io, line);
      if (written) printLine(io, `wrote ${written.length} files to ${options.out}`);
    });
}

/** Certifies the best run of any kind: some tasks need only one result, such as a packing that anyone can check. */
async function certify(io: Io, id: string | undefined, { lead, out, json }: Options): Promise<void> {
  if (lead) throw refused('Expected --lead or --certificate, got both: a certificate is of the best run of all.');
  const { home } = configOf(io);
  const signal = io.signal ?? new AbortController().signal;
  const { certificate, files } = await withDb(io, async (db) =>
    makeCertificate(db, await pickResearch(db, id), { io, home, signal, now: new Date() }),
  );
  const written = out === undefined ? [] : await writeWorkspace(out, files);
  if (json) return printJson(io, { ...certificate, out: out ?? null, files: files.map(({ path }) => path) });
  for (const line of renderCertificate(certificate)) printLine(io, line);
  if (out !== undefined) printLine(io, `wrote ${written.length} files to ${out}`);
  if (out !== undefined && certificate.repeatable)
    printLine(io, `anyone who has the task can repeat it: npx perpetua verify ${shellWord(out)} --task TASK`);
}

/** Reports the score of the best on held-out data, which is made at the first call. */
async function reportHeldOut(io: Io, id: string | undefined, options: Options): Promise<void> {
  const { lead = false, certificate = false, out, json } = options;
  if (lead || certificate || out !== undefined)
    throw refused(
      'Expected --held-out without --lead, --certificate and --out: it scores the best, and writes no file.',
    );
  const { home } = configOf(io);
  const signal = io.signal ?? new AbortController().signal;
  const { research, report } = await withDb(io, async (db) => {
    const picked = await pickResearch(db, id);
    return { research: picked, report: await scoreHeldOut(db, picked, { io, home, signal }) };
  });
  const { name: metric, unit = null } = research.task.metric;
  if (json) return printJson(io, { workflowId: research.id, metric, ...report });
  for (const line of renderHeldOut(report, { metric, unit })) printLine(io, line);
}
