import type { Command } from 'commander';
import { plural } from '../../domain/text/plural.ts';
import { parseNonNegative } from '../arguments/parse-non-negative.ts';
import { CliError } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { configOf, withDb } from '../context.ts';
import { openCompute } from '../check/protections.ts';
import { readNeeded } from '../../db/reads/read-needed.ts';
import { countDroppable, dropArtefacts } from '../../db/run/drop-artefacts.ts';
import { countDetails, dropDetails } from '../../db/event/drop-details.ts';
import { countEndedAttention, dropEndedAttention } from '../../db/attention/drop-ended.ts';
import { countBodies, dropBodies } from '../../db/call/drop-bodies.ts';
import { countDelivered, dropDelivered } from '../../db/notify/deliveries.ts';
import { countOutputs, dropOutputs } from '../../db/job/drop-outputs.ts';
import { environmentKey } from '../../infra/python/environments.ts';
import { runSocketsIn, socketFolderOf } from '../../infra/gateway/run-gateway.ts';
import { removeOld, removeOldFiles } from '../clean/old-files.ts';
import { removeStepLeftovers, removeOldCheckpoints } from '../clean/old-checkpoints.ts';
import { removeInstallLeftovers } from '../clean/remove-install-leftovers.ts';
import { cleanWithoutPostgres } from '../clean/clean-without-postgres.ts';

interface Options {
  dryRun?: boolean;
  olderThan: string;
  keep: string;
  json?: boolean;
}

/** Names of removed entries, and of run directories that could not be removed. */
interface Result {
  dryRun: boolean;
  runs: string[];
  killed: string[];
  failed: { name: string; reason: string }[];
  stages: string[];
  logs: string[];
  /** Step keys of policy checkpoints that no research needs any more. */
  checkpoints: string[];
  /** Leftovers of dead steps, of killed installations, and of agents whose job has lost its workflow. */
  leftovers: string[];
  /** Contents of artefacts in Postgres that no trial needs any more. */
  artefacts: { files: number; bytes: number };
  /** Number of old events of single trials in Postgres. */
  events: number;
  /** Number of old entries of `perpetua attention` in Postgres that are over. */
  attention: number;
  /** Number of messages in Postgres that were delivered long ago. */
  messages: number;
  /** Number of `perpetua run` commands whose output was removed from Postgres. */
  outputs: number;
  /** Number of model calls whose request and answer were removed from Postgres. */
  calls: number;
}

export function registerClean(program: Command, io: Io): void {
  program
    .command('clean')
    .description(
      'Remove what no research needs any more. ' +
        'On this machine: run directories, workspaces, Python environments, rotated logs, old checkpoints, ' +
        'and leftovers of killed steps and installations. ' +
        'In Postgres: contents of artefacts, old events of single trials, the output of commands, ' +
        'and, with PERPETUA_CALL_DAYS, old requests and answers of models.',
    )
    .option('--dry-run', 'only say what would be removed')
    .option('--older-than <hours>', 'nothing younger is touched', '1')
    .option('--keep <n>', 'run directories and artefacts of the last n trials of each research stay', '20')
    .option('--json', 'one JSON object')
    .action((options: Options) => clean(io, options));
}

async function clean(io: Io, options: Options): Promise<void> {
  const hours = parseNonNegative('--older-than', options.olderThan);
  const last = Math.floor(parseNonNegative('--keep', options.keep));
  const dryRun = options.dryRun === true;
  const olderThanSeconds = hours * 3600;
  const { home, trainer, agentCache, callDays } = configOf(io);
  const rethrow = async (error: unknown): Promise<never> => {
    throw await cleanWithoutPostgres(error, { home, olderThanSeconds, dryRun });
  };
  const compute = await openCompute(io);
  const readAt = performance.now();
  const needed = await withDb(io, (db) => readNeeded(db, { last })).catch(rethrow);
  // An entry that is younger than this answer may be needed.
  const leastAge = () => Math.max(olderThanSeconds, (performance.now() - readAt) / 1000);
  const swept = await compute.sweep({ keep: needed.runs, olderThanSeconds: leastAge(), dryRun });
  const keepStages = [...needed.stages, ...needed.environments.map(environmentKey)];
  const files = await removeOldFiles({ home, keepStages, olderThanSeconds: leastAge(), dryRun });
  const limits = { home, olderThanSeconds, dryRun };
  const checkpoints = await withDb(io, (db) => removeOldCheckpoints(db, limits)).catch(rethrow);
  const sockets = new Set(needed.runs.map(socketFolderOf));
  const leftovers = await removeOld(
    runSocketsIn(home),
    { olderThanSeconds: leastAge(), dryRun },
    (name) => !sockets.has(name),
  );
  leftovers.push(...(await removeStepLeftovers(limits)));
  for (const cache of new Set([trainer.cache, agentCache]))
    leftovers.push(...(await removeInstallLeftovers(cache, limits)));
  // Rows come after files: Postgres needs free disk space to delete rows.
  const dropContents = dryRun ? countDroppable : dropArtefacts;
  const artefacts = await withDb(io, (db) => dropContents(db, { last, olderThanSeconds })).catch(rethrow);
  const events = await withDb(io, dryRun ? countDetails : dropDetails).catch(rethrow);
  const attention = await withDb(io, dryRun ? countEndedAttention : dropEndedAttention).catch(rethrow);
  const messages = await withDb(io, dryRun ? countDelivered : dropDelivered).catch(rethrow);
  const dropPrinted = dryRun ? countOutputs : dropOutputs;
  const outputs = await withDb(io, (db) => dropPrinted(db, { olderThanSeconds })).catch(rethrow);
  const dropCalls = dryRun ? countBodies : dropBodies;
  const calls = callDays === null ? 0 : await withDb(io, (db) => dropCalls(db, { days: callDays })).catch(rethrow);
  const result: Result = {
    dryRun,
    runs: swept.removed,
    killed: swept.killed,
    failed: swept.failed,
    stages: files.stages,
    logs: files.logs,
    checkpoints,
    leftovers,
    artefacts,
    events,
    attention,
    messages,
    outputs,
    calls,
  };
  if (!options.json) printResult(io, result);
  if (result.failed.length > 0) {
    const message = `${count(result.failed, 'run directory', 'run directories')} could not be removed`;
    throw new CliError('failed', message, { result });
  }
  if (options.json) printJson(io, result);
}

function printResult(io: Io, result: Result): void {
  const { dryRun } = result;
  const verb = dryRun ? 'would remove' : 'removed';
  printLine(
    io,
    `${verb} ${count(result.runs, 'run directory', 'run directories')}, ` +
      `${count(result.stages, 'workspace')}, ${count(result.logs, 'log')}`,
  );
  if (result.checkpoints.length > 0) printLine(io, `${verb} ${count(result.checkpoints, 'checkpoint')} of policies`);
  if (result.leftovers.length > 0)
    printLine(io, `${verb} ${count(result.leftovers, 'leftover')} of steps and installations`);
  const { files, bytes } = result.artefacts;
  if (files > 0)
    printLine(
      io,
      `${verb} the contents of ${plural(files, 'artefact')}, ${(bytes / 1e6).toFixed(1)} MB, from Postgres, ` +
        'which reuses that space (to return it to the disk: vacuum full blobs)',
    );
  if (result.events > 0) printLine(io, `${verb} ${plural(result.events, 'old event')} of single trials from Postgres`);
  if (result.attention > 0)
    printLine(io, `${verb} ${plural(result.attention, 'old entry')} of attention from Postgres`);
  if (result.messages > 0) printLine(io, `${verb} ${plural(result.messages, 'old message')} from Postgres`);
  if (result.outputs > 0) printLine(io, `${verb} the output of ${plural(result.outputs, 'command')} from Postgres`);
  if (result.calls > 0)
    printLine(io, `${verb} request and answer of ${plural(result.calls, 'old model call')} from Postgres`);
  if (result.killed.length > 0)
    printLine(io, `${dryRun ? 'would kill' : 'killed'} ${count(result.killed, 'run')} that no trial owns any more`);
  for (const { name, reason } of result.failed) printLine(io, `could not remove run directory ${name}: ${reason}`);
}

const count = (list: unknown[], singular: string, pluralForm = `${singular}s`): string =>
  `${list.length} ${list.length === 1 ? singular : pluralForm}`;
