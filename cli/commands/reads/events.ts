import type { Command } from 'commander';
import type { Db } from '../../../db/connect.ts';
import { cursorBefore, FIRST_CURSOR, readEvents, type EventLine } from '../../../db/reads/read-events.ts';
import { CliError, refused } from '../../errors.ts';
import { printLine, printJson, type Io } from '../../io.ts';
import { withDb } from '../../context.ts';
import { parseNonNegative } from '../../arguments/parse-non-negative.ts';
import { readPhase, readResearchIds } from '../../../db/reads/read-research.ts';
import { renderEvent } from '../../render/event.ts';
import { hasEndedBy } from '../../../view/phase.ts';
import { followEvents } from '../../follow-events.ts';
import { readCounts } from '../../../db/reads/status/read-counts.ts';
import { describeFailedResearch } from '../../describe-failed-research.ts';
import { pickResearch } from '../../arguments/pick.ts';

/** Events in one read. */
const PAGE = 1000;

interface Options {
  json?: boolean;
  follow?: boolean;
  last?: string;
  after?: string;
}

export function registerEvents(program: Command, io: Io): void {
  program
    .command('events [id]')
    .description('Events in order: of one research, or of all researches and the hosts.')
    .option('--json', 'one JSON object a line')
    .option('-f, --follow', 'go on until Ctrl-C, or until the named research ends')
    .option('--last <n>', 'only the last n')
    .option('--after <cursor>', 'only the events after this cursor, which --json prints')
    .action(async (id: string | undefined, options: Options) => {
      await withDb(io, (db) => print(db, io, { id, options }));
    });
}

async function print(db: Db, io: Io, { id, options }: { id: string | undefined; options: Options }): Promise<void> {
  const scope = id === undefined ? {} : { researchId: await resolveId(db, id) };
  if (options.after !== undefined && !/^\d+:\d+$/.test(options.after))
    throw refused(`Expected --after to be a cursor like ${FIRST_CURSOR}, got ${JSON.stringify(options.after)}.`);
  const last = options.last === undefined ? undefined : Math.floor(parseNonNegative('--last', options.last));
  let after = options.after ?? (last === undefined ? FIRST_CURSOR : await cursorBefore(db, { ...scope, last }));
  let lastPhase: EventLine | undefined;
  const show = (line: EventLine): void => {
    if (line.kind === 'phase') lastPhase = line;
    if (options.json) printJson(io, line);
    else printLine(io, renderEvent(line));
  };
  /** Prints all events that are stored by now. */
  const showNew = async (): Promise<'over' | 'open'> => {
    const phase = scope.researchId === undefined ? undefined : await readPhase(db, { researchId: scope.researchId });
    for (let lines; (lines = await readEvents(db, { ...scope, after, limit: PAGE })).length > 0;) {
      lines.forEach(show);
      after = lines.at(-1)?.cursor ?? after;
    }
    return hasEndedBy(phase, lastPhase) ? 'over' : 'open';
  };
  await showNew();
  if (!options.follow) return;
  await followEvents(io, showNew);
  if (scope.researchId !== undefined) await failIfFailed(db, scope.researchId);
}

/** Throws CliError if the research ended badly: a script that waits for its end gets the exit code, as from `watch`. */
async function failIfFailed(db: Db, id: string): Promise<void> {
  const phase = await readPhase(db, { researchId: id });
  if (phase === undefined) return;
  const why = describeFailedResearch({ id, phase, byStatus: (await readCounts(db, { researchId: id })).byStatus });
  if (why) throw new CliError('failed', why);
}

/** Resolves an id without reading the research: a release that cannot read the row can still read the events. */
async function resolveId(db: Db, id: string): Promise<string> {
  return (await readResearchIds(db)).includes(id) ? id : (await pickResearch(db, id)).id;
}
