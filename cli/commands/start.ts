import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { readResearch, type ResearchView } from '../../db/reads/read-research.ts';
import { countKnownSlots } from '../../db/slot/slots.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/continue-as-new.ts';
import { describeIssue, QUEUES, ResearchArgs, WORKFLOWS } from '../../domain/messages.ts';
import { fitOverrides } from '../../domain/task/overrides.ts';
import type { Task } from '../../domain/task/task.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { plural } from '../../domain/text/plural.ts';
import { describeResearch } from '../temporal/describe-research.ts';
import { refused } from '../errors.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { addSourceOptions, type SourceOptions } from '../source/options.ts';
import { acceptDashedKnobs } from '../source/knobs/join-knobs.ts';
import { makeTask } from '../source/make-task.ts';
import { withTemporal, withDb } from '../context.ts';
import { alreadyOpen, readUnknownSetting } from '../temporal/already-open.ts';
import { awaitOpening } from '../temporal/await-opening.ts';
import { withSourceOffer, withWaysOut } from '../source/offer-source.ts';
import { printChangeHint } from '../source/print-change-hint.ts';
import { type Export, followStarted, planExport, requireBranch } from '../git/follow-started.ts';
import { allowance, spendOf } from '../../domain/research/budget.ts';
import { budgetUseOf } from '../../view/budget.ts';
import { researchPlan } from '../../view/research-plan.ts';
import { raiseCommand } from '../../view/rows/raise-budget.ts';
import { readMemoryOption } from '../arguments/read-memory-option.ts';
import { requireResearchId } from '../arguments/require-research-id.ts';
import { readOverrideOptions } from '../arguments/read-override-options.ts';
import { readPreset } from '../arguments/read-preset.ts';
import { presetNote } from '../render/lists/preset.ts';
import { requireSinks } from '../notify/require-sinks.ts';
import { printOrigin } from '../policy/print-origin.ts';
import { locateTask } from '../task/locate-task.ts';
import { readTemporalState } from '../temporal/read-temporal-state.ts';
import { describeAllFailing } from '../render/failing.ts';
import { PROPOSERS } from '../../domain/search/proposer/table.ts';

interface Options extends Partial<SourceOptions> {
  id?: string;
  window?: string;
  budgetTrials?: string;
  budgetProposals?: string;
  budgetHours?: string;
  budgetHoursWithoutClaim?: string;
  budgetSlotSeconds?: string;
  budgetTokens?: string;
  budgetUsd?: string;
  whenSpent?: string;
  proposer?: string;
  preset?: string;
  set?: string[];
  seed?: string;
  memory?: string;
  notify?: string[];
  git?: string | true;
  json?: boolean;
}

export function registerStart(program: Command, io: Io): void {
  const command = program
    .command('start [task]')
    .description(
      'Start a research on a task (a built-in name or a folder), or go on with one that ended under that id. ' +
        'With --source it makes the task first.',
    )
    .option('--id <id>', "the research's id (default: the task's name)")
    .option('--window <n>', 'trials under way at once, or auto')
    .option('--proposer <name>', 'proposer: a name that search.proposer takes')
    .option(
      '--preset <name>',
      'a method for a new research, such as tpe or grpo (docs/reference/presets.md); --set wins',
    )
    .option(
      '--set <key=value>',
      "a value in place of the task's, such as search.parent=best; for a new research, may be repeated",
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--seed <root>', 'root of its seeds (default: its id); researches with the same root are paired')
    .option('--memory <from:ID>', 'begin with the memory of another research, such as from:nano-lm')
    .option('--budget-trials <n>', 'end after so many trials')
    .option('--budget-proposals <n>', 'end after so many proposals, with copies and rejected ones')
    .option('--budget-hours <n>', 'end after so many hours, pauses not counted')
    .option('--budget-hours-without-claim <n>', 'end after so many hours without a claim')
    .option('--budget-slot-seconds <n>', 'end after so many seconds on slots')
    .option('--budget-tokens <n>', 'end after so many tokens')
    .option('--budget-usd <n>', 'end after so many US dollars')
    .option('--when-spent <what>', 'once a budget is spent: stop, or wait for a raise')
    .option(
      '--notify <sink>',
      'a sink that gets its messages (default: all); may be repeated',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--git [repo]', "then follow the research: commit each claim to this repository (default: the source's)")
    .option('--json', 'one JSON object')
    .action(async (task: string | undefined, options: Options) => {
      const claims = await planExport(io, options);
      await start(io, await chooseTask(io, task, options), { ...options, claims });
    });
  addSourceOptions(command);
  acceptDashedKnobs(command);
}

/** Returns the named task's name or folder; with --source, makes a task of the program and returns its folder. */
async function chooseTask(io: Io, task: string | undefined, { source, ...options }: Options): Promise<string> {
  if (task !== undefined && source === undefined) return task;
  if (source === undefined || task !== undefined)
    throw refused('Expected a task, or --source with the folder of a program, and not both.');
  return makeTask(io, { ...options, source });
}

async function start(io: Io, nameOrPath: string, options: Options & { claims: Export | null }): Promise<void> {
  const { name, location, task } = await loadTask(io, nameOrPath, options.id ?? nameOrPath);
  const input = argsOf({ location, task }, options);
  const id = requireResearchId(options.id ?? name);
  if (options.claims !== null) await requireBranch(io, id, options.claims);
  await withDb(io, (db) => requireSinks(db, options.notify ?? []));
  const before = await knownResearch(io, id);
  if (before === undefined) await printPlan(io, plannedTask(task, input), input.budget?.trials ?? null);
  const opened = await withTemporal(io, async (temporal) => {
    const { client, address } = temporal;
    const handle = await client.workflow
      .start(WORKFLOWS.research, {
        workflowId: id,
        taskQueue: QUEUES.main,
        workflowTaskTimeout: WORKFLOW_TASK_MS,
        args: [input],
        memo: { task: name },
        ...describeResearch(task),
      })
      .catch(async (error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
        throw alreadyOpen(id, before?.phase);
      });
    const runId = handle.firstExecutionRunId;
    const opened = await awaitOpening(temporal, { workflowId: id, runId }, io).catch((error: unknown) => {
      throw options.source === undefined ? error : withWaysOut(error, location);
    });
    if (options.json) {
      const exposure = opened?.exposure ?? null;
      printJson(io, {
        workflowId: id,
        runId,
        task: input.task,
        namespace: address.namespace,
        opened: opened !== null,
        exposure,
      });
      return opened;
    }
    const unknown = opened ? null : await readUnknownSetting(temporal, { workflowId: id, runId });
    printLine(io, startedText({ id, name, before, unknown }));
    if (opened?.exposure) printLine(io, `  runs    ${oneLine(opened.exposure)}`);
    if (opened) await printOrigin(io, id);
    if (address.uiUrl)
      printLine(io, `  web ui  ${address.uiUrl}/namespaces/${address.namespace}/workflows/${encodeURIComponent(id)}`);
    printLine(io, `  watch   npx perpetua watch ${id}`);
    return opened;
  });
  if (!opened && !options.json) await noteObstacles(io, id);
  if (options.source !== undefined) printChangeHint(io, { id, folder: nameOrPath, task: location });
  if (opened && before !== undefined) await noteSpent(io, before);
  const published = options.preset === undefined ? null : presetNote(options.preset, readPreset(options.preset));
  if (opened && published !== null) printNote(io, published);
  if (opened && options.claims !== null) {
    await followStarted(io, id, { ...options.claims, json: options.json ?? false });
  }
}

/** The task with the values that this start gives in place of its own. */
function plannedTask(task: Task, { search = {}, abort = {}, keep = {}, window }: Partial<ResearchArgs>): Task {
  const { task: fitted } = fitOverrides(task, { search, abort, keep });
  return { ...fitted, search: { ...fitted.search, window: window ?? fitted.search.window } };
}

/** Prints how long a new research takes until its first verdict, and for its trials. */
async function printPlan(io: Io, task: Task, budgetTrials: number | null): Promise<void> {
  // A database that is away is reported by the start itself.
  const slots = await withDb(io, (db) => countKnownSlots(db, task.run.resources.pool)).catch(() => 0);
  for (const line of researchPlan({ task, budgetTrials, slots })) printNote(io, `plan: ${line}`);
}

interface Started {
  id: string;
  name: string;
  before: ResearchView | undefined;
  unknown: string | null;
}

function startedText({ id, name, before, unknown }: Started): string {
  const subject = `the research ${id} on the task ${name}`;
  if (unknown !== null) return `${subject} waits for a worker that knows ${unknown}`;
  if (before === undefined) return `started ${subject}`;
  return `${subject} is open again: ${plural(before.lastN, 'trial')} so far`;
}

/** Reads a research; undefined if the database has none with this id, or if it is unreachable. */
async function knownResearch(io: Io, researchId: string): Promise<ResearchView | undefined> {
  return withDb(io, (db) => readResearch(db, { researchId })).catch(() => undefined);
}

/**
 * Prints a note if the research had spent its budget before this start. Spending since the start does not count: the
 * research may have begun its last trials by now.
 */
async function noteSpent(io: Io, before: ResearchView): Promise<void> {
  const now = await knownResearch(io, before.id);
  if (now === undefined) return;
  const facts = { ...before, budget: now.budget };
  const { spent } = allowance(now.budget, spendOf(facts));
  if (!spent) return;
  const stops = now.budget.whenSpent === 'stop';
  const phase = stops ? ('stopped' as const) : ('waiting' as const);
  const raise = raiseCommand({ id: now.id, task: now.task.name, phase, budget: budgetUseOf(facts) });
  const more = raise === null ? '' : `. To ${stops ? 'start it with a larger budget' : 'raise its budget'}: ${raise}`;
  printNote(io, `note: ${spent}, so no new proposal starts and the research ${stops ? 'ends' : 'waits'}${more}`);
}

/**
 * Loads the named task. If no folder has that name, returns the version that the research of this id stored. Only the
 * first start of a research names the folder of a user's task.
 */
async function loadTask(
  io: Io,
  nameOrPath: string,
  id: string,
): Promise<{ name: string; location: string; task: Task }> {
  try {
    const { loaded, task } = await locateTask(io, nameOrPath);
    return { name: loaded.task.name, location: task, task: loaded.task };
  } catch (error) {
    // If the folder exists, the user means it and needs its error.
    if (existsSync(nameOrPath)) throw await withSourceOffer(error, nameOrPath);
    const known = await knownResearch(io, id);
    if (known?.id === nameOrPath && known.task.name !== nameOrPath)
      throw refused(
        `Expected a task, got ${JSON.stringify(nameOrPath)}, which is a research on ${known.task.name}. ` +
          `To go on with it: npx perpetua start ${known.task.name} --id ${nameOrPath}`,
      );
    if (known?.task.name !== nameOrPath) throw error;
    return { name: nameOrPath, location: nameOrPath, task: known.task };
  }
}

/** Prints why no worker has opened the research yet, as far as Temporal knows. */
async function noteObstacles(io: Io, id: string): Promise<void> {
  const state = await readTemporalState(io, { researchId: id, trialIds: [] });
  const lines = [...state.notes, ...describeAllFailing(state.failing ?? [], new Date())];
  if (lines.length === 0) lines.push(`no worker has opened it yet. To see its state: npx perpetua status ${id}`);
  for (const line of lines) printNote(io, `note: ${line}`);
}

/** Builds the workflow's input. It has only the given options: the task's values apply to all others. */
function argsOf({ location, task }: { location: string; task: Task }, options: Options): Partial<ResearchArgs> {
  if (options.proposer !== undefined) requireProposer(options.proposer);
  const overrides = readOverrideOptions(options, task);
  const budget = {
    ...given('trials', options.budgetTrials, numberOf('--budget-trials')),
    ...given('proposals', options.budgetProposals, numberOf('--budget-proposals')),
    ...given('hours', options.budgetHours, numberOf('--budget-hours')),
    ...given('hoursWithoutClaim', options.budgetHoursWithoutClaim, numberOf('--budget-hours-without-claim')),
    ...given('slotSeconds', options.budgetSlotSeconds, numberOf('--budget-slot-seconds')),
    ...given('tokens', options.budgetTokens, numberOf('--budget-tokens')),
    ...given('usd', options.budgetUsd, numberOf('--budget-usd')),
    ...given('whenSpent', options.whenSpent, (text) => text),
  };
  const input = {
    task: location,
    ...overrides,
    ...given('window', options.window, (text) => (text === 'auto' ? text : numberOf('--window', ' or auto')(text))),
    ...given('proposer', options.proposer, (text) => text),
    ...given('seed', options.seed, (text) => text),
    ...given('memoryFrom', options.memory, readMemoryOption),
    ...(options.notify && { notify: [...new Set(options.notify)] }),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
  };
  const checked = ResearchArgs.safeParse(input);
  if (!checked.success)
    throw refused(`Expected options that a research takes; ${describeIssue(checked.error, input)}.`);
  return input; // The parsed value has defaults, which would override the task's values.
}

/** Refuses an unknown proposer. A worker would refuse it only after the research has started. */
function requireProposer(name: string): void {
  const known = Object.keys(PROPOSERS);
  if (!known.includes(name))
    throw refused(`Expected --proposer to be one of ${known.join(', ')}, got ${JSON.stringify(name)}.`);
}

const given = <T>(name: string, text: string | undefined, read: (text: string) => T): Record<string, T> =>
  text === undefined ? {} : { [name]: read(text) };

const numberOf =
  (option: string, or = '') =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value))
      throw refused(`Expected ${option} to be a number${or}, got ${JSON.stringify(text)}.`);
    return value;
  };
