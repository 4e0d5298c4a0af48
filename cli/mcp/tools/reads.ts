import { z } from 'zod';
import { lastLines, shortJson, sliceText } from '../../../domain/mcp/shorten.ts';
import { uriOf } from '../../../domain/mcp/address.ts';
import { registerAttention } from '../../commands/reads/attention.ts';
import { registerBest } from '../../commands/reads/best.ts';
import { registerDiff } from '../../commands/reads/trial/diff.ts';
import { registerList } from '../../commands/reads/list.ts';
import { registerLog } from '../../commands/reads/trial/log.ts';
import { registerReport } from '../../commands/reads/report.ts';
import { registerShow } from '../../commands/reads/trial/show.ts';
import { registerStatus } from '../../commands/reads/status.ts';
import type { Answer } from '../answer.ts';
import { mayStart } from '../may-start.ts';
import { runCommand, type Ran } from '../run-command.ts';
import { after, RESEARCH, tool, TRIAL, type Tool } from './tool.ts';

/** The JSON that a command printed, cut to fit. `rest`: how to get what was left out. */
function jsonAnswer(value: unknown, { notes }: Pick<Ran, 'notes'>, rest: string): Answer {
  const { text, isWhole } = shortJson(value);
  return { text, notes: isWhole ? notes : [...notes, `This answer was shortened. ${rest}`] };
}

const LAST_TRIALS = 20;

export const READS: readonly Tool[] = [
  tool({
    name: 'tasks',
    title: 'Researches and tasks',
    description:
      'Lists the researches with their phases and best values, and the known tasks; `mayStart`: true if `start` ' +
      'accepts the task.',
    input: {},
    readOnly: true,
    run: async (_, call) => {
      const ran = await runCommand(call, registerList, ['list', '--json']);
      const { researches, tasks } = JSON.parse(ran.stdout) as { researches: unknown[]; tasks: KnownTask[] };
      const known = tasks.map((task) => ({ ...task, mayStart: mayStart(call.session, [task.name, task.path]) }));
      return jsonAnswer({ researches, tasks: known }, ran, 'For one research: status.');
    },
  }),
  tool({
    name: 'status',
    title: 'Where a research stands',
    description:
      'Phase, metric, baseline, best and lead, counts of trials and verdicts, spent budget and its forecast, alerts.',
    input: { research: RESEARCH },
    readOnly: true,
    run: async ({ research }, call) => {
      const ran = await runCommand(call, registerStatus, ['status', '--json', ...after(research)]);
      return jsonAnswer(JSON.parse(ran.stdout), ran, 'The last items of each list are there.');
    },
  }),
  tool({
    name: 'report',
    title: 'What happened',
    description:
      'One page since a time: claims with their diffs, better but unclaimed ideas, failures by cause, cost, and what ' +
      'needs a person.',
    input: {
      research: RESEARCH,
      since: z.string().max(40).optional().describe('Such as 9h, 3d or a time; default: the start of the research.'),
    },
    readOnly: true,
    run: async ({ research, since }, call) => {
      const period = since === undefined ? [] : ['--since', since];
      const ran = await runCommand(call, registerReport, ['report', '--format', 'md', ...period, ...after(research)]);
      const { text, next } = sliceText(ran.stdout, { offset: 0 });
      return { text, notes: next === null ? ran.notes : [...ran.notes, 'The report was cut. Give a later `since`.'] };
    },
  }),
  tool({
    name: 'attention',
    title: 'What needs a person',
    description: 'The conditions that only a person can change, each with its key, beginning, researches and commands.',
    input: {},
    readOnly: true,
    run: async (_, call) => {
      const ran = await runCommand(call, registerAttention, ['attention', '--json']);
      return jsonAnswer(JSON.parse(ran.stdout), ran, 'For one research: status.');
    },
  }),
  tool({
    name: 'log',
    title: 'Ended trials',
    description: 'The last ended trials, one JSON object a line: hypothesis, status, value, verdict, reason.',
    input: {
      research: RESEARCH,
      last: z.int().min(1).max(200).default(LAST_TRIALS).describe('Number of trials.'),
    },
    readOnly: true,
    run: async ({ research, last }, call) => {
      const ran = await runCommand(call, registerLog, ['log', '--json', `--last=${last}`, ...after(research)]);
      const { text, left } = lastLines(ran.stdout);
      const cut = left === 0 ? [] : [`${left} earlier trials did not fit. For one trial: show.`];
      return { text, notes: [...ran.notes, ...cut] };
    },
  }),
  tool({
    name: 'show',
    title: 'One trial',
    description:
      'Proposal, verdict with its reason, failure with the tail of the output, runs, curve and model calls of a trial.',
    input: { trial: TRIAL },
    readOnly: true,
    run: async ({ trial }, call) => {
      const ran = await runCommand(call, registerShow, ['show', '--json', '--for-proposer', '--', trial]);
      const shown = JSON.parse(ran.stdout) as { trialId: string; n: number };
      const researchId = shown.trialId.slice(0, shown.trialId.lastIndexOf('/'));
      return jsonAnswer(shown, ran, `For all of it: read ${uriOf({ kind: 'trial', researchId, n: shown.n })}`);
    },
  }),
  tool({
    name: 'diff',
    title: "A trial's change",
    description: 'What a trial changed against its parent, or against the unmodified workspace, as a unified diff.',
    input: { trial: TRIAL, againstBaseline: z.boolean().default(false) },
    readOnly: true,
    run: async ({ trial, againstBaseline }, call) => {
      const options = againstBaseline ? ['--against-baseline'] : [];
      const ran = await runCommand(call, registerDiff, ['diff', ...options, '--', trial]);
      const { text, next } = sliceText(ran.stdout, { offset: 0 });
      const left = ran.stdout.length - text.length;
      const cut = next === null ? [] : [`${left} more characters. For a file: read perpetua://trial/…/files/PATH`];
      return { text, notes: [...ran.notes, ...cut] };
    },
  }),
  tool({
    name: 'best',
    title: 'The best version',
    description:
      'The best confirmed version, or the lead: value, gain with its interval, and the paths of its files. ' +
      'The tool read returns a file.',
    input: {
      research: RESEARCH,
      lead: z.boolean().default(false).describe('The lead instead: the search goes on from it, no claim yet.'),
    },
    readOnly: true,
    run: async ({ research, lead }, call) => {
      const options = lead ? ['--lead'] : [];
      const ran = await runCommand(call, registerBest, ['best', ...options, '--json', ...after(research)]);
      const best = JSON.parse(ran.stdout) as { workflowId: string };
      const uri = uriOf({ kind: lead ? 'lead' : 'best', researchId: best.workflowId, path: 'PATH' });
      return jsonAnswer(best, { notes: [...ran.notes, `For a file: read ${uri}`] }, 'For one trial: show.');
    },
  }),
];

interface KnownTask {
  name: string;
  path: string;
}
