import { z } from 'zod';
import { registerStart } from '../../commands/start.ts';
import { registerNote, registerPause, registerResume } from '../../commands/steering/signals.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { refused } from '../../errors.ts';
import { mayStart } from '../may-start.ts';
import { runCommand } from '../run-command.ts';
import { quiet, type Session } from '../session.ts';
import { after, RESEARCH, tool, type Tool } from './tool.ts';

const limit = z.number().min(0).optional();

const BUDGET = z
  .strictObject({
    trials: limit,
    proposals: limit,
    hours: limit,
    slotSeconds: limit,
    tokens: limit,
    usd: limit,
    whenSpent: z.enum(['stop', 'wait']).optional(),
  })
  .default({});

/** Options of `start` by the key of a budget. */
const BUDGET_OPTIONS = {
  trials: 'budget-trials',
  proposals: 'budget-proposals',
  hours: 'budget-hours',
  slotSeconds: 'budget-slot-seconds',
  tokens: 'budget-tokens',
  usd: 'budget-usd',
  whenSpent: 'when-spent',
} as const;

export const STEERS: readonly Tool[] = [
  tool({
    name: 'start',
    title: 'Start a research',
    description:
      'Starts a research on a task, or goes on with one that ended. It goes on after this conversation, until its ' +
      'budget is spent: give it one. Only tasks with `mayStart` in `tasks`.',
    input: {
      task: z.string().min(1).max(4096).describe('Name or folder of a task.'),
      id: z.string().min(1).max(200).optional().describe("Id of the research; default: the task's name."),
      budget: BUDGET.describe("Limits in place of the task's. A limit that you leave out stays."),
      proposer: z.string().min(1).max(100).optional(),
      preset: z.string().min(1).max(100).optional().describe('A published method, for a new research.'),
      set: z
        .array(z.string().regex(/^[\w.]+=/, 'key=value'))
        .max(50)
        .default([])
        .describe('Values in place of those of the task: key=value with keys of search, abort and keep.'),
    },
    readOnly: false,
    run: async ({ task, id, budget, proposer, preset, set }, call) => {
      requireStartable(call.session, task);
      const limits = Object.entries(BUDGET_OPTIONS).map(([key, option]) => [
        option,
        budget[key as keyof typeof BUDGET_OPTIONS],
      ]);
      const named = [['id', id], ['proposer', proposer], ['preset', preset], ...set.map((word) => ['set', word])];
      const options = [...named, ...limits].flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}=${value}`],
      );
      const { stdout, notes } = await runCommand(call, registerStart, ['start', '--json', ...options, '--', task]);
      return { text: stdout, notes };
    },
  }),
  tool({
    name: 'note',
    title: 'Advise the proposer',
    description: 'Gives the proposer advice, which enters its next prompts. A proposer without a prompt ignores it.',
    input: { research: RESEARCH, text: z.string().min(1).max(4000) },
    readOnly: false,
    run: async ({ research, text }, call) => {
      const id = research ?? (await withDb(quiet(call), (db) => pickResearch(db, undefined))).id;
      const { stdout, notes } = await runCommand(call, registerNote, ['note', '--json', '--', id, text]);
      return { text: stdout, notes };
    },
  }),
  tool({
    name: 'pause',
    title: 'Pause a research',
    description: 'Nothing new starts, runs finish.',
    input: { research: RESEARCH },
    readOnly: false,
    run: async ({ research }, call) => {
      const { stdout, notes } = await runCommand(call, registerPause, ['pause', '--json', ...after(research)]);
      return { text: stdout, notes };
    },
  }),
  tool({
    name: 'resume',
    title: 'Resume a paused research',
    description: 'A paused research goes on.',
    input: { research: RESEARCH },
    readOnly: false,
    run: async ({ research }, call) => {
      const { stdout, notes } = await runCommand(call, registerResume, ['resume', '--json', ...after(research)]);
      return { text: stdout, notes };
    },
  }),
];

function requireStartable(session: Session, task: string): void {
  if (mayStart(session, [task])) return;
  const allowed = session.startable === 'any' ? [] : session.startable;
  const expected = allowed.length === 0 ? 'no task, since the server was started without any' : allowed.join(', ');
  throw refused(
    `Expected a task that this server may start (${expected}); got ${JSON.stringify(task)}. ` +
      `A person allows it: \`npx perpetua mcp --tasks ${task}\`, or --allow-start for all tasks.`,
  );
}
