import type { Command } from 'commander';
import type { Config } from '../../config/load.ts';
import { describeVariables } from '../../config/variables.ts';
import { CliError, refused } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import { configOf } from '../context.ts';
import { startStack } from '../up/stack.ts';
import { listenForInterrupts } from '../up/interrupts.ts';
import { createEventReporter } from '../up/event-reporter.ts';
import { shutDownStack } from '../up/shut-down-stack.ts';
import { locateTask } from '../task/locate-task.ts';
import { openSetupFile } from '../up/setup-file.ts';
import { startResearch, resumeResearches } from '../up/start-research.ts';
import { resumeJobs } from '../up/resume-jobs.ts';
import { temporalShellVariables } from '../up/temporal-shell-variables.ts';
import { postgresCommand } from '../up/postgres-command.ts';
import { hasModel } from '../../config/has-model.ts';
import { connect } from '../../db/connect.ts';
import { readOtherResearches } from '../../db/reads/status/read-other-researches.ts';
import { describeOthers } from '../../view/phase.ts';
import { hasDisplay, isAttended, openBrowser } from '../dashboard/open-browser.ts';
import { followResearch } from '../up/view/follow-research.ts';
import { shownAddresses, dashboardLine, withoutPassword } from '../up/addresses.ts';
import { readTemporalState } from '../temporal/read-temporal-state.ts';
import { staleProposer } from '../../domain/search/proposer/stale-proposer.ts';

const DEMO = 'nano-lm';
/** Longest wait for Temporal's answer. Events are printed meanwhile. */
const TEMPORAL_MS = 5000;
/** Time in which the worker that `up` has started may not poll yet: on a busy machine it takes seconds to load. */
const WORKER_STARTS_MS = 30_000;

interface Options {
  task?: string;
  demo: boolean;
  untilEnded?: boolean;
  freshTemporal?: boolean;
  workers?: string;
  json?: boolean;
  dashboard: boolean;
  steer?: boolean;
}

export function registerUp(program: Command, io: Io): void {
  program
    .command('up')
    .description('Start Postgres, Temporal and a worker, start the research of a task, and print its events.')
    .option(
      '--task <task>',
      'the task (a built-in name or a folder) to start or go on with; ' +
        `default: ${DEMO}, unless its research was stopped`,
    )
    .option('--no-demo', 'start the servers and the worker only')
    .option('--until-ended', 'end when the research has ended; without it, only Ctrl-C or `down` ends the command')
    .option('--fresh-temporal', "move Temporal's database file away; researches go on from Postgres")
    .option('--no-dashboard', 'serve no dashboard')
    .option('--steer', 'let the page of the dashboard steer: pause, stop, budget and more')
    .option('--workers <n>', 'worker processes', '1')
    .option('--json', 'one JSON object for each event and each change of the research')
    .addHelpText('after', `\nEnvironment:\n${describeVariables()}`)
    .action((options: Options) => up(io, options));
}

async function up(io: Io, options: Options): Promise<void> {
  if (!/^[1-9]\d?$/.test(options.workers ?? '1'))
    throw refused(`Expected --workers to be a number from 1 to 99, got ${JSON.stringify(options.workers)}.`);
  if (options.steer && !options.dashboard)
    throw refused('Expected --steer with a dashboard; leave out --no-dashboard.');
  const json = options.json ?? false;
  const config = configOf(io);
  // A bad task is refused before anything starts.
  const located = options.demo ? await locateTask(io, options.task ?? DEMO) : null;
  io.interruptOnClosedOutput?.();
  const interrupts = listenForInterrupts(io.signal);
  const setup = options.dashboard ? openSetupFile(config.home) : null;
  const onEvent = createEventReporter({ io, json, home: config.home, also: setup?.onEvent });
  try {
    const reportStop = () =>
      onEvent({ type: 'step', part: 'stack', text: 'interrupted: stopping the started parts, and cleaning up' });
    interrupts.first.addEventListener('abort', reportStop, { once: true });
    const stack = await startStack(config, {
      onEvent,
      signal: interrupts.first,
      freshTemporal: options.freshTemporal ?? false,
      workers: Number(options.workers ?? 1),
      steer: options.steer ?? false,
      ...(options.dashboard ? { onDashboard: () => void openAttended(io, config), onHeld: () => setup?.begin() } : {}),
    }).catch((error: unknown) => {
      if (interrupts.first.aborted)
        throw new CliError('failed', 'interrupted before everything was up; the started parts are stopped');
      throw error;
    });
    interrupts.first.removeEventListener('abort', reportStop);
    let hard = false;
    try {
      if (options.freshTemporal) {
        const { started, refused } = await resumeJobs(config, stack.addresses());
        for (const id of started) onEvent({ type: 'ready', part: 'temporal', text: `${id} goes on from Postgres` });
        for (const text of refused) onEvent({ type: 'warning', part: 'temporal', text });
        const { resumed, damaged } = await resumeResearches(config, stack.addresses());
        for (const id of resumed)
          onEvent({ type: 'ready', part: 'temporal', text: `research ${id} goes on from Postgres` });
        for (const text of damaged) onEvent({ type: 'warning', part: 'postgres', text });
      }
      const asked = options.task !== undefined;
      const opened = located && (await startResearch(config, stack.addresses(), { ...located, asked }));
      const id = opened?.id ?? null;
      const others = await describeOtherResearches(stack.addresses().databaseUrl, id);
      for (const text of [...(opened?.notes ?? []), ...others]) onEvent({ type: 'step', part: 'stack', text });
      const postgres = postgresCommand(config, stack.addresses().databaseUrl);
      const shell = temporalShellVariables(config, stack.addresses().temporal);
      if (shell.length > 0)
        onEvent({ type: 'ready', part: 'temporal', text: `to steer from a shell: export ${shell.join(' ')}` });
      setup?.end(null);
      const shown = {
        io,
        json,
        signal: interrupts.first,
        addresses: stack.addresses,
        shell,
        postgres,
        dashboardPort: await stack.dashboardPort(),
        asksModel: hasModel(config),
        untilEnded: options.untilEnded ?? false,
      };
      if (id !== null) await watchResearch({ ...shown, id });
      else await waitForEnd(shown);
    } finally {
      hard = await shutDownStack({ config, stack, onEvent }, interrupts);
    }
    if (hard) process.exitCode = 130;
  } catch (error) {
    setup?.end(error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    interrupts.dispose();
  }
}

/** Describes the other researches of the database: one line, or none. `id`: the followed research, or null. */
async function describeOtherResearches(databaseUrl: string, id: string | null): Promise<string[]> {
  const { db, close } = connect(databaseUrl, { max: 1, onError: () => {} });
  try {
    const line = describeOthers(await readOtherResearches(db, { but: id }));
    return line === null ? [] : [`${id === null ? 'researches' : 'other researches'}: ${line}`];
  } finally {
    await close();
  }
}

/** Opens the dashboard in a browser if a person uses this terminal and a browser has a display. */
async function openAttended(io: Io, config: Config): Promise<void> {
  if (isAttended(config, io.stdout) && hasDisplay(config)) openBrowser(config);
}

interface Shown {
  io: Io;
  /** True: JSON objects instead of lines. */
  json: boolean;
  signal: AbortSignal;
  /** Variables that a shell exports before it uses the `temporal` command. */
  shell: string[];
  /** True if the workers have a model endpoint. */
  asksModel: boolean;
  untilEnded: boolean;
  /** Command that opens the database, or the database's address without its password. */
  postgres: string;
  /** Null if no dashboard runs. */
  dashboardPort: number | null;
  addresses: () => { databaseUrl: string; uiUrl: string | null; temporal: { address: string; namespace: string } };
}

/** Prints the research's events until Ctrl-C, or until the research has ended. */
async function watchResearch({
  io,
  json,
  signal,
  addresses,
  shell,
  postgres,
  dashboardPort,
  asksModel,
  untilEnded,
  id,
}: Shown & { id: string }): Promise<void> {
  const { databaseUrl, uiUrl, temporal } = addresses();
  const startsUntil = performance.now() + WORKER_STARTS_MS;
  await followResearch({
    databaseUrl,
    researchId: id,
    addresses: shownAddresses({
      postgres,
      temporal: { ...temporal, connection: {}, uiUrl },
      researchId: id,
      shell,
      dashboardPort,
    }),
    ask: (trialIds) =>
      readTemporalState(io, {
        researchId: id,
        trialIds,
        limitMs: TEMPORAL_MS,
        workerStarting: performance.now() < startsUntil,
      }),
    signal,
    untilEnded,
    notes: (research) => (asksModel ? staleProposer(research) : []),
    out: io.stdout,
    ...(json ? { onStatus: (status) => printJson(io, status) } : {}),
  });
}

async function waitForEnd({ io, json, signal, addresses, postgres, dashboardPort }: Shown): Promise<void> {
  const { databaseUrl, uiUrl, temporal } = addresses();
  const dashboard = dashboardPort === null ? null : `http://127.0.0.1:${dashboardPort}`;
  if (json)
    printJson(io, {
      event: 'up',
      temporal: temporal.address,
      uiUrl,
      postgres: withoutPassword(databaseUrl),
      dashboard,
    });
  else {
    printLine(io, `Everything is up. Web UI ${uiUrl ?? '(unknown)'}, Temporal ${temporal.address}`);
    printLine(io, `Postgres  ${postgres}`);
    if (dashboard !== null) printLine(io, `Dashboard  ${dashboardLine(dashboard)}`);
    printLine(io, 'To start a research: npx perpetua start TASK. To stop: Ctrl-C here, or npx perpetua down anywhere');
  }
  if (signal.aborted) return;
  // A pending promise alone does not keep the process alive; the timers of the stack's guards do.
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
