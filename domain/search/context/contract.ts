import { truncate, promptLine } from '../../prompt/strip-controls.ts';
import type { PromptInput } from '../../prompt/prompt-input.ts';
import { DEFAULT_CPU_FACTOR } from '../../job/charge.ts';
import { timeLimitOf } from '../../job/time-limit.ts';
import type { ContextPart } from '../context.ts';

const HEAD = '## What a run has\n\n';

/** Obligations and limits of a run: a run that violates one of them fails. */
export const contract: ContextPart = {
  name: 'contract',
  cuts: 'the last lines',
  tokens: 1000,
  extra: true,
  applies: (input) => linesOf(input).length > 0,
  render: (input, room) => {
    const text = linesOf(input)
      .map((line) => `- ${line}`)
      .join('\n');
    return `${HEAD}${truncate(text, room - HEAD.length - 1, 'head')}\n`;
  },
};

const linesOf = (input: PromptInput): string[] => [
  ...artefactLine(input),
  ...timeLines(input),
  ...resourceLine(input),
  ...progressLines(input),
  ...answerLines(input),
  ...environmentLine(input),
  ...(input.programs ?? []).map((line) => promptLine(line, 1500)),
  ...networkLine(input),
  ...(input.hardware ?? []).map((line) => `machine: ${promptLine(line, 300)}`),
];

function artefactLine({ task: { run } }: PromptInput): string[] {
  const files = (run?.artefacts ?? []).map(({ path, maxMb }) => `${promptLine(path, 200)} (at most ${maxMb} MB)`);
  return files.length === 0 ? [] : [`it must leave: ${files.join(', ')}`];
}

function timeLines({ task: { run, evaluator } }: PromptInput): string[] {
  // A task from another source may have only a budget.
  if (run?.resources === undefined) return [];
  const { budget } = run;
  const clock = `${timeLimitOf({ run })} s by the clock`;
  if (budget.kind === 'wall') return [`it is ended after ${clock}`];
  const most = budget.most ?? DEFAULT_CPU_FACTOR;
  const cpuLimit =
    budget.kind === 'cpu' ? `${most * budget.seconds} CPU seconds` : `${most} times the CPU seconds of the original`;
  const answers = evaluator?.type === 'interactive' ? ', those of its answers included,' : '';
  return [`it is ended after ${cpuLimit}${answers} or ${clock}`];
}

function resourceLine({ task: { run } }: PromptInput): string[] {
  const { resources } = run ?? {};
  if (resources === undefined) return [];
  const { memoryMb, processes, diskMb, outputMb } = resources;
  return [
    `at most ${memoryMb} MB of memory, ${processes} processes at a time, ` +
      `${diskMb} MB of files, ${outputMb} MB of output`,
  ];
}

function progressLines({ task: { progress } }: PromptInput): string[] {
  if (progress === undefined) return [];
  const { format, pattern, step, value, stallSeconds, divergeFactor } = progress;
  const shape =
    format === 'json' ? `JSON lines with ${step} and ${value}` : `lines that match ${promptLine(pattern ?? '', 300)}`;
  const ends: string[] = [];
  if (stallSeconds !== undefined) ends.push(`after ${stallSeconds} s without such a line`);
  if (divergeFactor !== undefined) ends.push(`where ${value} stays above ${divergeFactor} times its first value`);
  const lines = [`it must go on printing its progress, ${shape}`];
  if (ends.length > 0) lines.push(`it is ended ${ends.join(', or ')}`);
  return lines;
}

function answerLines({ task: { evaluator } }: PromptInput): string[] {
  if (evaluator?.type !== 'interactive') return [];
  const { answer, roundSeconds, cpuSeconds } = evaluator;
  const limits = [`${roundSeconds} s of silence`];
  if (cpuSeconds !== undefined) limits.push(`${cpuSeconds} CPU seconds in all`);
  return [
    `after the run the evaluator asks ${promptLine(answer, 300)}, started in a fresh folder that has the files ` +
      `and what the run must leave, and nothing else of the run; at most ${limits.join(', ')}`,
  ];
}

function environmentLine({ task: { environment }, packages = [] }: PromptInput): string[] {
  if (environment === undefined) return [];
  const available =
    packages.length > 0 ? `these packages alone: ${packages.join(', ')}` : `the packages of ${environment.lock}`;
  return [promptLine(`Python ${environment.python} with ${available}`, 1500)];
}

const networkLine = ({ task: { run } }: PromptInput): string[] =>
  run?.resources !== undefined && (run.sandbox ?? 'required') === 'required'
    ? ['no network; nothing can be installed or downloaded']
    : [];
