import type { Command } from 'commander';
import { readReport } from '../../../db/reads/report/read-report.ts';
import { readResearches } from '../../../db/reads/read-research.ts';
import { isCheck } from '../../../domain/research/check-id.ts';
import type { ResearchReport } from '../../../view/report/report.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { readSince } from '../../arguments/read-since.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { printJson, printNote, type Io } from '../../io.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../render/report/formats.ts';

interface Options {
  since?: string;
  format: string;
  json?: boolean;
}

export function registerReport(program: Command, io: Io): void {
  program
    .command('report [ids...]')
    .description('What happened: claims, ideas, failures, cost, what comes next, and what needs you.')
    .option('--since <time>', 'only what happened since then: 9h, 3d, or a time such as 2026-11-30T08:00Z')
    .option('--format <format>', 'text, md or html', 'text')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nWithout an id: all researches. Example: npx perpetua report nano-lm --since 9h')
    .action((ids: string[], options: Options) => report(io, ids, options));
}

async function report(io: Io, ids: readonly string[], { since: text, format, json = false }: Options): Promise<void> {
  if (!(format in REPORT_FORMATS))
    throw refused(
      `Expected --format to be one of ${Object.keys(REPORT_FORMATS).join(', ')}; got ${JSON.stringify(format)}.`,
    );
  const now = new Date();
  const since = text === undefined ? undefined : readSince('--since', text, now);
  const reports = await withDb(io, async (db) => {
    const all: ResearchReport[] = [];
    for (const research of await chosen(ids)) all.push(await readReport(db, { research, since, now }));
    return all;

    async function chosen(names: readonly string[]) {
      if (names.length > 0) return Promise.all(names.map((id) => pickResearch(db, id)));
      const { sound, damaged } = await readResearches(db);
      for (const { message } of damaged) printNote(io, `! ${message}`);
      return sound.filter(({ id }) => !isCheck(id));
    }
  });
  if (json) return printJson(io, { at: now.toISOString(), researches: reports });
  if (reports.length === 0) printNote(io, 'No research has been started yet. Start one: npx perpetua start nano-lm');
  else io.stdout.write(REPORT_FORMATS[format as ReportFormat]({ reports, at: now }));
}
