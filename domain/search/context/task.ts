import { truncate, promptLine, stripControls } from '../../prompt/strip-controls.ts';
import { numberText } from '../../text/format.ts';
import type { ContextPart } from '../context.ts';

/** Shares of the part: the task's own text for the proposer, and its description. */
const OWN_TEXT = 0.7;
const DESCRIPTION = 0.2;

/** The task: its subject, its metric, how it is run, and its own text. */
export const task: ContextPart = {
  tokens: 8000,
  applies: () => true,
  render: ({ task, prompt }, room) => {
    const { metric, run } = task;
    const [better, sign] = metric.direction === 'minimize' ? ['lower', 'negative'] : ['higher', 'positive'];
    const facts = [
      `metric: ${metric.name}${metric.unit === undefined ? '' : ` in ${metric.unit}`}, ${better} is better: an EXPECTED_DELTA that improves it is ${sign}`,
      ...(metric.optimum === undefined ? [] : [`best possible value: ${numberText(metric.optimum)}`]),
      ...(run
        ? [`run: ${promptLine(run.command, 300)}`, `budget: ${run.budget.seconds} s of ${run.budget.kind} time`]
        : []),
    ];
    const own =
      prompt === null ? '' : `\n${truncate(stripControls(prompt).trim(), Math.floor(room * OWN_TEXT), 'head')}\n`;
    const description = truncate(stripControls(task.description).trim(), Math.floor(room * DESCRIPTION), 'head');
    return `# ${task.name}\n\n${description}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n${own}`;
  },
};
